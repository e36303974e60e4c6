"""Real servers of the built binary, each with a separate directory."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
import requests

CLIENTS = pathlib.Path(__file__).resolve().parent
ROOT = CLIENTS.parents[1]
GODWIT = os.environ.get("GODWIT", str(ROOT / ".build/debug/godwit"))
ADMIN = ("admin", "secret")
# They exist from the start, as on a CouchDB of one node.
SYSTEM_DATABASES = ["_replicator", "_users"]


def godwit(*arguments, **options):
    """Runs the command until it ends."""
    return subprocess.run([GODWIT, *arguments], capture_output=True, text=True, timeout=90, **options)


class Server:
    """A server that can be killed and started again on the same data."""

    # The subcommand of the program.
    subcommand = ("serve",)

    def __init__(self, data, *, admin="admin:secret", arguments=(), environment=None, program=GODWIT):
        self.data = str(data)
        self.program = program
        self.arguments = [*(["--admin", admin] if admin else []), *arguments]
        self.environment = {**os.environ, **(environment or {})}
        self.port = "0"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, *self.subcommand, "--data", self.data, "--port", self.port, *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"Godwit is listening on (http://127\.0\.0\.1:\d+)\n", line)
        assert match, line + self.process.stderr.read()
        self.url = match[1]
        # After a restart it has the same address.
        self.port = self.url.rsplit(":", 1)[1]
        self.session = requests.Session()
        self.session.auth = ADMIN

    def database(self, name):
        """The URL of a database, with credentials."""
        return f"{self.url.replace('://', '://admin:secret@')}/{name}"

    def request(self, method, path, **options):
        return self.session.request(method, self.url + path, timeout=60, **options)

    def json(self, method, path, **options):
        response = self.request(method, path, **options)
        assert response.ok, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self, number=signal.SIGTERM):
        """Stops as a user would; returns the output on standard error."""
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=10)
        assert self.process.returncode == 0, complaints
        return complaints


def eventually(check, seconds=20):
    """Waits until a check returns a true value, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come about")


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "data")
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def other(tmp_path):
    server = Server(tmp_path / "other")
    yield server
    if server.process.poll() is None:
        server.stop()
