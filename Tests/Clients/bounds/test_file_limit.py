"""A server with few file handles: clients that open all connections take none of those that databases need, and the process lives."""

import contextlib
import os
import socket
import subprocess

import pytest
import requests

from conftest import GODWIT, Server

LIMIT = 256
DATABASES = 40


def listening(pid):
    """The ports on which a process accepts connections."""
    inodes = set()
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            inodes.add(os.readlink(f"/proc/{pid}/fd/{descriptor}").removeprefix("socket:[").rstrip("]"))
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table][1:]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


@pytest.fixture(params=[False, True], ids=["one address", "two addresses"])
def limited(request, tmp_path):
    program = tmp_path / "limited"
    program.write_text(f'#!/bin/bash\nulimit -n {LIMIT}\nexec "{GODWIT}" "$@"\n')
    program.chmod(0o755)
    server = Server(tmp_path / "data", program=str(program), arguments=["--objects", "--s3-port", "0"] if request.param else [])
    # The addresses share what is left of files.
    server.ports = listening(server.process.pid)
    assert len(server.ports) == 1 + request.param
    yield server
    server.stop()


def test_connections_leave_files_for_databases(limited):
    session = requests.Session()
    session.auth = ("admin", "secret")
    assert session.get(limited.url + "/_up", timeout=30).ok
    with contextlib.ExitStack() as stack:
        for number in range(LIMIT * len(limited.ports)):
            connection = stack.enter_context(socket.socket())
            connection.settimeout(10)
            connection.connect(("127.0.0.1", limited.ports[number % len(limited.ports)]))
        for number in range(DATABASES):
            assert session.put(f"{limited.url}/db{number}", timeout=30).status_code == 201
        for _ in range(2):
            for number in range(DATABASES):
                assert session.post(f"{limited.url}/db{number}", json={"n": number}, timeout=30).status_code == 201
                assert session.get(f"{limited.url}/db{number}/_all_docs?include_docs=true", timeout=30).json()["total_rows"] > 0
    assert requests.get(limited.url + "/_up", timeout=30).ok, "further connections are served when others have ended"
    assert limited.process.poll() is None


def test_a_server_does_not_start_with_too_few(tmp_path):
    command = f'ulimit -n 128; exec "{GODWIT}" serve --data "{tmp_path / "data"}" --port 0'
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "files open" in ended.stderr and "ulimit -n" in ended.stderr, ended
    assert not os.path.exists(tmp_path / "data")
