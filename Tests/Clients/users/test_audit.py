"""The database `_audit`: logins, refusals and changes of rights of a server with applications."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from applications import APP, User, declare, soon
from conftest import Server
from disks import fill, small_disk


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("audit"))
    declare(server)
    yield server
    server.stop()


def events(site, name=None):
    # The database does not exist before the first event.
    answer = site.request("GET", "/_audit/_all_docs?include_docs=true").json()
    documents = [row["doc"] for row in answer.get("rows", [])]
    return [document for document in documents if name in (None, document["event"])]


def test_logins_failures_and_changes_of_rights_are_recorded_without_secrets(site):
    ann = User(site, "ann")
    assert ann.log_in(password="a wrong secret").status_code == 401
    site.json("PUT", f"{APP}/users/ann/roles", json=["editor"])
    assert ann.ask("GET", "/_users/_all_docs").status_code == 401
    site.json("PUT", "/_node/_local/_config/admins/bob", json="bob's secret")

    def whole():
        recorded = {event["event"]: event for event in events(site)}
        return recorded if {"login", "login failed", "roles changed", "administrator added"} <= set(recorded) else None

    recorded = soon(whole)
    login = next(event for event in events(site, "login") if event["name"] == "tracker/ann")
    assert login["method"] == "password" and login["address"] == "127.0.0.1"
    assert time.time() - 600 < int(login["_id"][:16]) / 1e6 < time.time() + 1
    assert recorded["login failed"]["name"] == "tracker/ann"
    change = recorded["roles changed"]
    assert (change["by"], change["method"], change["path"]) == ("admin", "PUT", f"{APP}/users/ann/roles")
    assert any(event["path"] == "/_users/_all_docs" and event["status"] == "401" and event.get("by") == "tracker/ann"
               for event in events(site, "access denied"))
    everything = site.request("GET", "/_audit/_all_docs?include_docs=true").text
    for secret in ("wrong secret", ann.password, "bob's secret", *ann.key[1:], ann.login["refresh_token"], ann.cookie):
        assert secret not in everything


def test_each_of_several_logins_at_the_same_time_is_recorded(site):
    site.json("PUT", "/_users/org.couchdb.user:lea", json={
        "name": "lea", "type": "user", "roles": [], "password": "a password"})
    login = {"name": "lea", "password": "a password"}
    with ThreadPoolExecutor(5) as pool:
        statuses = pool.map(lambda _: requests.post(f"{site.url}/_session", json=login, timeout=30).status_code, range(5))
    assert list(statuses) == [200] * 5
    assert soon(lambda: sum(event["name"] == "lea" for event in events(site, "login")) == 5)


def test_only_administrators_read_it(site):
    eve = User(site, "eve")
    for method, path in [("GET", "/_audit/_all_docs"), ("GET", "/_audit"), ("PUT", "/_audit/x")]:
        assert eve.ask(method, path, json={}).status_code in (401, 403)
        assert requests.request(method, site.url + path, json={}, timeout=30).status_code == 401


def test_a_stranger_cannot_fill_it(site):
    for number in range(200):
        requests.get(f"{site.url}/_users/{number}", timeout=30)
    # The number of the omitted events is recorded with the next event.
    User(site, "mia")
    assert soon(lambda: sum(event["count"] for event in events(site, "events omitted")) >= 100)
    denied = [event for event in events(site, "access denied") if event["path"].startswith("/_users/")]
    # A new minute may have begun in between.
    assert 1 <= len(denied) <= 65


def test_old_and_excessive_events_are_removed_at_a_start(tmp_path):
    server = Server(tmp_path / "data")
    declare(server)
    User(server, "ann")
    soon(lambda: events(server, "login"))
    old = [f"{int((time.time() - 91 * 86_400) * 1e6) + number:016}-0" for number in range(700)]
    young = [f"{int((time.time() - 86_400) * 1e6) + number:016}-0" for number in range(200)]
    docs = [{"_id": id, "event": "made"} for id in old + young]
    server.json("POST", "/_audit/_bulk_docs", json={"docs": docs})
    server.json("PUT", "/_node/_local/_config/audit/events_max", json="120")
    server.stop()
    server.start()
    soon(lambda: server.json("GET", "/_audit")["doc_count"] <= 120)
    kept = [event["_id"] for event in events(server, "made")]
    assert kept == young[-len(kept):] and len(kept) > 60
    # Removed events leave nothing behind.
    assert server.json("GET", "/_audit")["doc_del_count"] == 0
    server.stop()


def test_the_setting_decides_when_events_are_recorded(tmp_path):
    server = Server(tmp_path / "data")
    requests.get(server.url + "/_users/_all_docs", timeout=30)
    time.sleep(1)
    assert "_audit" not in server.json("GET", "/_all_dbs")
    server.json("PUT", "/_node/_local/_config/audit/record", json="always")
    requests.get(server.url + "/_users/_all_docs", timeout=30)
    soon(lambda: "_audit" in server.json("GET", "/_all_dbs") and events(server, "access denied"))
    server.json("PUT", "/_node/_local/_config/audit/record", json="never")
    declare(server)
    time.sleep(1)
    count = server.json("GET", "/_audit")["doc_count"]
    User(server, "ann")
    time.sleep(1)
    assert server.json("GET", "/_audit")["doc_count"] == count
    assert server.request("PUT", "/_node/_local/_config/audit/record", json="often").status_code == 400
    server.stop()


def test_events_of_the_last_moment_are_written_at_a_stop(tmp_path):
    server = Server(tmp_path / "data")
    declare(server)
    User(server, "late")
    server.stop()
    server.start()
    assert any(event["name"] == "tracker/late" for event in events(server, "login"))
    server.stop()


def test_each_login_that_begins_a_session_is_recorded(site):
    site.json("PUT", "/_users/org.couchdb.user:zoe", json={"name": "zoe", "type": "user", "roles": [], "password": "a long password"})

    def recorded():
        return [event for event in events(site, "login") if event["name"] == "zoe"]

    for count in range(1, 4):
        route = "/_session" if count < 3 else "/_utils/session"
        answer = requests.post(site.url + route, json={"name": "zoe", "password": "a long password"}, timeout=30)
        assert answer.ok, answer.text
        soon(lambda: len(recorded()) == count)


def test_events_of_a_time_with_a_full_disk_are_recorded_afterwards(small_disk):
    server = Server(small_disk / "data")
    declare(server)
    User(server, "ann")
    soon(lambda: events(server, "login"))
    fill(small_disk)
    paths = [f"/_users/{number}{'x' * 200}" for number in range(25)]
    for path in paths:
        assert requests.get(server.url + path, timeout=30).status_code == 401
    time.sleep(1)
    (small_disk / "filler").unlink()
    assert soon(lambda: set(paths) <= {event["path"] for event in events(server, "access denied")})
    # Without this, the test did not fill the disk early enough.
    assert "security events cannot be written" in server.stop()
