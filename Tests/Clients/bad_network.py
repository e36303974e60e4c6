"""Helpers for tests of replications over bad networks: a proxy that cuts connections and answers nonsense, runs of the
command, and the comparison of two databases.

The default sizes are for every run; with `GODWIT_LONG` in the environment they are the required ones.
"""

import contextlib
import hashlib
import json
import os
import queue
import random
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time

from conftest import GODWIT

LONG = bool(os.environ.get("GODWIT_LONG"))
KB, MB = 1 << 10, 1 << 20
WAIT_SECONDS = 600 if LONG else 180


class Proxy:
    """A TCP proxy that cuts connections, or answers instead of the server behind it."""

    def __init__(self, server, *, seed=0, cut=None, cuts_max=None, resets=0.2, rate=None):
        self.address = ("127.0.0.1", int(server.port))
        self.random = random.Random(seed)
        self.cut = cut
        # The number of cuts, after which it cuts no more.
        self.cuts_max = cuts_max
        # The share of the cut connections that are reset instead of closed.
        self.resets = resets
        # Bytes a second of each connection, so that few bytes are in transfer at a time.
        self.rate = rate
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
        """Answers every request with nonsense; `None` lets the server answer again."""
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
                    # Few bytes at a time: the bytes in transfer are lost when a connection is cut.
                    piece = key.fileobj.recv(16 * KB if left is None else min(left, 16 * KB))
                    if not piece:
                        return
                    key.data.sendall(piece)
                    with self.lock:
                        self.bytes += len(piece)
                    if self.rate:
                        time.sleep(len(piece) / self.rate)
                    if left is None:
                        continue
                    left -= len(piece)
                    if left == 0:
                        if self.cuts == self.cuts_max:
                            left = None
                            continue
                        self.cuts += 1
                        if not is_rude:
                            wait_until_read(client)
                        else:
                            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        return

    def talk_nonsense(self, client):
        nonsense = self.nonsense
        if nonsense == "closes":
            return
        if nonsense == "silent":
            # The connection stays without an answer: the client must detect that itself.
            with self.lock:
                self.open.discard(client)
            while self.listener.fileno() != -1:
                time.sleep(0.1)
            return
        while b"\r\n\r\n" not in client.recv(64 * KB):
            pass
        client.sendall(nonsense)


def wait_until_read(connection, seconds=10):
    """Waits until the other end, a process of this machine, has read all bytes that were sent to it: a busy process that
    learns of the end first would lose them."""
    ends = [f"0100007F:{port:04X}" for port in (connection.getpeername()[1], connection.getsockname()[1])]
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with open("/proc/net/tcp") as table:
            other = [line.split()[4] for line in table if line.split()[1:3] == ends]
        if not other or other[0].endswith(":00000000"):
            return
        time.sleep(0.005)


def answer(status, body, *headers):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


NONSENSE = {
    "an HTML page": answer("200 OK", b"<html><body>Log in to the wireless network</body></html>", "Content-Type: text/html"),
    # `{}` looks like the answer of `_revs_diff` when no revision is missing.
    "JSON of somebody else": answer("200 OK", b'{"message":"I am a teapot"}', "Content-Type: application/json"),
    "500": answer("500 Internal Server Error", b"<h1>500</h1>"),
    "503": answer("503 Service Unavailable", b"", "Retry-After: 1"),
    "429": answer("429 Too Many Requests", b'{"error":"too_many_requests","reason":"slow down"}', "Retry-After: 1"),
    "closes": "closes",
    "silent": "silent",
}


class Run:
    """A `godwit replicate --continuous` with its lines as they arrive."""

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
        """Ends it as Ctrl-C does; returns its report."""
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


def contents(server, name):
    """Every leaf and its body; for attachments the digest, and the digest of the stored bytes."""
    rows = server.json("GET", f"/{name}/_changes?style=all_docs&include_docs=true")["results"]
    found = {row["id"]: (row["doc"], sorted(leaf["rev"] for leaf in row["changes"])) for row in rows}
    for identifier, (document, _) in found.items():
        for attachment, stub in document.get("_attachments", {}).items():
            body = server.request("GET", f"/{name}/{identifier}/{attachment}").content
            stub["sha"] = hashlib.sha256(body).hexdigest()
    return found


def assert_equal(first, second):
    """Compares two contents without printing a million lines."""
    differing = [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]
    assert not differing, f"{len(differing)} differ, of {len(first)} and {len(second)}: {sorted(differing)[:5]}"
