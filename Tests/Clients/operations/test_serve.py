"""The command: flags, environment, the first administrator, stopping."""

import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import pytest
import requests

from conftest import GODWIT, SYSTEM_DATABASES, Server, godwit


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stops_at_once_with_an_open_feed(server, number):
    server.json("PUT", "/db")
    answers = []
    thread = threading.Thread(target=lambda: answers.append(server.request("GET", "/db/_changes?feed=longpoll&heartbeat=1000")))
    thread.start()
    time.sleep(0.5)
    start = time.monotonic()
    server.stop(number)
    assert time.monotonic() - start < 5
    thread.join(10)
    assert answers[0].json()["results"] == []


def test_port_in_use(server, tmp_path):
    port = server.url.rsplit(":", 1)[1]
    run = godwit("serve", "--data", str(tmp_path / "x"), "--admin", "a:a strong pass phrase", "--port", port)
    complaints = run.stderr.splitlines()
    assert run.returncode == 1 and len(complaints) == 1
    assert port in complaints[0] and "--port" in complaints[0]


def test_an_idle_server_has_loaded_no_library_that_it_does_not_need(server):
    maps = pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()
    assert "libFoundationEssentials" in maps
    for library in ("libFoundation.", "libFoundationXML", "lib_FoundationICU", "libxml2", "javascriptcore"):
        assert library not in maps


def test_first_administrator(tmp_path):
    first = Server(tmp_path / "data", admin=None)
    url = first.url
    complaints = first.stop()
    password = re.search(r"administrator admin with the password (\S+)", complaints)[1]
    assert len(password) >= 20
    for file in pathlib.Path(first.data).rglob("*"):
        assert not file.is_file() or password.encode() not in file.read_bytes()
    second = Server(tmp_path / "data", admin=None)
    assert requests.get(second.url + "/_all_dbs", auth=("admin", password), timeout=10).json() == SYSTEM_DATABASES
    assert requests.get(second.url + "/_all_dbs", auth=("admin", password + "x"), timeout=10).status_code == 401
    assert "with the password" not in second.stop()
    assert url.startswith("http://127.0.0.1:")


def test_weak_passwords_that_administrators_choose_are_warned_of(tmp_path):
    """They are accepted, as in CouchDB."""
    server = Server(tmp_path / "data", admin="boss:short")
    server.session.auth = ("boss", "short")
    for name, password in [("anna", "pw-1"), ("ben", "a strong pass phrase")]:
        server.json("PUT", f"/_node/_local/_config/admins/{name}", json=password)
    for name, password in [("carl", "Password1"), ("dora", "another strong one")]:
        server.json("PUT", f"/_users/org.couchdb.user:{name}", json={
            "name": name, "password": password, "type": "user", "roles": []})
    lines = [line.split(" ", 1)[1] for line in server.stop().splitlines() if "choose a stronger one" in line]
    weak = "warning godwit: a password {}: choose a stronger one {}"
    assert lines == [
        weak.format("has fewer than 8 characters", "administrator=boss"),
        weak.format("has fewer than 8 characters", "administrator=anna"),
        weak.format("is one of the most common passwords", "user=carl")]


def test_a_first_start_that_finds_its_port_taken_makes_no_administrator(server, tmp_path):
    data = tmp_path / "fresh"
    run = godwit("serve", "--data", str(data), "--port", server.port)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and "is in use" in run.stderr
    # The next one shows a password, which is valid when the server prints its address.
    first = Server(data, admin=None)
    first.process.kill()
    _, complaints = first.process.communicate(timeout=10)
    password = re.search(r"administrator admin with the password (\S+) ", complaints)[1]
    second = Server(data, admin=None)
    assert requests.get(second.url + "/_all_dbs", auth=("admin", password), timeout=10).json() == SYSTEM_DATABASES
    assert "with the password" not in second.stop()


def test_environment(tmp_path):
    server = Server(tmp_path / "unused", admin=None, environment={"GODWIT_ADMIN": "admin:secret"})
    assert server.json("GET", "/_all_dbs") == SYSTEM_DATABASES
    server.stop()
    run = godwit("serve", "--data", str(tmp_path / "x"), env={**os.environ, "GODWIT_PORT": "many"})
    assert run.returncode == 2 and run.stderr.splitlines() == [
        "godwit: The value 'many' is invalid for 'GODWIT_PORT': a port must be a number from 0 to 65535.",
        "See 'godwit serve --help'."]
    run = godwit("serve", "--data", str(tmp_path / "x"), env={**os.environ, "GODWIT_LOG_LEVEL": "many"})
    assert run.returncode == 2 and "'many' is invalid for 'GODWIT_LOG_LEVEL': " in run.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("port", ["-1", "65536", "99999", "abc", "", "80.5", "--data"])
def test_a_port_that_cannot_be(port, tmp_path):
    run = godwit("serve", "--port", port, cwd=tmp_path)
    assert run.returncode == 2 and run.stdout == "" and run.stderr.splitlines() == [
        f"godwit: The value '{port}' is invalid for '--port <port>': a port must be a number from 0 to 65535.",
        "See 'godwit serve --help'."]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments, words, command", [
    (["strange"], "unknown command 'strange'", "godwit"),
    (["serv"], "unknown command 'serv'. Did you mean 'serve'?", "godwit"),
    (["repilcate", "a/b", "c/d"], "Did you mean 'replicate'?", "godwit"), (["exp"], "Did you mean 'export'?", "godwit"),
    (["key", "mak"], "Did you mean 'make'?", "godwit key"), (["x"], "unknown command 'x'", "godwit"),
    (["serve", "--strange"], "Unknown option '--strange'", "godwit serve"),
    (["serve", "--prot", "0"], "Did you mean '--port'?", "godwit serve"),
    (["serve", "serve"], "Unexpected argument 'serve'", "godwit serve"),
    (["serve", "--admin", "nameonly"], "--admin must be NAME:PASSWORD, neither of them empty.", "godwit serve"),
    (["serve", "--tls-key", "a"], "--tls-certificate and --tls-key must be used together.", "godwit serve"),
    (["backup", "a/b"], "Missing expected argument '<file>'", "godwit backup"),
    (["backup", "a", "b"], "DIR/name.", "godwit backup"), (["restore", "a", "b"], "DIR/name.", "godwit restore"),
    (["export", "a/b", "c"], "Specify the format of c with --format: jsonl, geojson, csv or gpx.", "godwit export"),
    (["doctor"], "Missing expected argument '<directory>'", "godwit doctor"),
])
def test_wrong_usage_is_told_with_where_to_read_on(arguments, words, command, tmp_path):
    run = godwit(*arguments, cwd=tmp_path)
    assert run.returncode == 2 and run.stdout == "" and not list(tmp_path.iterdir())
    told, pointer = run.stderr.splitlines()
    assert told.startswith("godwit: ") and told.endswith(words) and pointer == f"See '{command} --help'."


def test_help_and_version():
    assert "serve" in godwit("--help").stdout and "--data" in godwit("serve", "--help").stdout
    assert re.fullmatch(r"godwit \d+\.\d+\.\d+\n", godwit("--version").stdout)


def test_other_machines_and_no_tls_is_warned_of(tmp_path):
    for address, warns in [("0.0.0.0", True), ("127.0.0.1", False), ("localhost", False)]:
        process = subprocess.Popen(
            [GODWIT, "serve", "--data", str(tmp_path / address), "--port", "0", "--bind", address, "--admin", "admin:secret-1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "listening" in process.stdout.readline()
        process.terminate()
        _, complaints = process.communicate(timeout=10)
        assert ("without TLS" in complaints) == warns, complaints
