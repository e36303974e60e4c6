"""400 random selectors over several indexes find what CouchDB 3.5.0 found, each document once, also page by page."""

import json
import sys

import pytest

from conftest import ROOT, Server

sys.path.insert(0, str(ROOT / "Tests/Compare"))
import random_find  # noqa: E402

RECORDED = json.loads(random_find.FILE.read_text())


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("random"))
    for name in ("none", "all"):
        server.json("PUT", f"/{name}")
        server.json("POST", f"/{name}/_bulk_docs", json={"docs": RECORDED["documents"]})
    for fields in random_find.INDEXES:
        server.json("POST", "/all/_index", json={"index": {"fields": fields}, "name": "-".join(fields)})
    yield server
    server.stop()


@pytest.mark.parametrize("database", ["none", "all"])
def test_selectors_find_what_couchdb_finds(server, database):
    wrong = []
    for query in RECORDED["queries"]:
        body = {"selector": query["selector"], "fields": ["_id"], "limit": 1_000}
        found = sorted(document["_id"] for document in server.json("POST", f"/{database}/_find", json=body)["docs"])
        if found != query["ids"]:
            wrong.append((query["selector"], set(found) ^ set(query["ids"]), len(found) - len(set(found))))
    assert not wrong, f"{len(wrong)} of {len(RECORDED['queries'])}: {wrong[:5]}"


def test_pages_have_each_document_once(server):
    unions = [query for query in RECORDED["queries"] if "$or" in query["selector"] and len(query["ids"]) > 7]
    assert len(unions) > 50
    for query in unions:
        found, mark = [], None
        while True:
            body = {"selector": query["selector"], "fields": ["_id"], "limit": 7} | ({"bookmark": mark} if mark else {})
            page = server.json("POST", "/all/_find", json=body)
            found += [document["_id"] for document in page["docs"]]
            if len(page["docs"]) < 7:
                break
            mark = page["bookmark"]
        assert sorted(found) == query["ids"], query["selector"]
