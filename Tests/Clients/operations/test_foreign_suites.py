"""Faults that CouchDB's suite (Elixir) and PouchDB's suite found. The right values are those of CouchDB 3.5.0, unless a test says
otherwise."""

import pytest
import requests

from conftest import Server, eventually

CONFIG = "/_node/_local/_config/"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("suites"))
    server.json("PUT", "/d")
    yield server
    server.stop()


@pytest.mark.parametrize("name", ["chttpd_auth/secret", "jwt_keys/hmac:_default"])
def test_what_is_shown_instead_of_a_secret_is_no_secret(server, name):
    """CouchDB shows the secret. A client that restores what it got would let everybody sign."""
    server.json("PUT", CONFIG + name, json="c2VjcmV0IHNlY3JldA==")
    shown = server.json("PUT", CONFIG + name, json="b3RoZXIgc2VjcmV0")
    answer = server.request("PUT", CONFIG + name, json=shown)
    assert answer.status_code == 400 and shown in answer.json()["reason"]


def test_a_user_document_in_conflict_allows_no_login(server):
    path = "/_users/org.couchdb.user:joe"
    server.json("PUT", path, json={"name": "joe", "password": "apple", "roles": [], "type": "user"})
    stored = server.json("GET", path)
    other = stored | {"_rev": "1-zz", "_revisions": {"start": 1, "ids": ["zz"]}}
    session = requests.Session()
    assert session.post(server.url + "/_session", json={"name": "joe", "password": "apple"}, timeout=30).ok
    assert requests.get(server.url + "/_session", auth=("joe", "apple"), timeout=30).ok
    assert server.json("POST", "/_users/_bulk_docs", json={"new_edits": False, "docs": [other]}) == []
    login = requests.post(server.url + "/_session", json={"name": "joe", "password": "apple"}, timeout=30)
    assert login.status_code == 401 and "conflicts must be resolved" in login.json()["reason"]
    assert requests.get(server.url + "/_session", auth=("joe", "apple"), timeout=30).status_code == 401
    assert "conflicts" in session.get(server.url + path, timeout=30).json()["reason"]
    assert session.get(server.url + "/_session", timeout=30).json()["userCtx"]["name"] is None
    # Another's name says nothing about a conflict without the password, and the browser can end its session.
    wrong = requests.post(server.url + "/_session", json={"name": "joe", "password": "pear"}, timeout=30)
    assert "conflicts" not in wrong.json()["reason"]
    assert session.delete(server.url + "/_session", timeout=30).ok
    server.json("DELETE", f"{path}?rev=1-zz")
    assert requests.post(server.url + "/_session", json={"name": "joe", "password": "apple"}, timeout=30).ok


def test_a_conflict_of_its_owner_does_not_end_a_replication(tmp_path):
    """Not even if the server starts while there is a conflict: its attempts are refused, and it has no final state."""
    server = Server(tmp_path / "data")
    path = "/_users/org.couchdb.user:kim"
    for name in ["from", "to"]:
        server.json("PUT", f"/{name}")
        server.json("PUT", f"/{name}/_security", json={"admins": {"names": ["kim"]}})
    server.json("PUT", "/_replicator/_security", json={"members": {"names": ["kim"]}})
    server.json("PUT", path, json={"name": "kim", "password": "apple", "roles": [], "type": "user"})
    kim = requests.put(f"{server.url}/_replicator/copy", auth=("kim", "apple"), timeout=30, json={
        "source": "from", "target": "to", "continuous": True})
    assert kim.ok, kim.text
    other = server.json("GET", path) | {"_rev": "1-zz", "_revisions": {"start": 1, "ids": ["zz"]}}
    server.json("POST", "/_users/_bulk_docs", json={"new_edits": False, "docs": [other]})
    server.stop()
    server.start()
    server.json("PUT", "/from/a", json={})
    assert eventually(lambda: server.json("GET", "/_scheduler/docs")["docs"])[0]["state"] != "failed"
    stored = server.json("GET", "/_replicator/copy")
    assert "_replication_state" not in stored
    server.json("DELETE", f"{path}?rev=1-zz")
    # Refused attempts wait for minutes, so that they lock no account. A document that is written again does not wait.
    assert requests.put(f"{server.url}/_replicator/copy", auth=("kim", "apple"), timeout=30, json=stored).ok
    assert eventually(lambda: server.request("GET", "/to/a").ok)
    server.stop()


def test_ids_of_a_replication_are_decoded(server):
    """CouchDB replicates only the decoded id; a document with the id as it is written comes too."""
    server.json("PUT", "/ids")
    for name in ["a%20b", "a%2520b", "50%25off", "_design%2Ffoo"]:
        server.json("PUT", f"/d/{name}", json={})
    answer = server.json("POST", "/_replicate", json={
        "source": server.database("d"), "target": server.database("ids"), "doc_ids": ["_design%2Ffoo", "a%20b", "50%off"]})
    assert answer["docs_written"] == 4
    assert [row["id"] for row in server.json("GET", "/ids/_all_docs")["rows"]] == ["50%off", "_design/foo", "a b", "a%20b"]


def test_a_first_replication_without_documents_has_no_changes(server):
    server.json("PUT", "/none")
    for options in [{"doc_ids": ["no such id"]}, {"source": server.database("none"), "target": server.database("d")}]:
        answer = server.json("POST", "/_replicate", json={"source": server.database("d"), "target": server.database("none")} | options)
        assert answer == {"ok": True, "no_changes": True}


def test_a_show_starts_with_headers_alone(server):
    server.json("PUT", "/d/_design/shows", json={
        "shows": {"s": 'function(doc, req) { start({"X-Test": "Yeah"}); send("Hey"); }'}})
    answer = server.request("GET", "/d/_design/shows/_show/s")
    assert (answer.status_code, answer.headers["X-Test"], answer.text) == (200, "Yeah", "Hey")


def test_functions_in_another_language_are_named(server):
    server.json("PUT", "/other")
    server.json("PUT", "/other/_design/un", json={"language": "coffeescript", "views": {"v": {"map": "(doc) -> emit 1"}}})
    answer = server.request("GET", "/other/_design/un/_view/v")
    assert (answer.status_code, answer.json()["error"]) == (500, "unknown_query_language")
    # Writes are refused as long as their validation cannot be run.
    server.json("PUT", "/other/_design/check", json={"language": "coffeescript", "validate_doc_update": "(doc) ->"})
    answer = server.request("PUT", "/other/a", json={})
    assert answer.status_code == 500 and "_design/check is in the language coffeescript" in answer.json()["reason"]
    revision = server.json("GET", "/other/_design/check")["_rev"]
    server.json("DELETE", f"/other/_design/check?rev={revision}")
    server.json("PUT", "/other/a", json={})


def test_an_index_leaves_an_empty_design_document(server):
    server.json("PUT", "/d/_design/empty", json={})
    answer = server.request("POST", "/d/_index", json={"index": {"fields": ["foo"]}, "name": "x", "ddoc": "empty"})
    assert answer.status_code == 400 and "another language" in answer.json()["reason"]


def test_indexes_of_the_same_fields_are_deleted_one_by_one(server):
    made = [server.json("POST", "/d/_index", json={"index": {"fields": ["foo"]}, "name": name}) for name in "pq"]
    assert made[0]["id"] != made[1]["id"]
    again = server.json("POST", "/d/_index", json={"index": {"fields": ["foo"]}, "name": "p"})
    assert (again["result"], again["id"]) == ("exists", made[0]["id"])
    assert server.json("POST", "/d/_index/_bulk_delete", json={"docids": [made[0]["id"]]})["fail"] == []
    assert [index["name"] for index in server.json("GET", "/d/_index")["indexes"] if index["name"] in "pq"] == ["q"]


@pytest.mark.parametrize("method,path,body,reason", [
    ("POST", "_changes?filter=_selector", {"selector": "foo"}, "Selector error: expected a JSON object"),
    ("POST", "_changes?filter=_selector", {}, "Selector error: expected a JSON object"),
    ("GET", "_changes?feed=longpoll&heartbeat=-1000", None, "The heartbeat value should be a positive integer (in milliseconds)."),
    *[("GET", f"_changes?feed=longpoll&heartbeat={text}", None, "Invalid heartbeat value. Expecting a positive integer value (in milliseconds).")
      for text in ("a1000", "1.5", "")],
    *[("POST", path, {"keys": 1}, "`keys` body member must be an array.") for path in ("_all_docs", "_design_docs", "_local_docs")],
    ("GET", "_all_docs?keys=1", None, "`keys` parameter must be an array."),
    ("POST", "_bulk_docs", [], "Request body must be a JSON object"),
    ("POST", "_bulk_docs", {"docs": [], "new_edits": 0}, "`new_edits` parameter must be a boolean."),
    ("GET", "_local/x/f.txt", None, "_local documents do not accept attachments."),
])
def test_reasons_that_clients_compare(server, method, path, body, reason):
    answer = server.request(method, f"/d/{path}", json=body)
    assert (answer.status_code, answer.json()["reason"]) == (400, reason)
