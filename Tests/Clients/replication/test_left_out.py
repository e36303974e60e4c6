"""What a replication could not write: each later run tries it again, says it again, and does not succeed before it is done.
And replications of `_replicator` that fail: what they say, and what they do to the account at the other side."""

import json

import pytest

from applications import soon
from conftest import Server, eventually, godwit


@pytest.fixture
def servers(tmp_path):
    source, target = Server(tmp_path / "source"), Server(tmp_path / "target")
    target.json("PUT", "/_users/org.couchdb.user:ada", json={
        "name": "ada", "password": "a tern flies far", "roles": [], "type": "user"})
    yield source, target
    source.stop()
    target.stop()


def push(source, target):
    run = godwit("replicate", str(source), target, "--json")
    return run.returncode, json.loads(run.stdout.splitlines()[-1]), run.stderr


def test_design_documents_wait_for_the_right(servers, tmp_path):
    source, target = servers
    target.json("PUT", "/copy")
    target.json("PUT", "/copy/_security", json={"members": {"names": ["ada"], "roles": []}, "admins": {"names": [], "roles": []}})
    source.json("PUT", "/birds")
    source.json("POST", "/birds/_index", json={"index": {"fields": ["class"]}, "name": "by-class", "ddoc": "by-class"})
    for id in ("tern", "lark"):
        source.json("PUT", f"/birds/{id}", json={"class": "bird"})
    address = target.url.replace("://", "://ada:a%20tern%20flies%20far@") + "/copy"

    status, counts, words = push(source.database("birds"), address)
    assert status == 1 and counts["docs_written"] == 2 and counts["doc_write_failures"] == 1, (counts, words)
    assert [failure["id"] for failure in counts["failures"]] == ["_design/by-class"]
    run = godwit("replicate", str(source.database("birds")), address)
    assert run.returncode == 1 and "_design/by-class" in run.stderr and "admin" in run.stderr, run.stdout + run.stderr
    # Nothing else is left, and the run nevertheless does not succeed.
    for _ in range(2):
        status, counts, words = push(source.database("birds"), address)
        assert status == 1 and counts["missing_checked"] == 1, (counts, words)
        assert [failure["id"] for failure in counts["failures"]] == ["_design/by-class"]

    target.json("PUT", "/copy/_security", json={"members": {"names": [], "roles": []}, "admins": {"names": ["ada"], "roles": []}})
    status, counts, words = push(source.database("birds"), address)
    assert status == 0 and counts["docs_written"] == 1, (counts, words)
    assert target.json("GET", "/copy/_design/by-class")["language"] == "query"
    status, counts, words = push(source.database("birds"), address)
    assert status == 0 and counts["missing_checked"] == 0, (counts, words)


def test_a_newer_revision_takes_the_place_of_the_refused_one(servers):
    source, target = servers
    target.json("PUT", "/copy")
    target.json("PUT", "/copy/_design/rules", json={
        "validate_doc_update": "function (doc) { if (doc.bad) throw ({forbidden: {field: 'bad'}}); }"})
    source.json("PUT", "/birds")
    revision = source.json("PUT", "/birds/a", json={"bad": True})["rev"]
    status, counts, words = push(source.database("birds"), target.database("copy"))
    assert status == 1 and "bad" in counts["failures"][0]["reason"], (counts, words)
    source.json("PUT", "/birds/a", json={"_rev": revision, "good": True})
    status, counts, words = push(source.database("birds"), target.database("copy"))
    assert status == 0 and target.json("GET", "/copy/a")["good"], (counts, words)
    status, counts, words = push(source.database("birds"), target.database("copy"))
    assert status == 0 and counts["missing_checked"] == 0


def test_a_second_document_of_the_same_replication_is_listed(servers):
    source, _ = servers
    source.json("PUT", "/birds")
    body = {"source": "birds", "target": "copy", "create_target": True, "continuous": True}
    source.json("PUT", "/_replicator/one", json=body)
    assert soon(lambda: source.request("GET", "/_scheduler/docs/_replicator/one").ok, 20)
    source.json("PUT", "/_replicator/two", json=body)
    found = eventually(lambda: source.request("GET", "/_scheduler/docs/_replicator/two").ok and
                       source.json("GET", "/_scheduler/docs/_replicator/two"))
    assert found["state"] == "failed" and "already started" in found["info"]["error"]
    assert {row["doc_id"] for row in source.json("GET", "/_scheduler/docs")["docs"]} == {"one", "two"}
    # The end of the second one does not end the first.
    revision = source.json("GET", "/_replicator/two")["_rev"]
    source.json("DELETE", f"/_replicator/two?rev={revision}")
    assert eventually(lambda: source.request("GET", "/_scheduler/docs/_replicator/two").status_code == 404)
    assert source.json("GET", "/_scheduler/docs/_replicator/one")["state"] == "running"


def test_retries_with_a_wrong_password_do_not_lock_the_account(servers):
    source, target = servers
    target.json("PUT", "/birds")
    target.json("PUT", "/birds/_security", json={"members": {"names": ["ada"], "roles": []}, "admins": {"names": [], "roles": []}})
    source.json("PUT", "/_replicator/wrong", json={
        "source": target.url.replace("://", "://ada:wrong@") + "/birds", "target": "copy", "create_target": True, "continuous": True})
    job = eventually(lambda: source.request("GET", "/_scheduler/docs/_replicator/wrong").ok and (
        found := source.json("GET", "/_scheduler/docs/_replicator/wrong"))["state"] == "crashing" and found)
    assert job["error_count"] == 1
    # The next attempt is minutes away: fewer than the failures that lock an account.
    assert not soon(lambda: source.json("GET", "/_scheduler/docs/_replicator/wrong")["error_count"] > 1, 12)
    answer = target.session.get(target.url + "/birds", auth=("ada", "a tern flies far"), timeout=30)
    assert answer.status_code == 200, answer.text
