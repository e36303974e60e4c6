"""Measures backups of all databases of a server with many databases.

    swift build -c release --static-swift-stdlib --product godwit
    python3 Benchmarks/backups.py [DATABASES] [CHANGED]

By default 100 000 databases of three documents, of which 1 000 change before the last backup. `requests` is required
(`.venv-clients` has it)."""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[1]
GODWIT = ROOT / ".build/release/godwit"
DATABASES = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
CHANGED = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
CLIENTS = 8
# A database is recognized as unchanged if its last change is older.
SETTLED_SECONDS = 4


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [GODWIT, "serve", "--data", f"{folder}/data", "--backups", f"{folder}/backups", "--port", "0", "--admin", "admin:secret"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.admin = requests.Session()
        self.admin.auth = ("admin", "secret")
        self.admin.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=CLIENTS))

    def send(self, method, path, **options):
        answer = self.admin.request(method, self.url + path, **options)
        answer.raise_for_status()
        return answer.json()

    def each(self, action, count):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(action, range(count)))

    def fill(self, number):
        self.send("PUT", f"/base-{number:06}")
        self.send("POST", f"/base-{number:06}/_bulk_docs", json={"docs": [{"n": n} for n in range(3)]})

    def change(self, number):
        self.send("POST", f"/base-{number * (DATABASES // CHANGED):06}", json={"changed": True})

    def back_up(self):
        """The seconds of a backup, its summary, and the longest time of another request meanwhile, in milliseconds."""
        time.sleep(SETTLED_SECONDS)
        before, longest = time.monotonic(), 0
        name = self.send("POST", "/_godwit/backups", json={})["id"]
        while self.send("GET", "/_godwit/backups")["running"]:
            begun = time.monotonic()
            self.send("GET", "/base-000000/_all_docs")
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.05)
        return time.monotonic() - before, self.send("GET", f"/_godwit/backups/{name}"), longest * 1_000


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            server.each(server.fill, DATABASES)
            for what, prepare in [("first", None), ("second, nothing changed", None), (f"third, {CHANGED} changed", server.change)]:
                if prepare:
                    server.each(prepare, CHANGED)
                seconds, summary, longest = server.back_up()
                used = subprocess.run(["du", "-sm", f"{folder}/backups"], capture_output=True, text=True).stdout.split()[0]
                print(f"{what}: {seconds:.1f} s, {summary['databases']} databases, {summary['unchanged']} of them unchanged, "
                      f"{used} MB in the directory; another request took {longest:.0f} ms at most", flush=True)
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
