"""Replications on bad days: connections that are cut, processes that are killed, peers that answer nonsense, a thousand
at once. Whatever happens on the way, both sides end equal, and what arrived is not fetched again.

The sizes are for every day; with `GODWIT_LONG` in the environment they are those of the promise.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import queue
import random
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

from conftest import GODWIT, Server
from test_replicate import replicate
from test_scheduler import eventually

LONG = bool(os.environ.get("GODWIT_LONG"))
KB, MB = 1 << 10, 1 << 20

DOCUMENTS = 10_000 if LONG else 6_000
ATTACHMENT_BYTES = 50 * MB if LONG else 12 * MB
# Beside the one: what is done of several attachments of one document is kept too.
SMALLER_BYTES = [2 * MB, 3 * MB, 1 * MB]
# What goes through a proxy that cuts, at most, of what goes through one that does not.
WASTE_MAX = 1.3

KILLED_DOCUMENTS = 100_000 if LONG else 12_000
KILL_SECONDS = 1 if LONG else 0.4

REPLICATIONS = 1_000 if LONG else 300
IDLE_SECONDS = 10 if LONG else 3
REPLICATIONS_BYTES_MAX = 500 * MB

NONSENSE_SECONDS = 10 if LONG else 0.5
WAIT_SECONDS = 600 if LONG else 60


class Proxy:
    """A TCP proxy that cuts connections, or answers in place of the server behind it."""

    def __init__(self, server, *, seed=0, cut=None, resets=0.2):
        self.address = ("127.0.0.1", int(server.port))
        self.random = random.Random(seed)
        self.cut = cut
        # How many of the cut connections are reset, in place of closed.
        self.resets = resets
        self.nonsense = None
        self.bytes = 0
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1_000)
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.cut_all()

    def database(self, name):
        return f"http://admin:secret@127.0.0.1:{self.port}/{name}"

    def cut_all(self):
        with self.lock:
            connections = list(self.open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def say(self, nonsense):
        """From now on every request is answered so; `None` lets the server answer again."""
        self.nonsense = nonsense
        self.cut_all()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            with self.lock:
                self.open.add(client)
            try:
                if self.nonsense is not None:
                    return self.talk_nonsense(client)
                with socket.create_connection(self.address) as server:
                    self.carry(client, server)
            finally:
                with self.lock:
                    self.open.discard(client)

    def carry(self, client, server):
        with self.lock:
            left = self.random.randint(*self.cut) if self.cut else None
            is_rude = self.random.random() < self.resets
        selector = selectors.DefaultSelector()
        selector.register(client, selectors.EVENT_READ, server)
        selector.register(server, selectors.EVENT_READ, client)
        with selector:
            while True:
                for key, _ in selector.select():
                    # Little at a time: what is on its way when a connection is cut is lost.
                    piece = key.fileobj.recv(16 * KB if left is None else min(left, 16 * KB))
                    if not piece:
                        return
                    key.data.sendall(piece)
                    with self.lock:
                        self.bytes += len(piece)
                    if left is None:
                        continue
                    left -= len(piece)
                    if left == 0:
                        self.cuts += 1
                        if is_rude:
                            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        return

    def talk_nonsense(self, client):
        nonsense = self.nonsense
        if nonsense == "closes":
            return
        if nonsense == "silent":
            # For good: whoever waits must find out by itself that nobody answers.
            with self.lock:
                self.open.discard(client)
            while self.listener.fileno() != -1:
                time.sleep(0.1)
            return
        while b"\r\n\r\n" not in client.recv(64 * KB):
            pass
        client.sendall(nonsense)


def answer(status, body, *headers):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


NONSENSE = {
    "an HTML page": answer("200 OK", b"<html><body>Log in to the wireless network</body></html>", "Content-Type: text/html"),
    # `{}` cannot be told from the answer of `_revs_diff` when nothing is missing.
    "JSON of somebody else": answer("200 OK", b'{"message":"I am a teapot"}', "Content-Type: application/json"),
    "500": answer("500 Internal Server Error", b"<h1>500</h1>"),
    "503": answer("503 Service Unavailable", b"", "Retry-After: 1"),
    "429": answer("429 Too Many Requests", b'{"error":"too_many_requests","reason":"slow down"}', "Retry-After: 1"),
    "closes": "closes",
    "silent": "silent",
}


class Run:
    """A `godwit replicate --continuous` with its lines as they come."""

    def __init__(self, source, target, *arguments):
        self.process = subprocess.Popen(
            [GODWIT, "replicate", source, target, "--continuous", "--create-target", "--json", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.complaints = []
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=lambda: self.complaints.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def wait_until_idle(self, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError("it is not idle: " + "".join(self.complaints[-3:])) from None
            assert line is not None, "it ended: " + "".join(self.complaints[-3:])
            if line.get("state") == "idle":
                return

    def stop(self):
        """Ends it as Ctrl-C does; its report."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        report = None
        while (line := self.lines.get(timeout=10)) is not None:
            report = line
        assert self.process.returncode == 0, self.complaints
        assert "secret" not in "".join(self.complaints)
        return report


def load(server, name, count, start=0, size=200):
    if start == 0:
        server.json("PUT", f"/{name}")
    for first in range(start, start + count, 1_000):
        docs = [{"_id": f"{n:06}", "text": f"{n} " + "x" * size} for n in range(first, min(first + 1_000, start + count))]
        server.json("POST", f"/{name}/_bulk_docs", json={"docs": docs})


def attach(server, name, seed):
    """Documents with attachments that no packing makes smaller: a large one, and several of one document."""
    noise = random.Random(seed)
    server.json("PUT", f"/{name}/large/film.bin", data=noise.randbytes(ATTACHMENT_BYTES),
                headers={"Content-Type": "video/mp4"})
    revision = None
    for place, size in enumerate(SMALLER_BYTES):
        revision = server.json(
            "PUT", f"/{name}/several/{place}.bin" + (f"?rev={revision}" if revision else ""),
            data=noise.randbytes(size), headers={"Content-Type": "image/jpeg"})["rev"]


def contents(server, name):
    """Every leaf and its body; of attachments the digest, and that of the bytes that are really there."""
    rows = server.json("GET", f"/{name}/_changes?style=all_docs&include_docs=true")["results"]
    found = {row["id"]: (row["doc"], sorted(leaf["rev"] for leaf in row["changes"])) for row in rows}
    for identifier, (document, _) in found.items():
        for attachment, stub in document.get("_attachments", {}).items():
            body = server.request("GET", f"/{name}/{identifier}/{attachment}").content
            stub["sha"] = hashlib.sha256(body).hexdigest()
    return found


def assert_equal(first, second):
    """Compares two contents without showing a million lines."""
    differing = [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]
    assert not differing, f"{len(differing)} differ, of {len(first)} and {len(second)}: {sorted(differing)[:5]}"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("shared") / "data")
    load(server, "plain", DOCUMENTS)
    server.json("PUT", "/films")
    attach(server, "films", 1)
    server.contents = {name: contents(server, name) for name in ("plain", "films")}
    yield server
    server.stop()


@contextlib.contextmanager
def served(directory):
    """A directory of databases that the command wrote, behind a server."""
    server = Server(directory)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def copies(shared, tmp_path_factory):
    """Local copies of the shared databases, to be pushed; and the bytes that bringing them through a proxy took."""
    directory = tmp_path_factory.mktemp("copies")
    pulled = {}
    for name in shared.contents:
        with Proxy(shared) as proxy:
            replicate(proxy.database(name), str(directory / name), "--create-target")
            pulled[name] = proxy.bytes
    return directory, pulled


# Documents come in requests of a few hundred kilobytes, which a cut makes good for nothing; of attachments nothing that
# arrived is lost.
CUTS = {"plain": (200 * KB, 800 * KB), "films": (1 * MB, 8 * MB) if LONG else (512 * KB, 4 * MB)}


@pytest.mark.parametrize("name", ["plain", "films"])
@pytest.mark.parametrize("seed", range(3) if LONG else range(1))
def test_pull_through_cuts(shared, copies, tmp_path, name, seed):
    """A continuous pull gets all through a proxy that cuts every connection; attachments go on where they were cut."""
    # What a reset connection holds unread is lost, which is megabytes on one machine: what arrives is what is counted.
    with Proxy(shared, seed=seed, cut=CUTS[name], resets=0.2 if name == "plain" else 0) as proxy:
        with Run(proxy.database(name), str(tmp_path / "d" / name)) as run:
            run.wait_until_idle()
            took = proxy.bytes
            run.stop()
        waste = took / copies[1][name]
        print(f"{name}: {proxy.cuts} cuts, {waste:.2f} times the bytes")
        assert proxy.cuts >= 1
    with served(tmp_path / "d") as copy:
        assert_equal(contents(copy, name), shared.contents[name])
    assert waste < WASTE_MAX


@pytest.mark.parametrize("seed", range(3) if LONG else range(1))
def test_push_through_cuts(shared, copies, other, seed):
    """A continuous push gets all through such a proxy. Of documents alone: in CouchDB's protocol a document with its
    attachments is one request, which cannot be resumed."""
    source = str(copies[0] / "plain")
    with Proxy(other) as proxy:
        replicate(source, proxy.database("uncut"), "--create-target")
        uncut = proxy.bytes
    with Proxy(other, seed=seed, cut=CUTS["plain"]) as proxy:
        with Run(source, proxy.database("cut")) as run:
            run.wait_until_idle()
            took = proxy.bytes
            run.stop()
        print(f"{proxy.cuts} cuts, {took / uncut:.2f} times the bytes")
        assert proxy.cuts >= 1
    assert_equal(contents(other, "cut"), shared.contents["plain"])
    assert took / uncut < WASTE_MAX


@pytest.mark.parametrize("way", ["pull", "push"])
def test_once_through_mild_cuts(shared, copies, other, tmp_path, way):
    """A run that is no continuous one gets through cuts that leave it some progress each time."""
    behind = shared if way == "pull" else other
    with Proxy(behind, seed=5, cut=(600 * KB, 2 * MB)) as proxy:
        if way == "pull":
            done = replicate(proxy.database("plain"), str(tmp_path / "d" / "plain"), "--create-target")
        else:
            done = replicate(str(copies[0] / "plain"), proxy.database("once"), "--create-target")
    assert done["ok"] and done["docs_written"] == DOCUMENTS
    with served(tmp_path / "d") if way == "pull" else contextlib.nullcontext(other) as target:
        assert_equal(contents(target, "plain" if way == "pull" else "once"), shared.contents["plain"])


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("many") / "data")
    load(server, "many", KILLED_DOCUMENTS)
    server.contents = contents(server, "many")
    yield server
    server.stop()


@pytest.mark.timeout(1_200 if LONG else 120)
@pytest.mark.parametrize("victim", ["replicator", "source", "target"])
def test_killed_every_second(many, other, victim):
    """With the one or the other killed every second (more often where it is short), a replication comes to its end, and both sides are equal."""
    source, target = many.database("many"), other.database("copy")
    deadline = time.monotonic() + WAIT_SECONDS
    kills = 0
    if victim == "replicator":
        while True:
            run = subprocess.Popen([GODWIT, "replicate", source, target, "--create-target"], stdout=subprocess.DEVNULL)
            try:
                assert run.wait(KILL_SECONDS) == 0
                break
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                kills += 1
                assert time.monotonic() < deadline
    else:
        server = many if victim == "source" else other
        with Run(source, target) as run:
            def arrived():
                return other.request("GET", "/copy").json().get("doc_count", 0)
            while arrived() < KILLED_DOCUMENTS:
                assert time.monotonic() < deadline, arrived()
                time.sleep(KILL_SECONDS)
                server.kill()
                server.start()
                kills += 1
            run.wait_until_idle()
            run.stop()
    print(f"{kills} kills")
    assert kills >= 1
    assert_equal(contents(other, "copy"), many.contents)


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("nonsense", [name for name in NONSENSE if LONG or name != "silent"])
def test_nonsense_for_a_while(server, other, nonsense):
    """While a proxy answers in place of both peers, a continuous replication waits and loses nothing; a run that is
    begun meanwhile ends with a complaint."""
    load(server, "a", 400)
    with Proxy(server) as source, Proxy(other) as target:
        with Run(source.database("a"), target.database("b")) as run:
            run.wait_until_idle()
            for proxy in (source, target):
                proxy.say(NONSENSE[nonsense])
            load(server, "a", 400, start=400)
            if nonsense != "silent":
                failed = subprocess.run(
                    [GODWIT, "replicate", source.database("a"), target.database("b")], capture_output=True, text=True,
                    timeout=60)
                assert failed.returncode == 1 and failed.stderr.strip() and "secret" not in failed.stderr
            time.sleep(NONSENSE_SECONDS)
            # Of one side first: what is read is not written to a peer that talks nonsense.
            source.say(None)
            time.sleep(NONSENSE_SECONDS)
            assert run.process.poll() is None
            target.say(None)
            eventually(lambda: other.json("GET", "/b")["doc_count"] == 800, WAIT_SECONDS)
            run.stop()
        assert_equal(contents(other, "b"), contents(server, "a"))
        again = replicate(source.database("a"), target.database("b"))
        assert again["ok"] and again["docs_written"] == 0


def memory(server):
    """The memory that a server's process has and had at most, in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmRSS"].split()[0]) * KB, int(fields["VmHWM"].split()[0]) * KB


def cpu(server):
    """The seconds that a server's process has worked."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.timeout(600 if LONG else 120)
def test_a_thousand_at_once(server, other):
    """A server runs a thousand continuous replications, half of them each way: all become idle, a write arrives, and
    they cost little memory."""
    server.json("PUT", "/_node/_local/_config/replicator/max_jobs", json=str(REPLICATIONS))
    half = REPLICATIONS // 2
    for number in range(10):
        for side in (server, other):
            load(side, f"from{number}", 3)
    begun = time.monotonic()
    jobs = []
    for number in range(half):
        there = other.database(f"from{number % 10}")
        jobs.append({"source": f"from{number % 10}", "target": other.database(f"to{number}")})
        jobs.append({"source": there, "target": f"to{number}"})
    docs = [{"_id": f"job{place}", **job, "create_target": True, "continuous": True} for place, job in enumerate(jobs)]
    for row in server.json("POST", "/_replicator/_bulk_docs", json={"docs": docs}):
        assert row["ok"], row

    def states():
        rows = server.json("GET", "/_scheduler/docs")["docs"]
        return sum(row["state"] == "running" and row["info"].get("docs_written") == 3 for row in rows)
    eventually(lambda: states() == REPLICATIONS, WAIT_SECONDS)
    print(f"{time.monotonic() - begun:.1f} s until {REPLICATIONS} replications are idle")
    time.sleep(1)
    before = cpu(server)
    time.sleep(IDLE_SECONDS)
    share = (cpu(server) - before) / IDLE_SECONDS
    now, peak = memory(server)
    print(f"idle: {share * 100:.1f} % of a core, {now / MB:.0f} MB (at most {peak / MB:.0f} MB)")
    server.json("PUT", "/from0/later", json={})
    other.json("PUT", "/from1/later", json={})
    eventually(lambda: all(other.request("GET", f"/to{n}/later").ok for n in range(0, half, 10)), WAIT_SECONDS)
    eventually(lambda: all(server.request("GET", f"/to{n}/later").ok for n in range(1, half, 10)), WAIT_SECONDS)
    assert memory(server)[1] < REPLICATIONS_BYTES_MAX
