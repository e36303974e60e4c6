"""Validation of writes by design documents (`validate_doc_update`)."""

import json

import couchdb
import pytest
import requests

from conftest import Server

GUARD = """function (newDoc, oldDoc, userCtx, secObj) {
    if (newDoc.fail) throw new TypeError("failed");
    if (newDoc.forbid) throw {forbidden: newDoc.forbid};
    if (newDoc.login) throw {unauthorized: "log in first"};
    if (newDoc._deleted) {
        if (oldDoc && oldDoc.kept) throw {forbidden: "kept for ever"};
        return;
    }
    if (oldDoc && oldDoc.owner !== newDoc.owner) throw {forbidden: "the owner stays"};
    if (newDoc.told) {
        newDoc = JSON.parse(JSON.stringify(newDoc));
        throw {forbidden: JSON.stringify({doc: newDoc, old: oldDoc, user: userCtx, security: secObj})};
    }
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("validation") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1000")
    for name in ["mia", "dora"]:
        site.json("PUT", f"/_users/org.couchdb.user:{name}", json={
            "name": name, "password": name, "type": "user", "roles": ["staff"]})
    yield site
    site.stop()


@pytest.fixture
def db(site, request):
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name.lower())
    site.json("PUT", f"/{name}")
    site.json("PUT", f"/{name}/_security", json={
        "admins": {"names": ["dora"]}, "members": {"names": ["mia"], "roles": []}, "colour": "red"})
    site.json("PUT", f"/{name}/_design/guard", json={"validate_doc_update": GUARD})
    return name


def refused(answer, status, error, reason):
    assert (answer.status_code, answer.json()) == (status, {"error": error, "reason": reason})


def test_single_documents(site, db):
    assert site.request("PUT", f"/{db}/a", json={"owner": 1}).status_code == 201
    refused(site.request("PUT", f"/{db}/b", json={"forbid": "no"}), 403, "forbidden", "no")
    refused(site.request("PUT", f"/{db}/b", json={"login": 1}), 401, "unauthorized", "log in first")
    revision = site.json("GET", f"/{db}/a")["_rev"]
    refused(site.request("PUT", f"/{db}/a", json={"_rev": revision, "owner": 2}), 403, "forbidden", "the owner stays")
    refused(site.request("POST", f"/{db}", json={"forbid": "no"}), 403, "forbidden", "no")
    answer = site.request("PUT", f"/{db}/b", json={"fail": 1})
    assert answer.status_code == 500 and "failed" in answer.json()["reason"]
    assert site.json("GET", f"/{db}")["doc_count"] == 2


def test_bulk_documents_each_for_itself(site, db):
    outcomes = site.json("POST", f"/{db}/_bulk_docs", json={"docs": [
        {"_id": "a"}, {"_id": "b", "forbid": "no"}, {"_id": "c", "login": 1}, {"_id": "d"},
        *({"_id": f"n{number}", **({"forbid": "x"} if number % 3 == 0 else {})} for number in range(250))]})
    assert [outcome.get("error") for outcome in outcomes[:4]] == [None, "forbidden", "unauthorized", None]
    assert outcomes[1] == {"id": "b", "error": "forbidden", "reason": "no"}
    for number, outcome in enumerate(outcomes[4:]):
        assert ("error" in outcome) == (number % 3 == 0), outcome
    assert site.json("GET", f"/{db}")["doc_count"] == 3 + 250 - 84


def told(answer):
    return json.loads(answer.json()["reason"])


def test_what_the_function_is_told(site, db):
    site.json("PUT", f"/{db}/a", json={"owner": 1, "_attachments": {"f": {"data": "aGk="}}})
    stored = site.json("GET", f"/{db}/a")
    answer = requests.put(f"{site.url}/{db}/a", json={**stored, "told": True}, auth=("mia", "mia"), timeout=30)
    seen = told(answer)
    assert seen["user"] == {"db": db, "name": "mia", "roles": ["staff"]}
    assert seen["security"]["colour"] == "red" and seen["security"]["admins"]["names"] == ["dora"]
    assert seen["old"]["_rev"] == stored["_rev"] and seen["old"]["_attachments"]["f"]["stub"]
    # A stub has the properties of the stored attachment, as in CouchDB.
    assert seen["doc"]["_id"] == "a" and seen["doc"]["_attachments"] == seen["old"]["_attachments"]
    assert seen["doc"]["_attachments"]["f"]["length"] == 2 and seen["doc"]["_attachments"]["f"]["content_type"]
    seen = told(site.request("PUT", f"/{db}/new", json={"told": True}))
    assert seen["old"] is None and seen["user"]["roles"] == ["_admin"]


def test_deletions(site, db):
    site.json("PUT", f"/{db}/a", json={"kept": True})
    revision = site.json("GET", f"/{db}/a")["_rev"]
    refused(site.request("DELETE", f"/{db}/a?rev={revision}"), 403, "forbidden", "kept for ever")
    outcome = site.json("POST", f"/{db}/_bulk_docs", json={"docs": [{"_id": "a", "_rev": revision, "_deleted": True}]})
    assert outcome[0]["error"] == "forbidden"
    site.json("PUT", f"/{db}/b", json={})
    revision = site.json("GET", f"/{db}/b")["_rev"]
    assert site.request("DELETE", f"/{db}/b?rev={revision}").status_code == 200


def test_attachments_and_copies(site, db):
    site.json("PUT", f"/{db}/a", json={})
    site.json("PUT", f"/{db}/_design/more", json={
        "validate_doc_update": "function (doc) { if (doc._attachments && doc._attachments.bad) throw {forbidden: 'bad'}; "
                               "if (doc._id === 'target') throw {forbidden: 'no target'}; }"})
    revision = site.json("GET", f"/{db}/a")["_rev"]
    refused(site.request("PUT", f"/{db}/a/bad?rev={revision}", data="x"), 403, "forbidden", "bad")
    assert site.request("PUT", f"/{db}/a/good?rev={revision}", data="x").status_code == 201
    refused(site.request("COPY", f"/{db}/a", headers={"Destination": "target"}), 403, "forbidden", "no target")


def test_a_forged_history_hides_no_owner(site, db):
    """An edit is compared with its ancestor in the database, not with the one that its `_revisions` names."""
    site.json("PUT", f"/{db}/a", json={"owner": "dora"})
    revision = site.json("GET", f"/{db}/a")["_rev"]
    generation, digest = revision.split("-")
    for forged in [{"start": 1, "ids": [digest]}, {"start": 2, "ids": ["feed", digest]}]:
        document = {"owner": "mia", "_revisions": forged}
        if forged["start"] == 1:
            document["_rev"] = revision
        answer = site.request("PUT", f"/{db}/a", json=document)
        assert answer.status_code in (403, 409), answer.text
        outcome = site.json("POST", f"/{db}/_bulk_docs", json={"docs": [{"_id": "a", **document}]})[0]
        assert outcome["error"] in ("forbidden", "conflict")
    assert site.json("GET", f"/{db}/a")["owner"] == "dora"


def test_replicated_revisions(site, db):
    site.json("PUT", f"/{db}/a", json={"owner": 1})
    revision = site.json("GET", f"/{db}/a")["_rev"]
    digest = revision.split("-")[1]
    outcomes = site.json("POST", f"/{db}/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "a", "_rev": "2-x", "_revisions": {"start": 2, "ids": ["x", digest]}, "owner": 2},
        {"_id": "a", "_rev": "2-y", "_revisions": {"start": 2, "ids": ["y", digest]}, "owner": 1},
        {"_id": "b", "_rev": "1-b", "forbid": "no"}]})
    assert [(outcome["id"], outcome["rev"], outcome["error"]) for outcome in outcomes] == [
        ("a", "2-x", "forbidden"), ("b", "1-b", "forbidden")]
    assert site.json("GET", f"/{db}/a")["_rev"] == "2-y"
    assert site.request("GET", f"/{db}/b").status_code == 404
    answer = site.request("PUT", f"/{db}/c?new_edits=false", json={"_rev": "1-c", "forbid": "no"})
    refused(answer, 403, "forbidden", "no")


def test_several_design_documents(site, db):
    site.json("PUT", f"/{db}/_design/second", json={
        "validate_doc_update": "function (doc) { if (doc.second) throw {forbidden: 'second'}; }"})
    refused(site.request("PUT", f"/{db}/a", json={"second": 1}), 403, "forbidden", "second")
    refused(site.request("PUT", f"/{db}/a", json={"forbid": "first"}), 403, "forbidden", "first")
    design = site.json("GET", f"/{db}/_design/second")
    site.json("DELETE", f"/{db}/_design/second?rev={design['_rev']}")
    assert site.request("PUT", f"/{db}/a", json={"second": 1}).status_code == 201


def test_changed_functions_count_at_once(site, db):
    design = site.json("GET", f"/{db}/_design/guard")
    for reason in ["one", "two", "three"]:
        design["validate_doc_update"] = f"function () {{ throw {{forbidden: '{reason}'}}; }}"
        design["_rev"] = site.json("PUT", f"/{db}/_design/guard", json=design)["rev"]
        refused(site.request("PUT", f"/{db}/a", json={}), 403, "forbidden", reason)


def test_design_and_local_documents_are_not_asked_about(site, db):
    site.json("PUT", f"/{db}/_design/no", json={"validate_doc_update": "function () { throw {forbidden: 'never'}; }"})
    assert site.request("PUT", f"/{db}/_design/other", json={}).status_code == 201
    assert site.request("PUT", f"/{db}/_local/x", json={}).status_code == 201
    refused(site.request("PUT", f"/{db}/x", json={}), 403, "forbidden", "never")


@pytest.mark.parametrize("broken", ["(", "function () { for (;;); }", "function () { return doc.x; }", "42"])
def test_a_broken_function_can_be_mended(site, broken):
    name = f"broken{abs(hash(broken))}"
    site.json("PUT", f"/{name}")
    site.json("PUT", f"/{name}/_design/d", json={"validate_doc_update": broken})
    answer = site.request("PUT", f"/{name}/a", json={})
    assert answer.status_code == 500 and answer.json()["error"], answer.text
    design = site.json("GET", f"/{name}/_design/d")
    site.json("PUT", f"/{name}/_design/d", json={"_rev": design["_rev"]})
    assert site.request("PUT", f"/{name}/a", json={}).status_code == 201


def test_modules(site, db):
    site.json("PUT", f"/{db}/_design/modules", json={
        "lib": {"rules": "exports.check = function (doc) { if (doc.worse) throw {forbidden: 'worse'}; };"},
        "validate_doc_update": "function (doc) { require('lib/rules').check(doc); }"})
    refused(site.request("PUT", f"/{db}/a", json={"worse": 1}), 403, "forbidden", "worse")
    assert site.request("PUT", f"/{db}/a", json={}).status_code == 201


def test_selectors(site):
    site.json("PUT", "/selected")
    site.json("PUT", "/selected/_design/s", json={"language": "query", "validate_doc_update": {
        "newDoc": {"type": {"$in": ["post", "note"]}}}})
    assert site.request("PUT", "/selected/a", json={"type": "post"}).status_code == 201
    refused(site.request("PUT", "/selected/b", json={"type": "other"}), 403, "forbidden", "document is not valid")
    outcomes = site.json("POST", "/selected/_bulk_docs", json={"docs": [{"type": "note"}, {}]})
    assert [outcome.get("error") for outcome in outcomes] == [None, "forbidden"]
    design = site.json("GET", "/selected/_design/s")
    for rule in [{"oldDoc": {"locked": {"$exists": False}}},
                 {"$or": [{"oldDoc": {"$exists": False}}, {"oldDoc.locked": False}]}]:
        design["_rev"] = site.json("PUT", "/selected/_design/s", json={**design, "validate_doc_update": rule})["rev"]
        revision = site.json("POST", "/selected", json={"_id": f"locked{design['_rev']}", "locked": True})["rev"]
        refused(site.request("PUT", f"/selected/locked{design['_rev']}", json={"_rev": revision}),
                403, "forbidden", "document is not valid")
    design["validate_doc_update"] = {"$or": [{"newDoc": {}}, {"user": "mia"}]}
    site.json("PUT", "/selected/_design/s", json=design)
    answer = site.request("PUT", "/selected/c", json={})
    assert answer.status_code == 500 and answer.json()["error"] == "invalid_validate_doc_update"
    answer = site.request("PUT", "/selected/_design/t", json={
        "language": "query", "validate_doc_update": "function () {}"})
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_design_doc"


def test_replication_into_a_local_database(site, db):
    site.json("PUT", f"/{db}-source")
    site.json("POST", f"/{db}-source/_bulk_docs", json={"docs": [
        {"_id": f"{number:02}", **({"forbid": "odd"} if number % 2 else {})} for number in range(20)]})
    report = site.json("POST", "/_replicate", json={"source": f"{db}-source", "target": db})
    history = report["history"][0]
    assert report["ok"] and history["doc_write_failures"] == 10 and history["docs_written"] == 10
    assert site.json("GET", f"/{db}")["doc_count"] == 11
    assert site.request("GET", f"/{db}/01").status_code == 404


def test_couchdb_python(site, db):
    database = couchdb.Server(site.url.replace("://", "://mia:mia@") + "/")[db]
    with pytest.raises(couchdb.http.Forbidden, match="mine"):
        database.save({"forbid": "mine"})
    with pytest.raises(couchdb.Unauthorized):
        database.save({"login": 1})
    ok, _, _ = database.update([{"a": 1}])[0]
    assert ok


def test_a_conflict_is_told_before_any_function_is_called(site, db):
    """Issue 55, 4: otherwise a client whose revision is old would hear that it may not write."""
    first = site.json("PUT", f"/{db}/a", json={"n": 1})["rev"]
    second = site.json("PUT", f"/{db}/a", json={"n": 2, "_rev": first})["rev"]
    for stale in ({}, {"_rev": first}, {"_rev": "1-abc"}):
        refused(site.request("PUT", f"/{db}/a", json={"forbid": "no", **stale}), 409, "conflict", "Document update conflict.")
    refused(site.request("PUT", f"/{db}/new", json={"forbid": "no", "_rev": "1-abc"}), 409, "conflict", "Document update conflict.")
    refused(site.request("PUT", f"/{db}/a", json={"forbid": "no", "_rev": second}), 403, "forbidden", "no")
    rows = site.json("POST", f"/{db}/_bulk_docs", json={"docs": [{"_id": "a", "forbid": "no"}, {"_id": "b", "forbid": "no"}, {"_id": "c"}]})
    assert [row.get("error") for row in rows] == ["conflict", "forbidden", None]


@pytest.mark.parametrize("source", [
    "var no = 'no'; function(doc) { if (doc.bad) throw {forbidden: no}; }",
    "function check(doc) { if (doc.bad) throw {forbidden: 'no'}; }\nfunction(doc) { check(doc); }",
    "'use strict'; function(doc) { if (doc.bad) throw {forbidden: 'no'}; }",
    "var f = function(doc) { if (doc.bad) throw {forbidden: 'no'}; }; f"])
def test_code_before_the_function(site, db, source):
    """Issue 55, 5: CouchDB takes it, and such a document may arrive by replication."""
    site.json("POST", f"/{db}/_bulk_docs", json={"new_edits": False, "docs": [{"_id": "_design/early", "_rev": "1-a", "validate_doc_update": source}]})
    assert site.request("PUT", f"/{db}/good", json={}).status_code == 201
    refused(site.request("PUT", f"/{db}/bad", json={"bad": True}), 403, "forbidden", "no")
