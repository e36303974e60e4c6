"""Show functions of design documents."""

import couchdb
import pytest

from conftest import Server

SHOWS = {
    "hello": """function (doc, req) {
        log("hello there");
        if (doc) return "Hello " + doc.name;
        return req.id ? "New " + req.id : "Empty World";
    }""",
    "request": "function (doc, req) { return {json: req}; }",
    "document": "function (doc, req) { return {json: doc}; }",
    "redirect": "function () { return {code: 302, headers: {Location: '/elsewhere'}}; }",
    "gone": "function () { return {code: 204}; }",
    "provided": """function (doc, req) {
        registerType("foo", "application/foo", "application/x-foo");
        provides("html", function () { return "<b>" + doc.name + "</b>"; });
        provides("foo", function () { return {body: "foo", headers: {Etag: "skipped", "X-Foo": "1"}}; });
        provides("json", function () { return {json: doc.name}; });
    }""",
    "sent": """function (doc, req) {
        start({code: 206, headers: {"X-Sent": "yes"}});
        send("one ");
        send("two ");
        return "three";
    }""",
    "begun": "function () { start({code: 203, headers: {'X-Begun': 'yes'}}); return 'text'; }",
    "module": "function (doc, req) { return require('lib/words').greet(doc.name); }",
    "nothing": "function () {}",
    "list": "function () { return [1]; }",
    "throws": "function () { throw(['error', 'not_found', 'no such thing']); }",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("shows") / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/s", json={
        "shows": SHOWS, "lib": {"words": "exports.greet = function (name) { return 'Dear ' + name; };"}})
    site.json("PUT", "/db/rusty", json={"name": "Rusty", "_attachments": {"f": {"data": "aGVsbG8="}}})
    site.json("PUT", "/db/a%2Fb%2Fc", json={"name": "Slashes"})
    yield site
    site.stop()


def show(site, path, **options):
    return site.request("GET", f"/db/_design/s/_show/{path}", **options)


def test_with_and_without_a_document(site):
    assert show(site, "hello").text == "Empty World"
    assert show(site, "hello/rusty").text == "Hello Rusty"
    assert show(site, "hello/nobody").text == "New nobody"
    assert show(site, "hello/a/b/c").text == show(site, "hello/a%2Fb%2Fc").text == "Hello Slashes"
    assert show(site, "module/rusty").text == "Dear Rusty"
    assert site.request("POST", "/db/_design/s/_show/hello/rusty").text == "Hello Rusty"


def test_a_status_and_headers_without_a_text_that_is_sent(site):
    answer = show(site, "begun")
    assert (answer.status_code, answer.headers["X-Begun"], answer.text) == (203, "yes", "text")


def test_the_request(site):
    path = "request/no/body?foo=bar&key=%5B1%5D&descending=true"
    answer = show(site, path, headers={"X-Foo": "bar", "Cookie": "a=b"}).json()
    assert answer["method"] == "GET" and answer["id"] == "no/body" and answer["body"] == "undefined"
    assert answer["query"] == {"foo": "bar", "key": [1], "descending": True}
    assert answer["path"] == ["db", "_design", "s", "_show", "request", "no", "body"]
    assert answer["requested_path"] == [*answer["path"][:-1], "body?foo=bar&key=[1]&descending=true"]
    assert answer["raw_path"].startswith("/db/_design/s/_show/request/no/body?foo=bar")
    assert answer["headers"]["X-Foo"] == "bar" and answer["headers"]["Host"]
    assert answer["cookie"] == {"a": "b"}
    assert answer["userCtx"] == {"db": "db", "name": "admin", "roles": ["_admin"]}
    assert answer["info"]["db_name"] == "db" and answer["peer"] == "127.0.0.1" and len(answer["uuid"]) == 32
    assert "members" in answer["secObj"]


def test_credentials_are_not_told(site):
    answer = show(site, "request", auth=("admin", "secret"))
    assert "Authorization" not in answer.json()["headers"] and "secret" not in answer.text
    session = site.request("POST", "/_session", json={"name": "admin", "password": "secret"}).cookies["AuthSession"]
    answer = show(site, "request", headers={"Cookie": f"AuthSession={session}"})
    assert session not in answer.text
    answer = show(site, "request", headers={
        "Cookie": "GodwitConsole=c0nsole; GodwitLogin=l0gin; other=kept", "X-Auth-Token": "t0ken", "X-Auth-CouchDB-Token": "pr0xy"})
    assert answer.json()["cookie"] == {"other": "kept"}
    assert not any(secret in answer.text for secret in ("c0nsole", "l0gin", "t0ken", "pr0xy"))


def test_the_document(site):
    document = show(site, "document/rusty").json()
    assert document["_revisions"]["start"] == 1 and document["_attachments"]["f"]["stub"]
    assert show(site, "document").json() is None
    site.json("POST", "/db/_bulk_docs", json={
        "docs": [{"_id": "c", "_rev": "1-a"}, {"_id": "c", "_rev": "1-b"}], "new_edits": False})
    assert show(site, "document/c").json()["_conflicts"] == ["1-a"]


def test_codes(site):
    answer = show(site, "redirect", allow_redirects=False)
    assert answer.status_code == 302 and answer.headers["Location"] == "/elsewhere"
    answer = show(site, "gone")
    assert answer.status_code == 204 and answer.content == b""


@pytest.mark.parametrize("accept, type, text", [
    ("text/html,application/xhtml+xml;q=0.9", "text/html; charset=utf-8", "<b>Rusty</b>"),
    ("application/x-foo", "application/x-foo", "foo"),
    ("application/json;q=0.5, text/html;q=0.4", "application/json", '"Rusty"\n'),
    ("*/*", "text/html; charset=utf-8", "<b>Rusty</b>"),
])
def test_types_that_are_accepted(site, accept, type, text):
    answer = show(site, "provided/rusty", headers={"Accept": accept})
    assert (answer.headers["Content-Type"], answer.text) == (type, text)
    assert answer.headers["Vary"].startswith("Accept")


def test_types_by_name_and_none(site):
    answer = show(site, "provided/rusty?format=foo")
    assert answer.text == "foo" and answer.headers["X-Foo"] == "1" and answer.headers["ETag"] != "skipped"
    answer = show(site, "provided/rusty", headers={"Accept": "image/png"})
    assert answer.status_code == 406 and answer.json()["error"] == "not_acceptable"
    assert "image/png" in answer.json()["reason"]


def test_start_and_send(site):
    answer = show(site, "sent")
    assert (answer.status_code, answer.text, answer.headers["X-Sent"]) == (206, "one two three", "yes")


@pytest.mark.parametrize("name, status, error", [
    ("none", 404, "not_found"), ("nothing", 200, None), ("list", 500, "render_error"), ("throws", 404, "not_found")])
def test_errors(site, name, status, error):
    answer = show(site, name)
    assert answer.status_code == status, answer.text
    assert error is None or answer.json()["error"] == error


def test_tags(site):
    first = show(site, "hello/rusty")
    tag = first.headers["ETag"]
    again = show(site, "hello/rusty", headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == tag
    # Another type, another document, a changed document and changed functions each have another answer.
    tags = {tag, show(site, "hello/rusty", headers={"Accept": "text/x"}).headers["ETag"], show(
        site, "hello/nobody").headers["ETag"]}
    document = site.json("GET", "/db/rusty")
    site.json("PUT", "/db/rusty", json={**document, "age": 3})
    changed = show(site, "hello/rusty", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    tags.add(changed.headers["ETag"])
    design = site.json("GET", "/db/_design/s")
    site.json("PUT", "/db/_design/s", json={**design, "note": 1})
    tags.add(show(site, "hello/rusty").headers["ETag"])
    assert len(tags) == 5


def test_couchdb_python(site):
    database = couchdb.Server(site.url.replace("://", "://admin:secret@") + "/")["db"]
    headers, body = database.show("s/hello", "rusty")
    assert body.read() == b"Hello Rusty" and headers["Content-Type"] == "text/html; charset=utf-8"
    assert database.show("_design/s/_show/request", color="x")[1].read()


def test_a_changed_design_document_is_seen_at_once(site):
    show, design = "/db/_design/changing/_show/s", "/db/_design/changing"
    revision = None
    for round in range(20):
        body = {"shows": {"s": f"function () {{ return 'round {round}'; }}"}, **({"_rev": revision} if revision else {})}
        revision = site.json("PUT", design, json=body)["rev"]
        assert site.request("GET", show).text == f"round {round}"
        if round % 5 == 4:
            site.json("DELETE", f"{design}?rev={revision}")
            assert site.request("GET", show).status_code == 404
            revision = None
    again = {"_id": "_design/changing", "_rev": "99-ff", "shows": {"s": "function () { return 'replicated'; }"}}
    site.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [again]})
    assert site.request("GET", show).text == "replicated"
    site.json("DELETE", "/db")
    site.json("PUT", "/db")
    assert site.request("GET", show).status_code == 404


def test_what_functions_log_names_their_database_and_their_design_documents(tmp_path):
    server = Server(tmp_path / "data")
    server.json("PUT", "/db")
    views = {"v": {"map": "function (doc) { log('at ' + doc._id); emit(1); }"}}
    server.json("PUT", "/db/_design/s", json={"shows": SHOWS, "views": views})
    server.json("PUT", "/db/_design/t", json={"views": views})
    server.json("PUT", "/db/a", json={"secret": "b"})
    assert show(server, "hello").text == "Empty World"
    assert server.json("GET", "/db/_design/t/_view/v")["total_rows"] == 1
    log = server.stop()
    assert "notice godwit: log: hello there database=db design=_design/s\n" in log
    assert "notice godwit: log: at a database=db design=_design/s,_design/t\n" in log and "secret" not in log
