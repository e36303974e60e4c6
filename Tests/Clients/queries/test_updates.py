"""Update functions of design documents."""

import base64

import couchdb
import pytest
import requests

from conftest import Server

UPDATES = {
    "hello": """function (doc, req) {
        if (!doc) {
            if (req.id) return [{_id: req.id, from: "path"}, "New World"];
            return [null, "Empty World"];
        }
        doc.world = "hello";
        doc.editedBy = req.userCtx.name;
        return [doc, "hello doc"];
    }""",
    "field": """function (doc, req) {
        doc[req.form.field] = req.form.value;
        return [doc, {headers: {"X-Field": req.form.field}, json: {set: doc[req.form.field]}}];
    }""",
    "body": "function (doc, req) { return [JSON.parse(req.body), {code: 202, body: req.method + ' ' + req.uuid.length}]; }",
    "binary": "function () { return [null, {base64: 'aGVsbG8=', headers: {'X-A': 1, 'Content-Length': '3'}}]; }",
    "headers": """function (doc, req) {
        return [null, {headers: JSON.parse(req.body), body: "x"}];
    }""",
    "logs": "function (doc, req) { log(req.body); return [null, 'x']; }",
    "conflict": "function () { return [{_id: 'plain', _rev: '1-0'}, 'late']; }",
    "nameless": "function () { return [{}, 'no id']; }",
    "nothing": "function () {}",
    "odd": "function () { return [null, {sorry: 1}]; }",
    "throws": "function () { throw new TypeError('oh'); }",
    "forbids": "function () { throw {error: 'forbidden', reason: 'not you'}; }",
    "number": "function () { return 7; }",
    "nested": {"no": "function"},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("updates") / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/up", json={"updates": UPDATES})
    site.json("PUT", "/db/a%2Fb", json={"n": 1})
    site.json("PUT", "/db/plain", json={"n": 1, "_attachments": {"f": {"data": "aGVsbG8="}}})
    yield site
    site.stop()


def update(site, path, method="POST", **options):
    return site.request(method, f"/db/_design/up/_update/{path}", **options)


def test_no_document(site):
    answer = update(site, "hello")
    assert (answer.status_code, answer.text) == (200, "Empty World")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "X-Couch-Update-NewRev" not in answer.headers
    assert answer.headers["Content-Security-Policy"] == "sandbox"


def test_creates_and_changes(site):
    answer = update(site, "hello/new one", "PUT")
    assert (answer.status_code, answer.text) == (201, "New World")
    assert answer.headers["X-Couch-Id"] == "new%20one"
    written = site.json("GET", "/db/new one")
    assert written["_rev"] == answer.headers["X-Couch-Update-NewRev"] and written["from"] == "path"
    answer = update(site, "hello/new one")
    assert (answer.status_code, answer.text) == (201, "hello doc")
    written = site.json("GET", "/db/new one")
    assert written["_rev"].startswith("2-") and written["world"] == "hello" and written["editedBy"] == "admin"


def test_slashes_in_the_id(site):
    for path in ["hello/a/b", "hello/a%2Fb"]:
        answer = update(site, path)
        assert answer.status_code == 201 and answer.headers["X-Couch-Id"] == "a%2Fb"
    assert site.json("GET", "/db/a%2Fb")["_rev"].startswith("3-")


def test_attachments_stay(site):
    assert update(site, "hello/plain").status_code == 201
    assert site.request("GET", "/db/plain/f").content == b"hello"


def test_forms_headers_and_json(site):
    answer = update(site, "field/plain", data={"field": "title", "value": "a & b"})
    assert answer.status_code == 201 and answer.json() == {"set": "a & b"} and answer.text.endswith("\n")
    assert answer.headers["Content-Type"] == "application/json" and answer.headers["X-Field"] == "title"
    assert site.json("GET", "/db/plain")["title"] == "a & b"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_bodies_methods_and_codes(site, method):
    answer = update(site, "body", method, json={"_id": f"by-{method}"})
    assert (answer.status_code, answer.text) == (202, f"{method} 32")
    assert site.json("GET", f"/db/by-{method}")["_rev"] == answer.headers["X-Couch-Update-NewRev"]


def test_base64(site):
    answer = update(site, "binary")
    assert answer.content == b"hello" and answer.headers["Content-Type"] == "application/binary"
    assert answer.headers["X-A"] == "1" and answer.headers["Content-Length"] == "5"


@pytest.mark.parametrize("path, status, error, reason", [
    ("none", 404, "not_found", "missing json key: none"),
    ("conflict/plain", 409, "conflict", "Document update conflict."),
    ("nameless", 400, "illegal_docid", None),
    ("nothing", 500, "render_error", "undefined response from update function"),
    ("odd", 500, "external_response_error", "Invalid data from external server: {\"sorry\",1}"),
    ("throws", 500, "render_error", None),
    ("forbids", 403, "forbidden", "not you"),
    ("number", 500, "render_error", "undefined response from update function"),
    ("nested", 404, "not_found", None),
])
def test_errors(site, path, status, error, reason):
    answer = update(site, path)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert reason is None or answer.json()["reason"] == reason


def test_a_get_changes_nothing(site):
    answer = update(site, "hello/plain", "GET")
    assert answer.status_code == 405
    assert answer.json() == {"error": "method_not_allowed", "reason": "Update functions do not allow GET"}


def test_no_such_design(site):
    assert site.request("POST", "/db/_design/no/_update/x").status_code == 404
    assert site.request("POST", "/no/_design/up/_update/x").status_code == 404


def test_what_it_makes_is_validated(server):
    server.json("PUT", "/db")
    server.json("PUT", "/db/_design/up", json={
        "updates": {"copy": "function (doc, req) { return [JSON.parse(req.body), 'done']; }"},
        "validate_doc_update": "function (doc) { if (doc.bad) throw {forbidden: 'no bad ones'}; }"})
    answer = server.request("POST", "/db/_design/up/_update/copy", json={"_id": "x", "bad": True})
    assert answer.status_code == 403 and answer.json() == {"error": "forbidden", "reason": "no bad ones"}
    assert server.request("POST", "/db/_design/up/_update/copy", json={"_id": "x"}).status_code == 201
    server.json("PUT", "/db/_security", json={"members": {"names": ["mia"]}})
    answer = requests.post(f"{server.url}/db/_design/up/_update/copy", json={"_id": "y"}, timeout=30)
    assert answer.status_code == 401


def test_only_administrators_make_design_documents(server):
    """A function's document is written with the rights of the request's principal."""
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1000")
    server.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "password": "mia", "type": "user", "roles": []})
    server.json("PUT", "/db")
    server.json("PUT", "/db/_security", json={"members": {"names": ["mia"]}})
    server.json("PUT", "/db/_design/up", json={
        "updates": {"copy": "function (doc, req) { return [JSON.parse(req.body), 'done']; }"}})
    answer = requests.post(
        f"{server.url}/db/_design/up/_update/copy", json={"_id": "_design/x"}, auth=("mia", "mia"), timeout=30)
    assert answer.status_code == 403
    answer = requests.post(
        f"{server.url}/db/_design/up/_update/copy", json={"_id": "x"}, auth=("mia", "mia"), timeout=30)
    assert answer.status_code == 201


def test_couchdb_python(site):
    database = couchdb.Server(site.url.replace("://", "://admin:secret@") + "/")["db"]
    headers, body = database.update_doc("up/hello", "python")
    assert body.read() == b"New World" and headers["X-Couch-Id"] == "python"
    headers, body = database.update_doc("up/hello")
    assert body.read() == b"Empty World"


def test_large_bodies(site):
    content = base64.b64encode(bytes(range(256)) * 3_000).decode()
    assert update(site, "body", json={"_id": "large", "content": content}).status_code == 202
    assert site.json("GET", "/db/large")["content"] == content


@pytest.mark.parametrize("name, value", [
    ("Set-Cookie", "AuthSession=x; Path=/"), ("set-cookie", "  authsession = x"), ("Set-Cookie", "==AuthSession=x"),
    ("Set-Cookie", "GodwitConsole=x"), ("Set-Cookie", "AuthSession"), ("Access-Control-Allow-Origin", "*"),
    ("access-control-allow-credentials", "true"), ("Server", "mine"), ("Strict-Transport-Security", "max-age=0"),
    ("WWW-Authenticate", "Basic"), ("Proxy-Authenticate", "Basic"), ("Clear-Site-Data", '"*"'),
    ("Connection", "keep-alive, x"), ("Transfer-Encoding", "gzip"), ("Content-Length", "3"), ("Alt-Svc", 'h2="x:443"'),
    ("Service-Worker-Allowed", "/"), ("NEL", "{}"), ("Report-To", "{}"),
])
def test_number_12_headers_that_a_function_does_not_set(site, name, value):
    answer = update(site, "headers", json={name: value, "X-Own": "1"})
    assert answer.status_code == 200 and answer.text == "x" and answer.headers["X-Own"] == "1"
    assert answer.headers.get(name) != value


def test_number_12_the_sandbox_stays(site):
    for value in ("default-src *", "sandbox allow-scripts allow-same-origin", ""):
        answer = update(site, "headers", json={"Content-Security-Policy": value})
        assert answer.headers["Content-Security-Policy"].split(",")[0].strip() == "sandbox"
    answer = update(site, "headers", json={"Location": "/db", "Set-Cookie": "own=1", "X-Own": "2"})
    assert (answer.headers["Location"], answer.headers["Set-Cookie"], answer.headers["X-Own"]) == ("/db", "own=1", "2")


def test_number_12_nobody_writes_lines_of_the_log(tmp_path):
    site = Server(tmp_path / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/up", json={"updates": UPDATES})
    text = "one\n2026-01-01T00:00:00Z notice godwit: two\r\x1b[31mthree\x7f\x9b\u2028four"
    assert update(site, "logs", data=text.encode(), headers={"Content-Type": "text/plain"}).ok
    [line] = [line for line in site.stop().split("\n") if "three" in line]
    assert "one\\n2026" in line and "two\\r\\u{1b}[31mthree\\u{7f}\\u{9b}\\u{2028}four" in line
