"""Helpers for the tests of loads: servers with much data, their memory, and service for others meanwhile.

The default sizes are for every run; with `GODWIT_LONG` in the environment they are the required ones.
"""

import contextlib
import os
import pathlib
import resource
import threading
import time

import pytest

from conftest import Server
from raw import Answer, WAIT_SECONDS, ask, connect, request

LONG = bool(os.environ.get("GODWIT_LONG"))
KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
DOCUMENTS = 1_000_000 if LONG else 100_000
DOCUMENTS_IN_A_BATCH = 5_000
# While 20 MB are uploaded.
ATTACHMENT_BYTES_MAX = 15 * MB
# The maximum time of an ordinary request while others misbehave.
SERVED_SECONDS_MAX = 20
# The maximum time until a connection that must be closed is closed.
CLOSED_SECONDS_MAX = 2


def resident(server):
    """The server's resident memory in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * KB


class Growth:
    """The maximum growth of the server's resident memory in a block."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.before, self.most = resident(self.server), 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.stop.is_set():
            self.look()
            self.stop.wait(0.02)

    def look(self):
        self.most = max(self.most, resident(self.server) - self.before)

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.look()
        print(f"grew by {self.most / MB:.1f} MB")


def serves_others(server, times=20):
    """Ordinary requests are answered in time."""
    for _ in range(times):
        begun = time.monotonic()
        assert ask(server, request("GET", "/_up", login=False)).status == 200
        assert ask(server, request("GET", "/db")).status == 200
        assert time.monotonic() - begun < SERVED_SECONDS_MAX


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("loads") / "data")
    server.json("PUT", "/db")
    server.json("PUT", "/db/kept", json={"n": 1})
    yield server
    server.stop()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A server with a database of many documents."""
    server = Server(tmp_path_factory.mktemp("full") / "data")
    server.json("PUT", "/db")
    for start in range(0, DOCUMENTS, DOCUMENTS_IN_A_BATCH):
        docs = [{"_id": f"{number:08}", "n": number, "text": "abcdefgh" * 20}
                for number in range(start, start + DOCUMENTS_IN_A_BATCH)]
        assert server.request("POST", "/db/_bulk_docs", json={"docs": docs}).status_code == 201
    # A new process has no free memory left from the writes.
    server.stop()
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True, scope="module")
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def send_all_and_ask(server, text):
    """Sends bytes that the server may not read to the end; the answer."""
    with connect(server) as connection, connection.makefile("rb") as stream:
        def send():
            with contextlib.suppress(OSError):
                connection.sendall(text)

        thread = threading.Thread(target=send)
        thread.start()
        answer = Answer(stream)
        connection.close()
        thread.join(WAIT_SECONDS)
        return answer


EXPECT = "Expect: 100-continue"
