"""A hostile client: four connections that send the same request repeatedly, and its effects on others."""

import contextlib
import os
import pathlib
import socket
import threading
import time

import requests

from conftest import GODWIT
from raw import Answer

CLIENTS = 4
# The duration of each input; longer with GODWIT_LONG.
ATTACK_SECONDS = 10.0 if os.environ.get("GODWIT_LONG") else 1.0
# With GODWIT_LONG, for a release build: the maximum 99th percentile of others' point reads.
READ_P99_SECONDS_MAX = 0.05
# The limits: for the answers to others, and for the state after the clients are gone.
OTHERS_SECONDS_MAX = 2.0
SETTLED_SECONDS_MAX = 5.0
IS_DEBUG = "release" not in str(pathlib.Path(GODWIT).resolve())
MEMORY_BYTES_MAX = 100 << 20
# The share of a processor below which a server counts as idle: it has timers.
IDLE_SHARE_MAX = 0.15


class Process:
    """A server's process with its child processes, from the system's data."""

    def __init__(self, number):
        self.number = number

    def family(self):
        numbers = [self.number]
        for number in numbers:
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{number}/task"):
                    with open(f"/proc/{number}/task/{task}/children") as children:
                        numbers += [int(child) for child in children.read().split()]
        return numbers

    def processor_seconds(self):
        ticks = 0
        for number in self.family():
            with contextlib.suppress(OSError), open(f"/proc/{number}/stat") as stat:
                ticks += sum(int(field) for field in stat.read().rsplit(")", 1)[1].split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.number}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def is_idle(self, seconds=0.3):
        before = self.processor_seconds()
        time.sleep(seconds)
        return self.processor_seconds() - before < IDLE_SHARE_MAX * seconds + 0.02


def encoded(method, path, body, authorization, headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}", *headers]
    if not any(line.lower().startswith("content-type") for line in lines):
        lines.append("Content-Type: application/json")
    if authorization:
        lines.append(f"Authorization: {authorization}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Attack:
    """Sends a request by several clients for a duration; then all of them disconnect."""

    def __init__(self, server, request, seconds=ATTACK_SECONDS, clients=CLIENTS):
        self.port, self.request = int(server.port), request
        self.end = time.monotonic() + seconds
        self.statuses = []
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while (left := self.end - time.monotonic()) > 0:
            with contextlib.suppress(OSError, EOFError, ValueError):
                with socket.create_connection(("127.0.0.1", self.port), timeout=left) as connection:
                    connection.settimeout(left)
                    sender = threading.Thread(target=self.send, args=(connection,))
                    sender.start()
                    try:
                        # The limits are for others: here the head of an answer is enough.
                        self.statuses.append(Answer(connection.makefile("rb"), with_body=False).status)
                        self.drain(connection)
                    finally:
                        with contextlib.suppress(OSError):
                            connection.shutdown(socket.SHUT_RDWR)
                        sender.join()

    def send(self, connection):
        with contextlib.suppress(OSError):
            connection.sendall(self.request)

    def drain(self, connection):
        while (left := self.end - time.monotonic()) > 0:
            connection.settimeout(left)
            if len(connection.recv(1 << 16)) < 1 << 10:
                return

    def join(self):
        for thread in self.threads:
            thread.join()


def probes(server):
    """Requests that others send: whether the server is up, a point read, a login."""
    session = requests.Session()
    yield "up", lambda: session.get(f"{server.url}/_up", timeout=60)
    yield "read", lambda: session.get(f"{server.url}/db/small", auth=("admin", "secret"), timeout=60)
    yield "login", lambda: requests.post(
        f"{server.url}/_session", json={"name": "admin", "password": "secret"}, timeout=60)


def others_seconds(server, attack):
    """The durations of others' requests while an attack ran, by kind."""
    times = {name: [] for name, _ in probes(server)}
    asked = list(probes(server))
    while True:
        for name, ask in asked:
            begun = time.monotonic()
            answer = ask()
            assert answer.status_code == 200, (name, answer.status_code, answer.text)
            times[name].append(time.monotonic() - begun)
        if time.monotonic() > attack.end:
            return times
        time.sleep(0.02)


def settle(process, seconds=SETTLED_SECONDS_MAX):
    """Waits until no work runs.

    Returns whether that happened in time."""
    deadline = time.monotonic() + seconds
    while not process.is_idle():
        if time.monotonic() > deadline:
            return False
    return True
