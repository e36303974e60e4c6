"""List functions of design documents."""

import base64
import json
import socket
import threading
import time

import couchdb
import pytest
import requests

from conftest import ADMIN, Server

LISTS = {
    "basic": """function (head, req) {
        start({headers: {"Content-Type": "text/plain"}});
        send(JSON.stringify(head) + "\\n");
        var row;
        while (row = getRow()) send(JSON.stringify(row) + "\\n");
        return "tail";
    }""",
    "silent": "function () {}",
    "early": "function () { send('head'); getRow(); return ' stopped'; }",
    "unread": "function () { send('bacon'); return ' eggs'; }",
    "coded": "function () { start({code: 418, headers: {'X-Tea': 'pot'}}); send('short'); }",
    "json": "function (head, req) { var all = [], row; while (row = getRow()) all.push(row.key); return toJSON(all); }",
    "provided": """function (head, req) {
        provides("html", function () {
            var row, text = "<ul>";
            while (row = getRow()) text += "<li>" + row.key + "</li>";
            return text + "</ul>";
        });
        provides("xml", function () { send("<rows>"); while (row = getRow()) send("<r/>"); return "</rows>"; });
    }""",
    "throws": "function () { throw new Error('before'); }",
    "late": "function () { send('x'); getRow(); throw new Error('after'); }",
    "refuses": "function () { throw(['error', 'forbidden', 'not these']); }",
    "body": "function (head, req) { return req.body + req.method; }",
    "flood": "function () { var row, text = new Array(20001).join('x'); while (row = getRow()) send(text); }",
    "wide": "function () { var row; while (row = getRow()) for (var i = 0; i < 100; i++) send('0123456789'); }",
}
COUNT = 1_003


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("lists") / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/l", json={"lists": LISTS, "views": {
        "n": {"map": "function (doc) { emit(doc.n, doc.n % 2); }", "reduce": "_sum"},
        "plain": {"map": "function (doc) { emit(doc.n, null); }"},
        "script": {"map": "function (doc) { emit(doc.n, doc.n); emit(doc.n, 1); }",
                   "reduce": "function (keys, values) { return Math.max.apply(null, values); }"},
        "linked": {"map": "function (doc) { if (doc.n == 1) emit(null, {_id: '0002'}); }"}}})
    site.json("PUT", "/db/_design/other", json={
        "views": {"back": {"map": "function (doc) { emit(-doc.n, null); }"}}})
    site.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"{n:04}", "n": n} for n in range(COUNT)]})
    yield site
    site.stop()


def ask(site, path, method="GET", **options):
    return site.request(method, f"/db/_design/l/_list/{path}", **options)


def lines(answer):
    assert answer.status_code == 200, answer.text
    *rows, tail = answer.text.split("\n")
    assert tail == "tail"
    head, *rows = [json.loads(row) for row in rows]
    return head, rows


def test_all_rows(site):
    answer = ask(site, "basic/plain")
    assert answer.headers["Content-Type"] == "text/plain"
    head, rows = lines(answer)
    assert head == {"total_rows": COUNT, "offset": 0}
    assert rows == [{"id": f"{n:04}", "key": n, "value": None} for n in range(COUNT)]


def test_parameters(site):
    head, rows = lines(ask(site, "basic/plain?startkey=100&limit=3&skip=1&include_docs=true&update_seq=true"))
    assert head["offset"] == 101 and "update_seq" in head
    assert [row["doc"]["_id"] for row in rows] == ["0101", "0102", "0103"]
    _, rows = lines(ask(site, "basic/plain?descending=true&limit=1"))
    assert rows[0]["key"] == COUNT - 1
    _, rows = lines(ask(site, "basic/plain?keys=[5,3]"))
    assert [row["key"] for row in rows] == [5, 3]
    _, rows = lines(ask(site, "basic/linked?include_docs=true"))
    assert rows[0]["doc"]["_id"] == "0002"
    _, rows = lines(ask(site, "basic/plain?startkey=5000"))
    assert rows == []


def test_reduced_rows(site):
    head, rows = lines(ask(site, "basic/n"))
    assert head == {} and rows == [{"key": None, "value": COUNT // 2}]
    _, rows = lines(ask(site, "basic/n?group=true"))
    assert len(rows) == COUNT and rows[3] == {"key": 3, "value": 1}
    head, rows = lines(ask(site, "basic/n?reduce=false&limit=1"))
    assert head == {"total_rows": COUNT, "offset": 0} and rows == [{"id": "0000", "key": 0, "value": 0}]


def test_post(site):
    _, rows = lines(ask(site, "basic/plain", "POST", json={"keys": [9, 7]}))
    assert [row["key"] for row in rows] == [9, 7]
    # As in CouchDB, the function gets the body as a value.
    answer = ask(site, "body/plain", "POST", json={"keys": [9]})
    assert answer.text == "[object Object]POST"
    assert ask(site, "basic/plain", "POST", data="keys", headers={"Content-Type": "text/plain"}).status_code == 415


def test_the_view_of_another_design_document(site):
    _, rows = lines(ask(site, "basic/other/back?limit=2"))
    assert [row["key"] for row in rows] == [1 - COUNT, 2 - COUNT]


def test_all_docs(site):
    head, rows = lines(ask(site, "basic/_all_docs?startkey=%220001%22&limit=2&include_docs=true"))
    assert head["total_rows"] == COUNT + 2
    assert [(row["id"], row["key"], row["doc"]["n"]) for row in rows] == [("0001", "0001", 1), ("0002", "0002", 2)]
    _, rows = lines(ask(site, "basic/_all_docs"))
    assert len(rows) == COUNT + 2
    _, rows = lines(ask(site, "basic/_all_docs", "POST", json={"keys": ["0005", "none"]}))
    assert rows[0]["id"] == "0005" and rows[1] == {"key": "none", "error": "not_found"}


def test_words(site):
    assert ask(site, "silent/plain").text == ""
    assert ask(site, "early/plain").text == "head stopped"
    assert ask(site, "unread/plain").text == "bacon eggs"
    assert ask(site, "json/plain?limit=3").text == "[0,1,2]"
    answer = ask(site, "coded/plain")
    assert (answer.status_code, answer.headers["X-Tea"], answer.text) == (418, "pot", "short")


def test_provides(site):
    answer = ask(site, "provided/plain?limit=2", headers={"Accept": "text/html"})
    assert answer.text == "<ul><li>0</li><li>1</li></ul>"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    answer = ask(site, "provided/plain?limit=2", headers={"Accept": "application/xml"})
    assert answer.text == "<rows><r/><r/></rows>" and answer.headers["Content-Type"] == "application/xml"
    assert ask(site, "provided/plain", headers={"Accept": "image/png"}).status_code == 406


@pytest.mark.parametrize("path, status, error", [
    ("none/plain", 404, "not_found"), ("basic/none", 404, "not_found"), ("basic/nowhere/plain", 404, "not_found"),
    ("throws/plain", 500, "render_error"), ("refuses/plain", 403, "forbidden"),
    ("basic/plain?group=true", 400, "query_parse_error"), ("basic/plain?limit=x", 400, "query_parse_error")])
def test_errors(site, path, status, error):
    answer = ask(site, path)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text


def test_an_error_in_the_midst_is_the_last_line_of_the_answer(site):
    answer = ask(site, "late/plain")
    assert answer.status_code == 200
    said = json.loads(answer.text.splitlines()[-1])
    assert said["code"] == 500 and said["error"] == "render_error"
    assert ask(site, "silent/plain").status_code == 200


def test_long_answers(site):
    assert ask(site, "wide/plain").text == "0123456789" * 100 * COUNT


def test_slow_clients(site):
    """The function's time limit does not include the time that a client takes to read."""
    with ask(site, "flood/plain", stream=True) as answer:
        pieces = answer.iter_content(65_536)
        count = len(next(pieces))
        time.sleep(8)
        assert ask(site, "silent/plain").status_code == 200, "another one runs meanwhile"
        count += sum(len(piece) for piece in pieces)
    assert count == 20_000 * COUNT


def test_clients_that_read_nothing_hold_no_process(site):
    """A database has two processes; four clients occupy none of them."""
    host, port = site.url.removeprefix("http://").split(":")
    login = base64.b64encode(":".join(ADMIN).encode()).decode()
    readers = []
    for _ in range(4):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.settimeout(60)
        reader.connect((host, int(port)))
        path = "/db/_design/l/_list/flood/plain?limit=300"
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic {login}\r\n\r\n".encode())
        readers.append(reader)
    time.sleep(1)
    for _ in range(3):
        begun = time.monotonic()
        assert ask(site, "silent/plain").status_code == 200
        assert time.monotonic() - begun < 10
    for reader in readers:
        with reader, reader.makefile("rb") as answer:
            assert answer.read().partition(b"\r\n\r\n")[2].count(b"x") == 20_000 * 300


def test_clients_that_go(site):
    for _ in range(6):
        with ask(site, "flood/plain", stream=True) as answer:
            next(answer.iter_content(65_536))
    begun = time.monotonic()
    assert ask(site, "silent/plain").status_code == 200
    assert time.monotonic() - begun < 5


def test_many_lists_over_a_reduce_function_at_once(site):
    """Each list waits for its rows while it runs, and the rows for another function: they must not wait for one another."""
    path = "json/script?group=true"
    expected = ask(site, path).text
    assert len(json.loads(expected)) == COUNT
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(requests.get(
        f"{site.url}/db/_design/l/_list/{path}", auth=ADMIN, timeout=40).text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 8


def test_couchdb_python(site):
    database = couchdb.Server(site.url.replace("://", "://admin:secret@") + "/")["db"]
    headers, body = database.list("l/json", "l/plain", limit=2)
    assert body == [0, 1]
    headers, body = database.list("l/json", "other/back", limit=1)
    assert body == [-1002]
