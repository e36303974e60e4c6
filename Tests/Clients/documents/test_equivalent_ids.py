"""Ids, attachments and members that Unicode calls canonically equivalent are different texts: nothing merges or loses one of a pair."""

import base64
import json
import unicodedata

import pytest

from conftest import godwit
from consoles import chromium, console

# The same text in two forms for a reader; the pairs of composed letters, signs, Hangul, and marks in two orders.
PAIRS = [("\u00e9", "e\u0301"), ("\u00c5", "\u212b"), ("\u1ec7", "e\u0323\u0302"), ("\uac00", "\u1100\u1161"), ("a;b", "a\u037eb"),
         ("\u2260x", "=\u0338x"), ("q\u0323\u0307", "q\u0307\u0323"), ("\u1e9b\u0323", "\u017f\u0323\u0307")]
NAMES = [name for pair in PAIRS for name in pair]


def test_the_pairs_are_pairs():
    assert len(set(NAMES)) == len(NAMES)
    for first, second in PAIRS:
        assert unicodedata.normalize("NFD", first) == unicodedata.normalize("NFD", second)


def document(name):
    """A document whose id, member, attachments and revision say which one it is."""
    data = {text: {"data": base64.b64encode(text.encode()).decode(), "content_type": "text/plain"} for text in NAMES}
    return {"_id": name, "own": name, **{text: text for text in NAMES}, "list": NAMES, "_attachments": data}


@pytest.fixture
def filled(server):
    server.json("PUT", "/pairs")
    rows = server.json("POST", "/pairs/_bulk_docs", json={"docs": [document(name) for name in NAMES]})
    assert all(row["ok"] for row in rows)
    return server


def ids(server, database):
    return {row["id"] for row in server.json("GET", f"/{database}/_all_docs")["rows"]}


def is_whole(server, database):
    """Every document is there with each of its members and attachments."""
    for name in NAMES:
        found = server.json("POST", f"/{database}/_bulk_get?attachments=true", json={"docs": [{"id": name}]})["results"][0]["docs"][0]["ok"]
        assert found["own"] == name and all(found[text] == text for text in NAMES)
        assert {text: base64.b64decode(item["data"]).decode() for text, item in found["_attachments"].items()} == {text: text for text in NAMES}


def test_differences_of_revisions(filled):
    asked = {name: [f"1-{number:032x}"] for number, name in enumerate(NAMES)}
    for route in ("_revs_diff", "_missing_revs"):
        answer = filled.json("POST", f"/pairs/{route}", json=asked)
        assert set(answer.get("missing_revs", answer)) == set(NAMES), route
    revisions = {row["id"]: [row["value"]["rev"]] for row in filled.json("GET", "/pairs/_all_docs")["rows"]}
    assert filled.json("POST", "/pairs/_revs_diff", json=revisions) == {}


@pytest.mark.parametrize("runner", ["request", "command", "directory"])
def test_replication(filled, tmp_path, runner):
    if runner == "request":
        assert filled.json("POST", "/_replicate", json={"source": "pairs", "target": "copy", "create_target": True})["ok"]
    else:
        filled.json("PUT", "/copy")
        places = [filled.database("pairs"), filled.database("copy")]
        if runner == "directory":
            places[1:1] = [str(tmp_path / "local" / "pairs")]
        for source, target in zip(places, places[1:]):
            run = godwit("replicate", "--create-target", source, target)
            assert run.returncode == 0, run.stderr
    assert ids(filled, "copy") == set(NAMES)
    is_whole(filled, "copy")


def test_import(server, tmp_path):
    lines = [{key: value for key, value in document(name).items() if key != "_attachments"} for name in NAMES]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = godwit("import", tmp_path / "pairs.jsonl", server.database("pairs"), "--create-target")
    assert run.returncode == 0, run.stderr
    assert ids(server, "pairs") == set(NAMES)
    for name in NAMES:
        found = server.json("POST", "/pairs/_all_docs?include_docs=true", json={"keys": [name]})["rows"][0]["doc"]
        assert found["own"] == name and all(found[text] == text for text in NAMES)


def test_queries_and_views(filled):
    filled.json("POST", "/pairs/_index", json={"index": {"fields": ["own"]}})
    filled.json("PUT", "/pairs/_design/v", json={"views": {"own": {"map": "function (doc) { emit(doc.own) }"}}})
    for name in NAMES:
        for query in ({"own": name}, {"own": {"$in": [name]}}, {"_id": name}, {"own": {"$gte": name, "$lte": name}}):
            found = filled.json("POST", "/pairs/_find", json={"selector": query, "fields": ["_id"]})["docs"]
            # Values are compared in the order of ICU, as in CouchDB, which takes a pair for equal.
            assert {"_id": name} in found and len(found) <= 2, (name, query)
    assert {row["id"] for row in filled.json("GET", "/pairs/_design/v/_view/own")["rows"]} == set(NAMES)


def test_changes_of_chosen_documents(filled):
    for name in NAMES:
        rows = filled.json("POST", "/pairs/_changes?filter=_doc_ids", json={"doc_ids": [name]})["results"]
        assert [row["id"] for row in rows] == [name]


def test_the_table_of_the_console(filled, console):
    console.visit("database/pairs")
    console.until(lambda: len(console.all(".data-table tbody .pick a")) == len(NAMES))
    assert {link.get_attribute("textContent") for link in console.all(".data-table tbody .pick a")} == set(NAMES)
    assert set(NAMES) <= {label.get_attribute("textContent") for label in console.all(".column-list label")}
