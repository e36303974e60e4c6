"""The start of a feed, and the number of its rows."""

import json

import pytest

from feeds import KINDS, SHORT_MILLISECONDS, db, shared


@pytest.mark.parametrize("kind", KINDS)
def test_since(db, kind):
    for name in "abcde":
        db.put(name)
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}"
    rows = db.changes()["results"]
    assert db.ids(ends) == db.ids(f"{ends}&since=0") == ["a", "b", "c", "d", "e"]
    assert db.ids(f"{ends}&since={rows[2]['seq']}") == ["d", "e"]
    assert db.ids(f"{ends}&since=3") == ["d", "e"], "a bare number is a place too"
    assert db.ids(f"{ends}&since=now") == []
    assert db.ids(f"{ends}&limit=2") == ["a", "b"]
    assert db.ids(f"{ends}&limit=0") == []


@pytest.mark.parametrize("kind", KINDS[1:])
def test_since_now_shows_what_comes_after(db, kind):
    db.put("before")
    with db.feed(f"feed={kind}&since=now&heartbeat=60000&limit=1") as feed:
        db.put("after")
        assert "after" in (text := feed.text()) and "before" not in text


def test_descending(db):
    for name in "abcd":
        db.put(name)
    newest = db.changes()["last_seq"]
    feed = db.changes("descending=true")
    assert [row["id"] for row in feed["results"]] == ["d", "c", "b", "a"]
    assert feed["results"][0]["seq"] == newest
    assert db.ids("descending=true&limit=2") == ["d", "c"]
    assert db.ids("descending=true&filter=_doc_ids&doc_ids=[\"a\",\"c\"]") == ["c", "a"]
    with db.feed(f"feed=longpoll&descending=true&timeout={SHORT_MILLISECONDS}") as feed:
        assert [row["id"] for row in json.loads(feed.text())["results"]] == ["d", "c", "b", "a"]


def test_sequence_interval(db):
    for number in range(12):
        db.put(f"{number:02}")
    everything = [row["seq"] for row in db.changes()["results"]]
    for interval in [1, 3, 4]:
        feed = db.changes(f"seq_interval={interval}")
        given = {row["id"]: row["seq"] for row in feed["results"] if row["seq"] is not None}
        assert len(feed["results"]) == 12 and len(given) == 12 // interval
        assert feed["last_seq"] == everything[-1]
        assert all(place == everything[int(name)] for name, place in given.items())


@pytest.mark.parametrize("interval", [
    "0",
    "-1", "x"])
def test_wrong_sequence_interval(db, interval):
    with db.feed(f"seq_interval={interval}") as feed:
        assert feed.status == 400, feed.text()


@pytest.mark.parametrize("heartbeat", ["0", "-1", "x"])
def test_wrong_heartbeat(db, heartbeat):
    """CouchDB: "The heartbeat value should be a positive integer (in milliseconds)."."""
    with db.feed(f"feed=continuous&limit=1&heartbeat={heartbeat}&timeout=1") as feed:
        assert feed.status == 400


def test_each_document_is_in_a_feed_once(db):
    for turn in range(3):
        for name in "ab":
            query = "" if turn == 0 else f"?rev={last[name]}"
            saved = db.server.json("PUT", f"/{db.name}/{name}{query}", json={"turn": turn})
            last = {**(last if turn or name == "b" else {}), name: saved["rev"]}
    feed = db.changes()["results"]
    assert [(row["id"], row["changes"][0]["rev"]) for row in feed] == [("a", last["a"]), ("b", last["b"])]


def test_a_selector_tests_each_leaf(db):
    """Issue 55, 2: with all leaves, those are listed that match by themselves; without, the winner decides, as in CouchDB."""
    docs = [{"_id": "two", "_rev": "1-a", "k": "loser"}, {"_id": "two", "_rev": "1-b", "k": "winner"}]
    db.server.json("POST", f"/{db.name}/_bulk_docs", json={"new_edits": False, "docs": docs})

    def leaves(k, style):
        answer = db.server.json("POST", f"/{db.name}/_changes?filter=_selector&style={style}", json={"selector": {"k": k}})
        return [change["rev"] for row in answer["results"] for change in row["changes"]]

    assert leaves("winner", "all_docs") == ["1-b"] and leaves("loser", "all_docs") == ["1-a"]
    assert leaves("winner", "main_only") == ["1-b"] and leaves("loser", "main_only") == []
