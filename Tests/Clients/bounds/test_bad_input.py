"""Invalid requests get CouchDB's status and error body, store nothing, and the server continues."""

import json
import socket

import pytest
import requests

from conftest import Server

JSON = {"Content-Type": "application/json"}
DEEP = b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
DEEPEST = b'{"a":' + b"[" * 9_999 + b"]" * 9_999 + b"}"

CASES = [
    # method, path, body, status, error, in reason
    ("PUT", "/db/x", b"nonsense", 400, "bad_request", "invalid UTF-8 JSON: the text is not JSON, at byte 1: expected"),
    ("PUT", "/db/x", b"", 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", b'{"type":"trip",', 400, "bad_request", "JSON: the text ends before the end of the JSON, at byte 15"),
    ("PUT", "/db/x", b'{"a":1}}', 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", b'{"a":"\xff"}', 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", b'{"a":"\\ud800"}', 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", b'{"a":1e400}', 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", DEEP, 400, "bad_request", "invalid UTF-8 JSON"),
    ("PUT", "/db/x", b"[]", 400, "bad_request", "JSON object"),
    ("PUT", "/db/x", b'{"_strange":1}', 400, "doc_validation", "Bad special document member: _strange"),
    ("PUT", "/db/x", b'{"_rev":"nonsense"}', 400, "bad_request", "Invalid rev format"),
    ("PUT", "/db/x", b'{"_rev":"1-abc"}', 409, "conflict", "Document update conflict."),
    ("PUT", "/db/x?rev=1-b", b'{"_rev":"1-abc"}', 400, "bad_request", "different values"),
    ("PUT", "/db/_x", b"{}", 400, "illegal_docid", "underscore"),
    ("PUT", "/db/x", b'{"_attachments":{"a":{"data":"%%"}}}', 400, "bad_request", "Base64"),
    ("PUT", "/db/x", b'{"_attachments":{"a":{"stub":true}}}', 412, "missing_stub", "stub"),
    ("PUT", "/db/x", b'{"a":"' + b"x" * 8_000_000 + b'"}', 413, "document_too_large", "8000000"),
    ("PUT", "/db/x", b'{"_id":7}', 400, "illegal_docid", "string"),
    ("POST", "/db/_bulk_docs", b"{}", 400, "bad_request", "`docs`"),
    ("POST", "/db/_bulk_docs", b'{"docs":7}', 400, "bad_request", "array"),
    ("POST", "/db/_bulk_get", b"{}", 400, "bad_request", "docs"),
    ("POST", "/db/_revs_diff", b"[]", 400, "bad_request", "object"),
    ("GET", "/nowhere", None, 404, "not_found", "Database does not exist."),
    ("GET", "/nowhere/x", None, 404, "not_found", "Database does not exist."),
    ("PUT", "/nowhere/x", b"{}", 404, "not_found", "Database does not exist."),
    ("GET", "/db/x", None, 404, "not_found", "missing"),
    ("GET", "/db/x/y", None, 404, "not_found", "missing"),
    ("DELETE", "/db/x?rev=1-a", None, 404, "not_found", "missing"),
    ("GET", "/db/kept?rev=1-abc", None, 404, "not_found", "missing"),
    ("DELETE", "/db/kept", None, 409, "conflict", "conflict"),
    ("PUT", "/db", None, 412, "file_exists", "already exists"),
    ("PUT", "/Upper", None, 400, "illegal_database_name", "Only lowercase"),
    ("PUT", "/_own", None, 400, "illegal_database_name", "Must begin with a letter"),
    ("DELETE", "/db?rev=1-a", None, 400, "bad_request", "?=rev"),
    ("GET", "/db/%ff", None, 400, "bad_request", "UTF-8"),
    ("GET", "/db/_changes?since=x", None, 400, "bad_request", "since"),
    ("GET", "/db/_changes?limit=-1", None, 400, "bad_request", "limit"),
    ("GET", "/db/_changes?limit=99999999999999999999", None, 400, "bad_request", "limit"),
    ("GET", "/db/_changes?feed=longpoll&heartbeat=99999999999999999999", None, 400, "bad_request", "heartbeat"),
    ("GET", "/db/_all_docs?skip=99999999999999999999", None, 400, "query_parse_error", "integer"),
    ("PUT", "/db/_revs_limit", b"1e400", 400, "bad_request", ""),
    ("PUT", "/db/_revs_limit", b"-9223372036854775808", 400, "bad_request", "positive integer"),
    ("GET", "/db/_all_docs?startkey=x", None, 400, "bad_request", "startkey"),
    ("GET", "/_uuids?count=1001", None, 400, "bad_request", "count"),
    ("PATCH", "/db", None, 405, "method_not_allowed", "allowed"),
    ("POST", "/db/_find", b'{"selector":', 400, "bad_request", "invalid UTF-8 JSON"),
    ("POST", "/db/_find", b'{}', 400, "missing_required_key", "Missing required key: selector"),
    ("GET", "/db/_changes?feed=strange", None, 400, "bad_request", "feed"),
    ("GET", "/db/_changes?filter=app/mine", None, 404, "not_found", "missing"),
    ("GET", "/db/_design/x/_view/y", None, 404, "not_found", "missing"),
    ("GET", "/db/_design/x/_geo/y?bbox=0,0,1,1", None, 404, "not_found", "Geospatial index 'y' not found"),
]


def fill(server):
    server.json("PUT", "/db")
    server.json("PUT", "/db/kept", json={"n": 1})
    return server


@pytest.fixture
def filled(server):
    return fill(server)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """One server for all refused requests, since none of them may change it."""
    server = Server(tmp_path_factory.mktemp("refused") / "data")
    yield fill(server)
    server.stop()


@pytest.mark.parametrize("method,path,body,status,error,reason", CASES, ids=lambda value: str(value)[:40])
def test_refused(unchanged, method, path, body, status, error, reason):
    response = unchanged.request(method, path, data=body, headers=JSON if body is not None else {})
    assert response.status_code == status, response.text[:300]
    answer = response.json()
    assert set(answer) == {"error", "reason"}
    assert answer["error"] == error and reason in answer["reason"]
    assert unchanged.json("GET", "/db")["doc_count"] == 1
    assert unchanged.json("GET", "/db")["update_seq"].startswith("1-")
    assert unchanged.json("GET", "/db/kept")["n"] == 1


def test_other_content_type(filled):
    response = filled.request("POST", "/db", data=b"{}", headers={"Content-Type": "text/plain"})
    assert (response.status_code, response.json()["error"]) == (415, "bad_content_type")


def test_methods_are_named(filled):
    response = filled.request("PATCH", "/db/_all_docs")
    assert response.headers["Allow"] == "GET,HEAD,POST"


def test_accepted_extremes(filled):
    assert filled.request("PUT", "/db/deep", data=DEEPEST, headers=JSON).status_code == 201
    assert filled.request("GET", "/db/deep").content.count(b"[") == 9_999
    filled.request("PUT", "/db/twice", data=b'{"a":1,"b":{"c":1,"c":2},"a":2}', headers=JSON)
    assert b'"a":1' not in filled.request("GET", "/db/twice").content
    assert filled.json("GET", "/db/twice")["a"] == 2 and filled.json("GET", "/db/twice")["b"] == {"c": 2}
    digits = "9" * 400
    filled.request("PUT", "/db/long", data=b'{"n":%s}' % digits.encode(), headers=JSON)
    assert digits in filled.request("GET", "/db/long").text


def test_names_with_slashes(filled):
    filled.json("PUT", "/a%2Fb")
    filled.json("PUT", "/a%2Fb/x%2Fy", json={})
    assert filled.json("GET", "/_all_dbs") == ["_replicator", "_users", "a/b", "db"]
    assert filled.json("GET", "/a%2Fb/x%2Fy")["_id"] == "x/y"
    filled.json("PUT", "/db/_design%2Fx", json={"language": "query"})
    assert filled.json("GET", "/db/_design/x")["_id"] == "_design/x"


def raw(server, text, half=False):
    """Sends bytes unchanged; the answer, or nothing if the connection is cut half-way."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(text)
        if half:
            return b""
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


BASIC = b"Authorization: Basic YWRtaW46c2VjcmV0\r\nHost: x\r\n"


@pytest.mark.parametrize("path", ["/db/x", "/db/x/photo.jpg"])
def test_truncated_upload(filled, path):
    head = b"PUT %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n" % (path.encode(), BASIC)
    raw(filled, head + b'{"a":"' + b"x" * 1_000_000, half=True)
    assert filled.request("GET", "/db/x").status_code == 404
    assert filled.json("GET", "/db")["doc_count"] == 1


def test_expect_continue(filled):
    request = b"PUT /db/%s HTTP/1.1\r\n%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    answer = raw(filled, request % (b"x", BASIC, 2) + b"{}")
    assert answer.startswith(b"HTTP/1.1 100 ") and b"HTTP/1.1 201 Created" in answer
    refused = raw(filled, request % (b"y", b"Host: x\r\n", 2))
    assert refused.startswith(b"HTTP/1.1 401 ") and b"100" not in refused.split(b"\r\n")[0]
    assert b"connection: close" in refused.lower()


def test_pipelined_requests(filled):
    one = b"GET /db/kept HTTP/1.1\r\n" + BASIC + b"\r\n"
    answer = raw(filled, one * 5)
    assert answer.count(b"HTTP/1.1 200 OK") == 5


def test_without_login(filled):
    for path in ["/", "/_up"]:
        assert requests.get(filled.url + path, timeout=10).status_code == 200
    for path in ["/db", "/db/kept", "/_all_dbs", "/_active_tasks", "/db/_changes", "/db/_local/x", "/nowhere"]:
        response = requests.get(filled.url + path, timeout=10)
        assert (response.status_code, response.json()["error"]) == (401, "unauthorized"), path
    for name, password in [("admin", "wrong"), ("nobody", "secret"), ("", "")]:
        response = requests.get(filled.url + "/db", auth=(name, password), timeout=10)
        assert response.json() == {"error": "unauthorized", "reason": "Name or password is incorrect."}


def test_head(filled):
    response = filled.request("HEAD", "/db/kept")
    assert response.content == b"" and int(response.headers["Content-Length"]) > 50
    assert filled.request("HEAD", "/db/nothing").status_code == 404
    assert filled.request("HEAD", "/nowhere").status_code == 404
    assert json.loads(filled.request("GET", "/db/kept").text)["n"] == 1


def test_broken_escape(filled):
    answer = raw(filled, b"GET /db/%zz HTTP/1.1\r\nConnection: close\r\n" + BASIC + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ") and b"escape" in answer
