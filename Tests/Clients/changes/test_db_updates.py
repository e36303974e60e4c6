"""`_db_updates`: the feed of databases."""

import json

import pytest

from conftest import eventually
from feeds import ENDLESS, SHORT_MILLISECONDS, db, shared
from raw import Feed


def updates(server, query):
    return Feed(server, f"/_db_updates?{query}")


def test_updates_at_once(db):
    with updates(db.server, "") as feed:
        answer = json.loads(feed.text())
    rows = [row for row in answer["results"] if row["db_name"] == db.name]
    assert rows == [{"db_name": db.name, "type": "created", "seq": rows[0]["seq"]}]
    with updates(db.server, f"since={answer['last_seq']}") as feed:
        assert json.loads(feed.text())["results"] == []
    with updates(db.server, "limit=1") as feed:
        assert len(json.loads(feed.text())["results"]) == 1


def test_updates_by_longpoll(other):
    other.json("PUT", "/db")
    # The feed shows the design document of a new `_users` a moment after the start.
    eventually(lambda: [row for row in other.json("GET", "/_db_updates")["results"]
                        if (row["db_name"], row["type"]) == ("_users", "updated")])
    with updates(other, "feed=longpoll&since=now&heartbeat=60000") as feed:
        other.json("PUT", "/db/a", json={})
        answer = json.loads(feed.text())
    assert answer["results"] == [{"db_name": "db", "type": "updated", "seq": answer["last_seq"]}]
    with updates(other, f"feed=longpoll&since=now&timeout={SHORT_MILLISECONDS}") as feed:
        assert json.loads(feed.text())["results"] == []


def test_last_update_of_a_deleted_database_tells_so(other):
    other.json("PUT", "/db")
    other.json("PUT", "/db/a", json={})
    other.json("DELETE", "/db")
    other.json("PUT", "/marker")
    with updates(other, "feed=continuous&timeout=2000") as feed:
        rows = [row for row in feed.rows() if row.get("db_name") == "db"]
    assert rows[-1]["type"] == "deleted", rows


@pytest.mark.parametrize("kind", ENDLESS)
def test_updates_as_they_come(db, kind):
    name = f"{db.name}-made"
    with updates(db.server, f"feed={kind}&since=now&heartbeat=60000") as feed:
        read = feed.row if kind == "continuous" else lambda: feed.change()[0]
        db.server.json("PUT", f"/{name}")
        created = read()
        db.server.json("PUT", f"/{name}/a", json={})
        updated = read()
        db.server.json("DELETE", f"/{name}")
        deleted = read()
    assert [(row["db_name"], row["type"]) for row in [created, updated, deleted]] == [
        (name, "created"), (name, "updated"), (name, "deleted")]


def test_updates_heartbeats_limit_and_timeout(db):
    with updates(db.server, "feed=continuous&since=now&heartbeat=100") as feed:
        assert [feed.line() for _ in range(3)] == [""] * 3
    with updates(db.server, f"feed=continuous&since=now&timeout={SHORT_MILLISECONDS}") as feed:
        assert [list(row) for row in feed.rows()] == [["last_seq"]]
    with updates(db.server, "feed=continuous&limit=2&heartbeat=60000") as feed:
        assert [list(row)[0] for row in feed.rows()] == ["db_name", "db_name", "last_seq"]
    with updates(db.server, "feed=eventsource&since=now&heartbeat=100") as feed:
        assert feed.event() == {"event": "heartbeat", "data": ""}
