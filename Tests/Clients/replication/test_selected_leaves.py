"""Selective replication tests each leaf of a document: what does not match never leaves the source, and a loser that matches arrives."""

import json

import pytest

from conftest import eventually, godwit

LEAVES = {"1-a": {"k": "loser"}, "1-b": {"k": "winner"}, "2-c": {"k": "gone", "_deleted": True}}


@pytest.fixture
def source(server):
    server.json("PUT", "/source")
    server.json("PUT", "/target")
    documents = [{"_id": "doc", "_rev": revision, **body} for revision, body in LEAVES.items()]
    assert server.json("POST", "/source/_bulk_docs", json={"new_edits": False, "docs": documents}) == []
    server.json("PUT", "/source/_design/f", json={"filters": {"k": "function (doc, req) { return doc.k === req.query.k; }"}})
    return server


def leaves(server, database):
    answer = server.request("GET", f"/{database}/doc?open_revs=all", headers={"Accept": "application/json"})
    return {row["ok"]["_rev"]: row["ok"].get("k") for row in answer.json() if "ok" in row} if answer.ok else {}


@pytest.mark.parametrize("how", ["request", "function", "document", "command", "directory"])
@pytest.mark.parametrize("revision, k", [(revision, body["k"]) for revision, body in LEAVES.items()])
def test_a_leaf_that_matches_arrives_alone(source, tmp_path, how, revision, k):
    body = {"source": "source", "target": "target"}
    if how == "request":
        source.json("POST", "/_replicate", json={**body, "selector": {"k": k}})
    elif how == "function":
        source.json("POST", "/_replicate", json={**body, "filter": "f/k", "query_params": {"k": k}})
    elif how == "document":
        source.json("PUT", "/_replicator/job", json={**body, "selector": {"k": k}, "continuous": True})
        eventually(lambda: leaves(source, "target"))
    else:
        places = [source.database("source"), source.database("target")]
        if how == "directory":
            places[1:1] = [str(tmp_path / "local" / "copy")]
        for first, second in zip(places, places[1:]):
            run = godwit("replicate", "--create-target", "--selector", json.dumps({"k": k}), first, second)
            assert run.returncode == 0, run.stderr
    assert leaves(source, "target") == {revision: k}
