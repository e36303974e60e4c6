# This source file is part of the Godwit open source project.
# SPDX-License-Identifier: Apache-2.0
"""Map queries in the form of PouchDB's guide: the requests that PouchDB sends for `db.query` to a server."""

import json

import pytest

from conftest import Server


@pytest.fixture(scope="module")
def pets(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("pouchdb") / "data")
    site.json("PUT", "/pets")
    site.json("PUT", "/pets/_design/index", json={"views": {
        "by_name": {"map": "function (doc) { emit(doc.name); }"},
        "by_kind": {"map": "doc => { if (doc.kind) emit([doc.kind, doc.name], doc.age) }", "reduce": "_stats"},
        "owners": {"map": "function mapFun(doc) {\n  if (doc.owner) {\n    emit(doc._id, {_id: doc.owner});\n  }\n}"},
        "conflicts": {"map": "function (doc) { if (doc._conflicts) { emit(doc._conflicts.length); } }"},
    }})
    site.json("POST", "/pets/_bulk_docs", json={"docs": [
        {"_id": "1", "name": "Mittens", "kind": "cat", "age": 3, "owner": "ann"},
        {"_id": "2", "name": "Mousa", "kind": "cat", "age": 7, "owner": "bob"},
        {"_id": "3", "name": "Rex", "kind": "dog", "age": 2, "owner": "nobody"},
        {"_id": "ann", "name": "Ann"}, {"_id": "bob", "name": "Bob"}]})
    yield site
    site.stop()


def query(site, view, **options):
    parameters = {name: json.dumps(value) for name, value in options.items()}
    return site.request("GET", f"/pets/_design/index/_view/{view}", params=parameters).json()


def test_prefixes_and_high_keys(pets):
    rows = query(pets, "by_name", startkey="M", endkey="M\ufff0")["rows"]
    assert [row["key"] for row in rows] == ["Mittens", "Mousa"]
    rows = query(pets, "by_kind", startkey=["cat"], endkey=["cat", {}], reduce=False)["rows"]
    assert [row["value"] for row in rows] == [3, 7]


def test_reduce_by_group_level(pets):
    rows = query(pets, "by_kind", group_level=1)["rows"]
    assert [(row["key"], row["value"]["sum"], row["value"]["max"]) for row in rows] == [(["cat"], 10, 7), (["dog"], 2, 2)]


def test_linked_documents(pets):
    rows = query(pets, "owners", include_docs=True)["rows"]
    assert [(row["doc"] or {}).get("name") for row in rows] == ["Ann", "Bob", None]


def test_keys_in_their_order(pets):
    rows = query(pets, "by_name", keys=["Rex", "none", "Ann"])["rows"]
    assert [row["id"] for row in rows] == ["3", "ann"]


def test_conflicts_are_seen(pets):
    for number in (1, 2):
        pets.json("POST", "/pets/_bulk_docs", json={"new_edits": False, "docs": [
            {"_id": "torn", "_rev": f"1-{number:032x}", "side": number}]})
    assert query(pets, "conflicts")["rows"] == [{"id": "torn", "key": 1, "value": None}]
