"""Feeds of some documents: by ids, by selectors and of design documents."""

import json
import threading
import time

import pytest

from feeds import END_SECONDS_MAX, KINDS, SHORT_MILLISECONDS, Database, db, shared


@pytest.mark.parametrize("kind", KINDS)
def test_document_ids(db, kind):
    for name in "abcd":
        db.put(name)
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}&filter=_doc_ids"
    assert db.ids(ends + '&doc_ids=["d","b","z"]') == ["b", "d"]
    assert db.ids(ends, method="POST", body={"doc_ids": ["d", "b", "z"]}) == ["b", "d"]
    assert db.ids(ends, method="POST", body={"doc_ids": []}) == []


@pytest.mark.parametrize("body", [{"doc_ids": "a"}, {"doc_ids": [1]}, {"doc_ids": {"a": 1}}, {}])
def test_wrong_document_ids(db, body):
    with db.feed("filter=_doc_ids", method="POST", body=body) as feed:
        assert feed.status == 400 and set(json.loads(feed.text())) == {"error", "reason"}


def test_longpoll_waits_for_what_its_filter_shows(db):
    db.put("old")
    answers = []
    query = "feed=longpoll&heartbeat=60000&filter=_doc_ids"
    with db.feed(query, method="POST", body={"doc_ids": ["wanted"]}) as feed:
        thread = threading.Thread(target=lambda: answers.append(feed.text()))
        thread.start()
        db.put("other")
        time.sleep(0.3)
        assert not answers
        db.put("wanted")
        thread.join(END_SECONDS_MAX)
    assert [row["id"] for row in json.loads(answers[0])["results"]] == ["wanted"]


DOCUMENTS = {
    "apple": {"kind": "fruit", "weight": 150, "tags": ["red", "sweet"], "from": {"land": "pl"}},
    "lemon": {"kind": "fruit", "weight": 100, "tags": ["yellow"], "from": {"land": "it"}},
    "nail": {"kind": "tool", "weight": 5, "tags": []},
    "note": {"text": "no kind"},
}
SELECTORS = [
    ({"kind": "fruit"}, ["apple", "lemon"]),
    ({"weight": {"$gt": 5, "$lte": 100}}, ["lemon"]),
    ({"kind": {"$exists": False}}, ["note"]),
    ({"$or": [{"kind": "tool"}, {"text": {"$exists": True}}]}, ["nail", "note"]),
    ({"$and": [{"kind": "fruit"}, {"weight": {"$ne": 100}}]}, ["apple"]),
    ({"$nor": [{"kind": "fruit"}, {"weight": 7}]}, ["nail"]),
    ({"kind": {"$not": {"$eq": "fruit"}}}, ["nail"]),
    ({"tags": {"$all": ["red", "sweet"]}}, ["apple"]),
    ({"tags": {"$elemMatch": {"$eq": "yellow"}}}, ["lemon"]),
    ({"tags": {"$size": 0}}, ["nail"]),
    ({"from.land": {"$in": ["pl", "de"]}}, ["apple"]),
    ({"from": {"land": "it"}}, ["lemon"]),
    ({"weight": {"$mod": [50, 0]}}, ["apple", "lemon"]),
    ({"text": {"$regex": "^no"}}, ["note"]),
    ({"text": {"$type": "string"}}, ["note"]),
    ({"_id": {"$gt": "m"}}, ["nail", "note"]),
    ({"_id": {"$beginsWith": "n"}}, ["nail", "note"]),
    ({}, ["apple", "lemon", "nail", "note"]),
]


@pytest.fixture(scope="module")
def larder(shared):
    db = Database(shared, "larder")
    for name, members in DOCUMENTS.items():
        db.put(name, **members)
    return db


@pytest.mark.parametrize("selector,expected", SELECTORS, ids=lambda value: json.dumps(value))
def test_selector(larder, selector, expected):
    assert larder.ids("filter=_selector", method="POST", body={"selector": selector}) == expected


def test_selector_in_live_feeds(db):
    db.put("before", kind="fruit")
    query = "feed=continuous&filter=_selector&include_docs=true&heartbeat=60000"
    with db.feed(query, method="POST", body={"selector": {"kind": "fruit"}}) as feed:
        assert feed.row()["id"] == "before"
        db.put("nail", kind="tool")
        revision = db.put("apple", kind="fruit", n=1)
        assert feed.row()["doc"] == {"_id": "apple", "_rev": revision, "kind": "fruit", "n": 1}


@pytest.mark.parametrize("body", [{}, {"selector": 7}, {"selector": {"a": {"$strange": 1}}}, {"selector": None}])
def test_wrong_selector(larder, body):
    with larder.feed("filter=_selector", method="POST", body=body) as feed:
        assert feed.status == 400 and set(json.loads(feed.text())) == {"error", "reason"}


@pytest.mark.parametrize("kind", KINDS)
def test_design_documents(db, kind):
    for name in ["a", "_design/x", "b", "_design/y", "_designed".replace("_", "z")]:
        db.put(name)
    assert db.ids(f"feed={kind}&filter=_design&timeout={SHORT_MILLISECONDS}") == ["_design/x", "_design/y"]
