"""Measures logins over HTTP: their effect on others, and whether their time tells which names exist.

    swift build -c release --static-swift-stdlib --product godwit
    python3 Benchmarks/logins.py [SECONDS]
    python3 Benchmarks/logins.py users [COUNT]

With `users` it registers 100 000 accounts, each with a database, and measures registrations, logins and refreshes, with hashes
of one round. The rates are limited by the four clients, which are Python programs on the same machine.

`requests` is required (`.venv-clients` of `./test` has it). The clients run on the same machine and take processor time that
the server then lacks. Therefore each figure with logins has a control: the same logins are sent to a second server, while the
first one is measured."""

import multiprocessing
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import requests

GODWIT = pathlib.Path(__file__).resolve().parents[1] / ".build/release/godwit"
COUNTS_USERS = sys.argv[1:2] == ["users"]
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 and not COUNTS_USERS else 10
USERS_MEASURED = int(sys.argv[2]) if COUNTS_USERS and len(sys.argv) > 2 else 100_000
# The number of users who log in and refresh.
LOGINS_MEASURED = 20_000
CLIENTS = 4
LOGINS_PER_SECOND = 50
# The pause between two reads of the measured client.
PAUSE_SECONDS = 0.004
USERS = 200
PAIRS = 300
# The default number of rounds of PBKDF2, and one with which two processors make 50 logins a second.
ROUNDS = {"600 000 rounds (the default)": None, "20 000 rounds": "20000"}


class Server:
    def __init__(self, folder, rounds):
        self.process = subprocess.Popen(
            [GODWIT, "serve", "--data", folder, "--port", "0", "--admin", "admin:secret"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.app = self.url + "/_apps/bench"
        admin = requests.Session()
        admin.auth = ("admin", "secret")
        # The accounts are made with one round: the first login of each replaces its hash.
        self.set_rounds(admin, "1")
        admin.put(self.app, json={"registrations_per_minute": 1_000_000}).raise_for_status()
        for number in range(USERS):
            requests.put(f"{self.app}/users/u{number}", json={"password": "a long password"}).raise_for_status()
        if rounds:
            self.set_rounds(admin, rounds)
        else:
            admin.delete(self.url + "/_node/_local/_config/chttpd_auth/iterations").raise_for_status()
        admin.put(self.url + "/db").raise_for_status()
        admin.put(self.url + "/db/small", json={"a": 1}).raise_for_status()

    def set_rounds(self, admin, rounds):
        admin.put(self.url + "/_node/_local/_config/chttpd_auth/iterations", json=rounds).raise_for_status()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def log_in(app, name, session=requests):
    return session.post(app + "/login", json={"name": name, "password": "a long password"}, timeout=600)


def send_logins(app, ended, made):
    """Sends logins at a fixed rate until `ended`, whether or not earlier ones are answered."""
    def one(number):
        try:
            if log_in(app, f"u{number % USERS}").status_code == 200:
                with made.get_lock():
                    made.value += 1
        except requests.RequestException:
            pass
    next_time = time.monotonic()
    number = 0
    while not ended.is_set():
        threading.Thread(target=one, args=(number,), daemon=True).start()
        number += 1
        next_time += 1 / LOGINS_PER_SECOND
        time.sleep(max(0, next_time - time.monotonic()))


def reads(url):
    """The milliseconds of reads of a document, sorted."""
    session = requests.Session()
    session.auth = ("admin", "secret")
    times = []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        begun = time.perf_counter()
        session.get(url + "/db/small").raise_for_status()
        times.append((time.perf_counter() - begun) * 1e3)
        time.sleep(PAUSE_SECONDS)
    return sorted(times)


def shown(times):
    return f"p50 {times[len(times) // 2]:.2f} ms, p99 {times[len(times) * 99 // 100]:.2f} ms, most {times[-1]:.1f} ms"


def during_logins(measured, loaded):
    ended, made = multiprocessing.Event(), multiprocessing.Value("i", 0)
    process = multiprocessing.Process(target=send_logins, args=(loaded.app, ended, made))
    process.start()
    time.sleep(1)
    before, begun = made.value, time.monotonic()
    times = reads(measured.url)
    rate = (made.value - before) / (time.monotonic() - begun)
    ended.set()
    process.kill()
    process.join()
    return times, rate


def work(app, kind, numbers, results):
    """Registers, logs in or refreshes users, one after the other on one connection."""
    session, tokens = requests.Session(), {}
    for number, token in numbers:
        name = f"m{number}"
        if kind == "registrations":
            answer = session.put(f"{app}/users/{name}", json={"password": "a long password"})
        elif kind == "logins":
            body = {"name": name, "password": "a long password", "device": {"id": "phone"}}
            answer = session.post(f"{app}/login", json=body)
            tokens[number] = answer.json().get("refresh_token")
        else:
            answer = session.post(f"{app}/refresh", json={"refresh_token": token})
        answer.raise_for_status()
    results.put(tokens)


def measure_users():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, "1")
        tokens = {number: None for number in range(USERS_MEASURED)}
        for kind in ("registrations", "logins", "refreshes"):
            numbers = list(tokens.items())[:USERS_MEASURED if kind == "registrations" else LOGINS_MEASURED]
            results, begun = multiprocessing.Queue(), time.monotonic()
            clients = [multiprocessing.Process(target=work, args=(server.app, kind, numbers[client::CLIENTS], results))
                       for client in range(CLIENTS)]
            for client in clients:
                client.start()
            for _ in clients:
                tokens.update(results.get())
            seconds = time.monotonic() - begun
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            memory = int(status.partition("VmRSS:")[2].split()[0]) // 1024
            print(f"{kind}: {len(numbers)} in {seconds:.0f} s, {len(numbers) / seconds:.0f}/s, {memory} MB", flush=True)
        server.stop()


def main():
    if COUNTS_USERS:
        return measure_users()
    for label, rounds in ROUNDS.items():
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            server, control = Server(one, rounds), Server(two, rounds)
            print(f"\n{label}")
            for turn in range(3):
                print(f"  reads alone:                       {shown(reads(server.url))}")
                times, rate = during_logins(server, control)
                print(f"  during logins of another server:  {shown(times)} ({rate:.0f} logins/s of {LOGINS_PER_SECOND})")
                times, rate = during_logins(server, server)
                print(f"  during logins of the same server: {shown(times)} ({rate:.0f} logins/s of {LOGINS_PER_SECOND})")
            if rounds:
                names(server)
            server.stop()
            control.stop()


def names(server):
    """Compares the time of failed logins with names that exist and names that do not. Each has another name, so that no
    lock and no delay of earlier failures counts."""
    known, unknown = [], []
    session = requests.Session()
    for number in range(min(PAIRS, USERS)):
        for times, name in [(known, f"u{number}"), (unknown, f"x{number}")]:
            begun = time.perf_counter()
            answer = session.post(
                server.app + "/login", json={"name": name, "password": "a wrong password"}, timeout=60)
            assert answer.status_code == 401, answer.text
            times.append((time.perf_counter() - begun) * 1e3)
    medians = statistics.median(known), statistics.median(unknown)
    print(f"  a wrong password: median {medians[0]:.2f} ms for a known name, {medians[1]:.2f} ms for an unknown one, "
          f"ratio {medians[0] / medians[1]:.3f}")


main()
