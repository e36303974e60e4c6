"""Revoked rights end open feeds, queries and replications within a second (issue 21, number 7)."""

import contextlib
import threading
import time

import pytest
import requests

from applications import User, declare
from conftest import Server

PASSWORD = "a password of nobody else"
# The issue requires a second; a busy machine may need longer.
ENDS_SECONDS_MAX = 10


def add_user(server, name, roles=()):
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    path = f"/_users/org.couchdb.user:{name}"
    known = server.request("GET", path)
    revision = {"_rev": known.json()["_rev"]} if known.ok else {}
    server.json("PUT", path, json={
        "name": name, "password": PASSWORD, "type": "user", "roles": list(roles), **revision})


def remove_user(server, name):
    path = f"/_users/org.couchdb.user:{name}"
    server.json("DELETE", path, params={"rev": server.json("GET", path)["_rev"]})


class Feed:
    """A continuous feed that is read until it ends."""

    def __init__(self, server, path="/db/_changes?feed=continuous&heartbeat=100", login=None, cookie=None):
        self.answer = requests.get(
            server.url + path, auth=login, cookies={"AuthSession": cookie} if cookie else None, stream=True, timeout=60)
        assert self.answer.status_code == 200, self.answer.text
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        with contextlib.suppress(Exception):
            for _ in self.answer.iter_content(1):
                pass
        self.ended.set()

    def ends(self, seconds=ENDS_SECONDS_MAX):
        return self.ended.wait(seconds)


def cookie(server, name):
    answer = requests.post(f"{server.url}/_session", json={"name": name, "password": PASSWORD}, timeout=30)
    assert answer.ok, answer.text
    return answer.cookies["AuthSession"]


def prepared(server, members):
    server.json("PUT", "/db")
    server.json("PUT", "/db/_security", json={"members": members})


@pytest.mark.parametrize("way", ["basic", "cookie"])
def test_a_feed_ends_when_its_user_leaves_the_security_object(server, way):
    add_user(server, "ann")
    add_user(server, "bob")
    prepared(server, {"names": ["ann", "bob"]})
    feeds = {name: Feed(server, login=(name, PASSWORD)) if way == "basic" else Feed(server, cookie=cookie(server, name))
             for name in ("ann", "bob")}
    server.json("PUT", "/db/_security", json={"members": {"names": ["bob"]}})
    assert feeds["ann"].ends()
    assert not feeds["bob"].ends(1)


def test_a_feed_ends_when_its_user_is_deleted(server):
    add_user(server, "ann")
    prepared(server, {"names": ["ann"]})
    feed = Feed(server, login=("ann", PASSWORD))
    remove_user(server, "ann")
    assert feed.ends()


def test_a_feed_ends_when_its_user_loses_the_role(server):
    add_user(server, "ann", ["readers"])
    prepared(server, {"roles": ["readers"]})
    feed = Feed(server, login=("ann", PASSWORD))
    add_user(server, "ann", ["others"])
    assert feed.ends()


def test_a_live_query_ends_when_its_user_leaves_the_security_object(server):
    add_user(server, "ann")
    prepared(server, {"names": ["ann"]})
    feed = Feed(server, "/db/_find?feed=eventsource&heartbeat=100&query=%7B%22selector%22%3A%7B%7D%7D", ("ann", PASSWORD))
    server.json("PUT", "/db/_security", json={"members": {"names": ["bob"]}})
    assert feed.ends()


def test_a_feed_and_a_replication_of_an_administrator_who_was_removed_end(server):
    server.json("PUT", "/_node/_local/_config/admins/second", json=PASSWORD)
    prepared(server, {"names": ["nobody in particular"]})
    server.json("PUT", "/copy")
    second = ("second", PASSWORD)
    started = requests.post(f"{server.url}/_replicate", auth=second, timeout=30, json={
        "source": "db", "target": "copy", "continuous": True})
    assert started.status_code == 202, started.text
    feed = Feed(server, login=second)
    server.json("PUT", "/db/before", json={})
    wait_until(lambda: server.request("GET", "/copy/before").status_code == 200)
    server.json("DELETE", "/_node/_local/_config/admins/second")
    assert feed.ends()
    wait_until(lambda: not any(
        task.get("type") == "replication" for task in server.json("GET", "/_active_tasks")) or is_crashing(server))
    server.json("PUT", "/db/after", json={})
    time.sleep(2)
    assert server.request("GET", "/copy/after").status_code == 404


def is_crashing(server):
    jobs = server.json("GET", "/_scheduler/jobs")["jobs"]
    return all(job["history"][0]["type"] == "crashed" for job in jobs)


def wait_until(happened, seconds=30):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_administrator_sees_open_feeds_and_ends_one(server):
    add_user(server, "ann")
    prepared(server, {"names": ["ann"]})
    feeds = [Feed(server, path=f"/db/_changes?feed=continuous&heartbeat=100&since=0&key=a-secret-{number}", login=("ann", PASSWORD))
             for number in range(2)]
    listed = server.json("GET", "/_godwit/requests")
    assert listed["total"] >= 2 and "a-secret" not in str(listed)
    own = [entry for entry in listed["requests"] if entry["user"] == "ann"]
    assert [(entry["method"], entry["path"], entry["address"]) for entry in own] == [("GET", "/db/_changes", "127.0.0.1")] * 2
    server.json("DELETE", f"/_godwit/requests/{own[0]['id']}")
    assert feeds[0].ends()
    assert not feeds[1].ends(1)
    assert server.request("DELETE", f"/_godwit/requests/{own[0]['id']}").status_code == 404
    for number in ["x", "-1", "99999999999999999999999"]:
        assert server.request("DELETE", f"/_godwit/requests/{number}").status_code == 404
    assert requests.get(server.url + "/_godwit/requests", auth=("ann", PASSWORD), timeout=30).status_code == 401
    # All sessions of the cookie end with the secret that signs them.
    session = cookie(server, "ann")
    server.json("PUT", "/_node/_local/_config/chttpd_auth/secret", json="")
    answer = requests.get(server.url + "/_session", cookies={"AuthSession": session}, timeout=30)
    assert answer.status_code >= 400 or answer.json()["userCtx"]["name"] is None


def test_requests_end_with_the_accounts_of_an_application_and_its_log_stays_short(tmp_path):
    log = tmp_path / "log"
    server = Server(tmp_path / "data", arguments=["--log-file", str(log)])
    declare(server)

    def feed(user):
        return Feed(server, f"/{user.database}/_changes?feed=continuous&heartbeat=100", login=user.key)

    ann = feed(User(server, "ann"))
    server.json("DELETE", "/lt_users")
    assert ann.ends()
    # The server looks for the database each second.
    time.sleep(3)
    assert "the changes of accounts" not in log.read_text()
    # The accounts of a new database are followed as those of the first.
    declare(server)
    bob = feed(User(server, "bob"))
    server.json("DELETE", "/lt_users/bob", params={"rev": server.json("GET", "/lt_users/bob")["_rev"]})
    assert bob.ends()
    server.stop()
