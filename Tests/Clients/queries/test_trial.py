"""Trials of functions of design documents that are not saved (`POST /{db}/_godwit/trial`)."""

import time

import pytest
import requests

from conftest import Server

SPIN = "function(doc) { while (true) {} }"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("trial") / "data")
    server.json("PUT", "/db")
    server.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"d{number}", "km": number} for number in range(1, 4)]})
    server.json("PUT", "/db/_design/saved", json={"views": {"v": {"map": "function(doc) {}"}}})
    for name in ("mia", "boss"):
        server.json("PUT", f"/_users/org.couchdb.user:{name}", json={"name": name, "type": "user", "roles": [], "password": "a long password"})
    server.json("PUT", "/db/_security", json={"members": {"names": ["mia"], "roles": []}, "admins": {"names": ["boss"], "roles": []}})
    yield server
    server.stop()


def trial(server, **body):
    return server.json("POST", "/db/_godwit/trial", json=body)


def view(map, reduce=None):
    return {"views": {"v": {"map": map, **({"reduce": reduce} if reduce else {})}}}


def test_rows_errors_and_log_of_each_document(server):
    found = trial(server, kind="map", name="v", design=view(
        "function(doc) { log('seen ' + doc._id); if (doc.km === 2) throw 'no'; emit(doc._id, doc.km) }",
        "function(keys, values) { log(keys.length); return sum(values) }"))
    assert [document["id"] for document in found["documents"]] == ["d1", "d2", "d3"]
    assert [document.get("result") for document in found["documents"]] == [[["d1", 1]], None, [["d3", 3]]]
    assert found["documents"][1]["error"] == "no" and found["documents"][1]["log"] == ["seen d2"]
    assert found["reduced"]["result"] == 4 and found["reduced"]["log"] == ["2"]


def test_nothing_is_saved_or_logged(server):
    before = server.json("GET", "/db")["update_seq"]
    trial(server, kind="map", name="v", design=view("function(doc) { log('quiet'); emit(1, doc) }"))
    assert server.json("GET", "/db")["update_seq"] == before
    assert "quiet" not in server.request("GET", "/_utils/log").text


def test_chosen_documents_and_modules(server):
    design = {"lib": {"double": "exports.of = function(n) { return n * 2 }"},
              **view("function(doc) { emit(require('lib/double').of(doc.km), null) }")}
    found = trial(server, kind="map", name="v", design=design, ids=["d3", "missing", "d1"])
    assert [(document["id"], document["result"]) for document in found["documents"]] == [("d3", [[6, None]]), ("d1", [[2, None]])]
    found = trial(server, kind="map", name="v", design=design, startkey="d2", limit=1)
    assert [document["id"] for document in found["documents"]] == ["d2"]


def test_the_other_kinds(server):
    found = trial(server, kind="filter", name="far", query={"min": "2"}, design={"filters": {"far": "function(doc, req) { return doc.km >= req.query.min }"}})
    assert [document["result"] for document in found["documents"]] == [False, True, True]
    rule = {"validate_doc_update": "function(doc, old, user, security) { if (!old) throw({forbidden: 'new'}); if (user.name !== 'mia') throw({unauthorized: security.admins.names[0]}) }"}
    found = trial(server, kind="validate", design=rule, user={"name": "mia", "roles": []}, limit=1)
    assert found["documents"][0]["result"] is None
    found = trial(server, kind="validate", design=rule, limit=1)
    assert found["documents"][0]["result"] == {"error": "unauthorized", "reason": "boss"}
    found = trial(server, kind="validate", design=rule, isNew=True, limit=1)
    assert found["documents"][0]["result"] == {"error": "forbidden", "reason": "new"}
    found = trial(server, kind="index", name="i", design={"indexes": {"i": {"index": "function(doc) { index('km', doc.km, {store: true}) }"}}}, limit=1)
    assert found["documents"][0]["result"][0][:2] == ["km", 1]
    found = trial(server, kind="geometry", name="g", design={"st_indexes": {"g": {"index": "function(doc) { st_index({type: 'Point', coordinates: [doc.km, 1]}) }"}}}, limit=1)
    assert found["documents"][0]["result"] == [{"type": "Point", "coordinates": [1, 1]}]


def test_the_line_of_an_error_is_named(server):
    found = trial(server, kind="map", name="v", limit=1, design=view("function(doc) {\n  var x;\n  emit(x.y, 1);\n}"))
    assert "in line 3" in found["documents"][0]["error"], found


@pytest.mark.parametrize("body, word", [
    ({}, "design"), ({"design": view("function(doc) {}")}, "kind"), ({"design": view("function(doc) {}"), "kind": "show"}, "kind"),
    ({"design": view("function(doc) {}"), "kind": "map"}, "name"), ({"design": view("function(doc) {"), "kind": "map", "name": "v"}, "SyntaxError"),
    ({"design": view("1"), "kind": "map", "name": "v"}, "function"), ({"design": {}, "kind": "map", "name": "v"}, "missing"),
    ({"design": {"language": "query"}, "kind": "validate"}, "JavaScript"),
    ({"design": view("function(doc) {}"), "kind": "map", "name": "v", "limit": 101}, "100"),
    ({"design": view("function(doc) {}"), "kind": "map", "name": "v", "ids": ["x"] * 101}, "100"),
])
def test_bad_requests(server, body, word):
    answer = server.request("POST", "/db/_godwit/trial", json=body)
    assert answer.status_code == 400 and word in answer.text, answer.text


def test_only_those_who_may_write_design_documents(server):
    body = {"kind": "map", "name": "v", "design": view("function(doc) { emit(doc.km) }")}
    for login, status in [(None, 401), (("mia", "a long password"), 403), (("boss", "a long password"), 200)]:
        answer = requests.post(f"{server.url}/db/_godwit/trial", json=body, auth=login, timeout=30)
        assert answer.status_code == status, answer.text


def test_a_function_without_end_delays_nobody(server):
    server.json("PUT", "/_node/_local/_config/couchdb/os_process_timeout", json="1000")
    start = time.monotonic()
    answer = server.request("POST", "/db/_godwit/trial", json={"kind": "map", "name": "v", "design": view(SPIN)})
    assert answer.status_code == 400 and "longer than" in answer.text
    assert time.monotonic() - start < 20
    assert server.json("GET", "/db/_design/saved/_view/v")["rows"] == []


def test_long_logs_and_results_are_bounded(server):
    found = trial(server, kind="map", name="v", limit=1, design=view(
        "function(doc) { for (var i = 0; i < 1000; i++) log(new Array(5000).join('x')); emit(1, 1) }"))
    [document] = found["documents"]
    assert len(document["log"]) == 50 and all(len(line) == 1_000 for line in document["log"])
    answer = server.request("POST", "/db/_godwit/trial", json={"kind": "map", "name": "v", "limit": 1, "design": view(
        "function(doc) { for (var i = 0; i < 100; i++) emit(i, new Array(4000000).join('x')) }")})
    assert answer.status_code >= 400 and len(answer.content) < 100_000
    assert server.json("GET", "/db/_design/saved/_view/v")["rows"] == []
