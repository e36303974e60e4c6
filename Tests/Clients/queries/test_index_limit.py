"""The number of indexes of a database is limited: each write updates them, and each connection reads the definitions of their tables."""

import pytest

INDEXES_MAX = 1_000


def design(name, count):
    views = {f"{name}{n}": {"map": {"fields": {f"f{n}": "asc"}}, "options": {"def": {"fields": [f"f{n}"]}}} for n in range(count)}
    return {"_id": f"_design/{name}", "language": "query", "views": views}


@pytest.fixture
def shelf(server):
    server.json("PUT", "/shelf")
    server.json("PUT", "/shelf/_design/a", json=design("a", 600))
    return server


def count(server):
    return server.json("GET", "/shelf/_index")["total_rows"] - 1


def test_an_edit_beyond_the_limit_is_refused_and_the_rest_of_a_batch_is_written(shelf):
    answer = shelf.request("PUT", "/shelf/_design/b", json=design("b", 401))
    assert answer.status_code == 400 and "more than 1000 indexes" in answer.json()["reason"], answer.text
    rows = shelf.json("POST", "/shelf/_bulk_docs", json={"docs": [{"_id": "x"}, design("c", 300), design("d", 300), {"_id": "y"}]})
    assert [row.get("error") for row in rows] == [None, None, "doc_validation", None], rows
    assert count(shelf) == 900
    assert shelf.request("POST", "/shelf/_index", json={"index": {"fields": ["g"]}}).status_code == 200


def test_an_index_may_take_the_place_of_another(shelf):
    answer = shelf.json("PUT", "/shelf/_design/b", json=design("b", 400))
    assert count(shelf) == INDEXES_MAX
    assert shelf.request("POST", "/shelf/_index", json={"index": {"fields": ["g"]}}).status_code == 400
    other = {**design("other", 400), "_id": "_design/b", "_rev": answer["rev"]}
    shelf.json("PUT", "/shelf/_design/b", json=other)
    assert count(shelf) == INDEXES_MAX


def test_a_replicated_design_document_is_stored_and_its_further_indexes_are_absent(shelf):
    replicated = {**design("b", 600), "_rev": "1-abc"}
    assert shelf.json("POST", "/shelf/_bulk_docs", json={"new_edits": False, "docs": [replicated]}) == []
    assert len(shelf.json("GET", "/shelf/_design/b")["views"]) == 600 and count(shelf) == INDEXES_MAX
    shelf.json("PUT", "/shelf/doc", json={"f1": 1})
    found = shelf.json("POST", "/shelf/_find", json={"selector": {"f1": 1}})
    assert [doc["_id"] for doc in found["docs"]] == ["doc"]


def test_a_view_without_room_for_its_index_says_so(shelf):
    shelf.json("PUT", "/shelf/_design/b", json=design("b", 400))
    view = {"_id": "_design/v", "_rev": "1-abc", "views": {"all": {"map": "function (doc) { emit(doc._id); }"}}}
    shelf.json("POST", "/shelf/_bulk_docs", json={"new_edits": False, "docs": [view]})
    answer = shelf.request("GET", "/shelf/_design/v/_view/all")
    assert answer.status_code == 400 and "more than 1000 indexes" in answer.json()["reason"], answer.text
    b = shelf.json("GET", "/shelf/_design/b")
    shelf.json("DELETE", f"/shelf/_design/b?rev={b['_rev']}")
    assert shelf.json("GET", "/shelf/_design/v/_view/all")["rows"] == []
