"""The server's logs: audit events, a line for each request if enabled, JSON, files that are reopened (issue 21)."""

import json
import os
import signal
import time

import pytest
import requests

from conftest import Server, godwit


@pytest.fixture
def logging(tmp_path):
    servers = []

    def start(*arguments):
        servers.append(Server(tmp_path / "data", arguments=arguments))
        servers[-1].json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def wait_for_lines(path, wanted, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        lines = path.read_text().splitlines() if path.exists() else []
        if wanted(lines):
            return lines
        assert time.monotonic() < deadline, lines
        time.sleep(0.05)


def test_a_name_cannot_imitate_further_values_of_a_line(logging):
    server = logging()
    for name in ("ann by=admin status=200", 'b"', "eve"):
        assert requests.get(f"{server.url}/_all_dbs", auth=(name, "x"), timeout=30).status_code == 401
    lines = [line for line in server.stop().splitlines() if "login failed" in line]
    for line, value in zip(lines, ['"ann by=admin status=200"', r'"b\""', "eve"], strict=True):
        assert f" name={value} " in f"{line} ", line


def test_a_lockout_a_refusal_and_a_new_administrator_are_a_line_each(logging):
    """Each of these events is logged as one line."""
    server = logging()
    for _ in range(5):
        assert requests.get(f"{server.url}/_all_dbs", auth=("ann", "a secret word"), timeout=30).status_code == 401
    assert requests.get(f"{server.url}/_all_dbs", timeout=30).status_code == 401
    server.json("PUT", "/_node/_local/_config/admins/second", json="another secret word")
    server.json("DELETE", "/_node/_local/_config/admins/second")
    log = server.stop()
    lines = log.splitlines()

    def named(words):
        return [line for line in lines if words in line]

    assert len(named("login failed")) == 5 and "name=ann" in named("login failed")[0]
    assert len(named("account locked for an address")) == 1
    assert any("path=/_all_dbs" in line and "status=401" in line for line in named("access denied"))
    assert len(named("administrator added")) == 1 and "by=admin" in named("administrator added")[0]
    assert len(named("administrator removed")) == 1
    assert "secret word" not in log


def test_who_changes_rights_and_accounts_is_in_a_line(logging, tmp_path):
    declaration = tmp_path / "notes.json"
    declaration.write_text(json.dumps({"id": "notes", "registration": "open"}))
    server = logging("--application", str(declaration), "--log-format", "json")
    server.json("PUT", "/db")
    server.json("PUT", "/db/_security", json={"members": {"names": ["ann"]}})
    server.json("PUT", "/_api/v2/db/db/_security", json={"couchdb_auth_only": True})
    server.json("POST", "/_api/v2/api_keys")
    server.json("PUT", "/_users/org.couchdb.user:ann", json={
        "name": "ann", "type": "user", "roles": [], "password": "a secret word"})
    user = {"name": "bob", "type": "user", "roles": [], "password": "a secret word", "_id": "org.couchdb.user:bob"}
    server.json("POST", "/_users/_bulk_docs", json={"docs": [user]})
    registered = requests.put(
        f"{server.url}/_apps/notes/users/cid", json={"password": "a secret word"}, timeout=30)
    assert registered.status_code == 201, registered.text
    server.json("PUT", "/_apps/notes/users/cid/blocked", json=True)
    refused = requests.put(f"{server.url}/db/_security", json={}, timeout=30)
    assert refused.status_code == 401
    lines = [json.loads(line) for line in server.stop().splitlines() if line.startswith("{")]

    def events(path):
        return [(line["message"], line["by"]) for line in lines if line.get("path") == path]

    assert events("/db/_security") == [("security object changed", "admin"), ("access denied", "")]
    assert events("/_api/v2/db/db/_security") == [("security object changed", "admin")]
    assert events("/_api/v2/api_keys") == [("API key created", "admin")]
    assert events("/_users/org.couchdb.user:ann") == [("accounts written", "admin")]
    assert events("/_users/_bulk_docs") == [("accounts written", "admin")]
    assert events("/_apps/notes/users/cid") == [("account registered", "")]
    assert events("/_apps/notes/users/cid/blocked") == [("account blocked or unblocked", "admin")]
    assert refused.headers["X-Couch-Request-ID"] in {line.get("id") for line in lines}
    assert all(line["address"] == "127.0.0.1" for line in lines if "by" in line and "path" in line)
    assert "secret word" not in json.dumps(lines)


def test_a_replication_and_a_slow_query_are_lines_without_values(logging):
    server = logging()
    server.json("PUT", "/_node/_local/_config/log/slow_query_milliseconds", json="0")
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"city": "a secret word"})
    server.json("POST", "/db/_find?password=a-secret", json={"selector": {"city": "a secret word"}})
    listed = server.json("GET", "/_godwit/slow")
    assert listed["milliseconds"] == 0 and len(listed["requests"]) == 1
    assert {name: listed["requests"][0][name] for name in ("method", "path", "status", "user")} == {
        "method": "POST", "path": "/db/_find", "status": 200, "user": "admin"}
    server.json("POST", "/_replicate", json={"source": "db", "target": "copy", "create_target": True})
    log = server.stop()
    slow = [line for line in log.splitlines() if "slow query" in line]
    assert len(slow) == 1 and "fields=city" in slow[0] and "database=db" in slow[0]
    assert "replication started" in log and "replication ended" in log
    assert "secret word" not in log


def test_the_access_log_has_a_line_for_each_request_and_is_reopened(logging, tmp_path):
    path, moved = tmp_path / "access.log", tmp_path / "access.log.1"
    server = logging("--access-log", str(path), "--log-format", "json")
    server.json("PUT", "/db")
    server.request("GET", "/db/nothing?token=a-secret-word")
    lines = wait_for_lines(path, lambda lines: any("/db/nothing" in line for line in lines))
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    last = json.loads(lines[-1])
    assert (last["method"], last["path"], last["status"], last["user"]) == ("GET", "/db/nothing", "404", "admin")
    assert last["address"] == "127.0.0.1" and int(last["milliseconds"]) >= 0 and last["id"]
    assert "secret-word" not in path.read_text()
    os.rename(path, moved)
    server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
        server.request("GET", "/_up")
        time.sleep(0.05)
    server.request("GET", "/db/later")
    wait_for_lines(path, lambda lines: any("/db/later" in line for line in lines))


def test_the_log_goes_to_a_file_from_a_level_on(logging, tmp_path):
    path = tmp_path / "server.log"
    server = logging("--log-file", str(path), "--log-level", "info", "--log-format", "json")
    requests.post(f"{server.url}/_session", json={"name": "admin", "password": "secret"}, timeout=30)
    lines = wait_for_lines(path, lambda lines: any('"login"' in line for line in lines))
    assert all(json.loads(line)["level"] for line in lines)
    assert "godwit" in {json.loads(line)["log"] for line in lines}


@pytest.mark.parametrize("arguments", [["--log-level", "loud"], ["--log-format", "xml"]])
def test_wrong_words_are_wrong_usage(tmp_path, arguments):
    answer = godwit("serve", "--data", str(tmp_path / "data"), *arguments)
    assert answer.returncode == 2
    assert "one of" in answer.stderr or "text or json" in answer.stderr


def test_a_log_that_cannot_be_opened_is_told(tmp_path):
    answer = godwit("serve", "--data", str(tmp_path / "data"), "--port", "0", "--log-file", str(tmp_path))
    assert answer.returncode == 1 and "cannot be opened" in answer.stderr
