"""Functions of design documents as filters of feeds."""

import json
import threading
import time

import pytest

from feeds import END_SECONDS_MAX, KINDS, SHORT_MILLISECONDS, db, shared

DESIGN = {
    "filters": {
        "even": "function (doc, req) { return doc.n % 2 === 0; }",
        "named": "function (doc, req) { return doc._id === req.query.name; }",
        "posted": "function (doc, req) { return JSON.parse(req.body).names.indexOf(doc._id) >= 0; }",
        "live": "function (doc) { return !doc._deleted; }",
        "mine": "function (doc, req) { return doc.owner === req.userCtx.name; }",
        "history": "function (doc) { return doc._revisions.start === 2; }",
        "throws": "function (doc) { if (doc.n === 3) throw new Error('three'); return true; }",
        "broken": "function (doc) {",
        "module": "function (doc) { return require('lib/rule').fits(doc); }",
    },
    "lib": {"rule": "exports.fits = function (doc) { return doc.n > 7; };"},
    "views": {"odd": {"map": "function (doc) { if (doc.n % 2) emit(doc.n, null); }"},
              "many": {"map": "function (doc) { for (var i = 0; i < doc.n; i++) emit(i, i); }"}},
}


@pytest.fixture
def filled(db):
    db.server.json("PUT", f"/{db.name}/_design/f", json=DESIGN)
    for n in range(10):
        db.put(f"d{n}", n=n, owner="admin" if n < 3 else "else")
    return db


@pytest.mark.parametrize("kind", KINDS)
def test_functions(filled, kind):
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}"
    assert filled.ids(f"{ends}&filter=f/even") == ["d0", "d2", "d4", "d6", "d8"]
    assert filled.ids(f"{ends}&filter=f/named&name=d4") == ["d4"]
    assert filled.ids(f"{ends}&filter=f/mine") == ["d0", "d1", "d2"]
    assert filled.ids(f"{ends}&filter=f/module") == ["d8", "d9"]
    assert filled.ids(f"{ends}&filter=_view&view=f/odd") == ["d1", "d3", "d5", "d7", "d9"]
    assert filled.ids(f"{ends}&filter=_view&view=f/many") == [f"d{n}" for n in range(1, 10)]


@pytest.mark.parametrize("kind", KINDS)
def test_posted(filled, kind):
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}&filter=f/posted"
    assert filled.ids(ends, method="POST", body={"names": ["d3", "d7"]}) == ["d3", "d7"]


def test_limits_and_order(filled):
    assert filled.ids("filter=f/even&limit=2") == ["d0", "d2"]
    assert filled.ids("filter=f/even&descending=true&limit=2") == ["d8", "d6"]
    first = filled.changes("filter=f/even&limit=2")
    assert filled.ids(f"filter=f/even&since={first['last_seq']}") == ["d4", "d6", "d8"]
    row = filled.changes("filter=f/named&name=d4&include_docs=true")["results"][0]
    assert row["doc"]["n"] == 4 and "_revisions" not in row["doc"]


def test_deletions_and_histories(filled):
    revision = filled.put("gone")
    filled.server.json("DELETE", f"/{filled.name}/gone?rev={revision}")
    assert "gone" not in filled.ids("filter=f/live")
    assert filled.ids("filter=f/history") == ["gone"]


def test_all_leaves(filled):
    filled.server.json("POST", f"/{filled.name}/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "c", "_rev": "1-a", "n": 4}, {"_id": "c", "_rev": "1-b", "n": 5}]})
    assert "c" not in filled.ids("filter=f/even")
    rows = filled.changes("filter=f/even&style=all_docs")["results"]
    row = next(row for row in rows if row["id"] == "c")
    assert [change["rev"] for change in row["changes"]] == ["1-a"]


@pytest.mark.parametrize("kind", ["longpoll", "continuous", "eventsource"])
def test_a_feed_waits_for_what_its_function_shows(db, kind):
    db.server.json("PUT", f"/{db.name}/_design/f", json=DESIGN)
    since = db.changes()["last_seq"]
    told = []
    with db.feed(f"feed={kind}&heartbeat=60000&since={since}&filter=f/even") as feed:
        assert feed.status == 200

        def listen():
            if kind == "longpoll":
                told.append(json.loads(feed.text())["results"][0])
            elif kind == "eventsource":
                told.append(feed.change()[0])
            else:
                told.append(feed.row())

        thread = threading.Thread(target=listen)
        thread.start()
        db.put("odd", n=1)
        time.sleep(0.3)
        assert not told
        db.put("even", n=2)
        thread.join(END_SECONDS_MAX)
    assert told[0]["id"] == "even"


@pytest.mark.parametrize("query, status, error", [
    ("filter=f/none", 404, "not_found"), ("filter=none/x", 404, "not_found"), ("filter=nothing", 400, "bad_request"),
    ("filter=f/", 400, "bad_request"), ("filter=_view", 400, "bad_request"), ("filter=_view&view=x", 400, "bad_request"),
    ("filter=_view&view=f/none", 404, "not_found"), ("filter=f/broken", 500, "compilation_error"),
    ("filter=f/throws", 500, None)])
def test_errors(filled, query, status, error):
    for kind in ["normal", "longpoll"]:
        answer = filled.server.request("GET", f"/{filled.name}/_changes?{query}&feed={kind}&timeout=1000")
        assert answer.status_code == status, answer.text
        assert error is None or answer.json()["error"] == error


def test_many_documents(db):
    """This needs more than one call of the function."""
    db.server.json("PUT", f"/{db.name}/_design/f", json=DESIGN)
    db.server.json("POST", f"/{db.name}/_bulk_docs", json={"docs": [{"_id": f"{n:05}", "n": n} for n in range(5_000)]})
    assert db.ids("filter=f/even") == [f"{n:05}" for n in range(0, 5_000, 2)]
    assert db.ids("filter=f/named&name=04999") == ["04999"]


def test_replications(filled):
    """A function of the source selects the replicated documents, with a local source or a server."""
    server = filled.server
    for source in [filled.name, server.database(filled.name)]:
        target = f"{filled.name}-copy"
        report = server.json("POST", "/_replicate", json={
            "source": source, "target": target, "create_target": True, "filter": "f/named",
            "query_params": {"name": "d4"}})
        assert report["ok"] and report["history"][0]["docs_written"] == 1
        assert [row["id"] for row in server.json("GET", f"/{target}/_all_docs")["rows"]] == ["d4"]
        report = server.json("POST", "/_replicate", json={
            "source": source, "target": target, "filter": "_view", "query_params": {"view": "f/odd"}})
        assert report["ok"] and report["history"][0]["docs_written"] == 5
        server.json("DELETE", f"/{target}")


def test_replications_begin_anew_when_their_function_changes(server):
    server.json("PUT", "/source")
    server.json("POST", "/source/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n} for n in range(4)]})
    rev = {}
    for source in ["source", server.database("source")]:
        server.json("PUT", "/target")
        for limit, expected in [(2, ["d0", "d1"]), (4, ["d0", "d1", "d2", "d3"])]:
            written = server.json("PUT", "/source/_design/f", json={
                **rev, "filters": {"low": f"function (doc) {{ return doc.n < {limit}; }}"}})
            rev = {"_rev": written["rev"]}
            for _ in range(2):
                server.json("POST", "/_replicate", json={"source": source, "target": "target", "filter": "f/low"})
                assert [row["id"] for row in server.json("GET", "/target/_all_docs")["rows"]] == expected
        server.json("DELETE", "/target")
