"""Connections: pipelining, keeping and ending them, and bytes that are not HTTP."""

import contextlib
import re
import socket
import struct
import threading
import time

import pytest

from loads import CLOSED_SECONDS_MAX, EXPECT, many_files, send_all_and_ask, serves_others, shared
from raw import Answer, ask, connect, request


def test_pipelined_requests_are_answered_in_order(shared):
    """Reads, writes, refusals and long answers on one connection, all sent before the first is read."""
    texts, expected = [], []

    def add(method, path, status, check, body=b""):
        texts.append(request(method, path, "Content-Type: application/json", body=body))
        expected.append((method, status, check))

    for number in range(30):
        name = f"piped{number}"
        add("GET", f"/db/{name}", 404, lambda answer: answer["reason"] == "missing")
        add("PUT", f"/db/{name}", 201, lambda answer, name=name: answer["id"] == name, b'{"n":%d}' % number)
        add("GET", f"/db/{name}", 200, lambda answer, number=number: answer["n"] == number)
        add("HEAD", f"/db/{name}", 200, None)
        add("PUT", f"/db/{name}", 409, lambda answer: answer["error"] == "conflict", b'{}')
        add("PUT", f"/db/_{name}", 400, lambda answer: answer["error"] == "illegal_docid", b'{}')
        add("POST", "/db/_revs_diff", 200, lambda answer: answer == {}, b"{}")
        add("GET", f'/db/_all_docs?key="{name}"', 200, lambda answer, name=name: answer["rows"][0]["id"] == name)
        add("POST", "/nowhere", 404, lambda answer: answer["error"] == "not_found", b'{"a":1}')
    with connect(shared) as connection, connection.makefile("rb") as stream:
        threading.Thread(target=connection.sendall, args=(b"".join(texts),)).start()
        for place, (method, status, check) in enumerate(expected):
            answer = Answer(stream, method)
            assert answer.status == status, (place, answer.body)
            assert check is None or check(answer.json()), (place, answer.body)


def said(server):
    """The lines of the log, without the warning of every start here about the administrator's weak password."""
    return [line for line in server.stop().splitlines() if not line.endswith(" administrator=admin")]


def test_connections_are_kept(shared):
    """A connection can be used after answers, refusals and bodies that were not read."""
    steps = [
        (request("GET", "/db"), 200), (request("GET", "/nowhere"), 404),
        (request("PUT", "/db", body=b"x" * 5_000), 412),
        (request("POST", "/nowhere/_bulk_docs", "Content-Type: text/plain", body=b"y" * 50_000), 404),
        (request("PUT", "/db/kept", login=False, body=b"{}"), 401), (request("PATCH", "/db", body=b"z" * 100), 405),
        (request("PUT", "/db/bad", body=b"{"), 400), (request("DELETE", "/db/kept"), 409),
        (request("GET", "/_up"), 200),
        (request("GET", "/db/_all_docs?limit=1"), 200), (request("GET", "/db/_changes?limit=1"), 200),
    ]
    with connect(shared) as connection, connection.makefile("rb") as stream:
        for turn in range(20):
            for text, status in steps:
                connection.sendall(text)
                answer = Answer(stream)
                assert answer.status == status, (turn, text[:60], answer.body)
                assert answer.headers.get("connection", "").lower() != "close"
        connection.sendall(request("GET", "/db", "Connection: close"))
        assert Answer(stream).status == 200
        assert stream.read() == b"", "closed, as the client wished"


@pytest.mark.parametrize("path", ["/db", "/db/kept", "/db/_all_docs", "/db/_changes", "/_all_dbs"])
def test_http_1_0(shared, path):
    """An HTTP/1.0 client does not support chunks: a body ends with the connection or by its length."""
    with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("GET", path, version="1.0"))
        answer = Answer(stream)
        assert answer.status == 200
        assert "transfer-encoding" not in answer.headers
        assert isinstance(answer.json(), (dict, list))
        assert stream.read() == b"", "the connection ends"


def test_http_1_0_kept(shared):
    with connect(shared) as connection, connection.makefile("rb") as stream:
        for _ in range(3):
            connection.sendall(request("GET", "/db/kept", "Connection: keep-alive", version="1.0"))
            answer = Answer(stream)
            assert answer.json()["n"] == 1 and answer.headers["connection"].lower() == "keep-alive"


def test_http_1_0_kept_where_it_can_be(shared):
    """An answer without a length ends the connection although the client would keep it; the answer must not offer to keep
    it."""
    text = request("GET", "/db/_all_docs", "Connection: keep-alive", version="1.0")
    with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
        connection.sendall(text + text)
        answer = Answer(stream)
        assert answer.headers["connection"] == "close" and "rows" in answer.json()
        assert stream.read() == b""
    head = request("PUT", "/db/expected_by_none", EXPECT, version="1.0", body=b"{}")
    assert ask(shared, head).status == 201, "no 100 comes before it"


@pytest.mark.parametrize("wish", ["close", "Close", "TE, close"])
def test_connections_end_as_clients_wish(shared, wish):
    for method, path in [("GET", "/db"), ("GET", "/db/_all_docs"), ("HEAD", "/db/kept"), ("GET", "/nowhere")]:
        with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
            connection.sendall(request(method, path, f"Connection: {wish}") + request("GET", "/db"))
            assert Answer(stream, method).headers["connection"] == "close"
            assert stream.read() == b""


@pytest.mark.parametrize("text,name", [
    (request("GET", "/db", "X-Long: " + "x" * 100_000), "header of 100 KB"),
    (request("GET", "/db", *[f"X-{number}: {'x' * 90}" for number in range(1_100)]), "1 100 headers"),
    (request("GET", "/db/" + "x" * 20_000), "path of 20 KB"),
    (request("GET", "/db/_all_docs?key=%22" + "x" * 200_000 + "%22"), "query of 200 KB"),
    (request("GET", "/db/" + "x" * 200_000), "path of 200 KB"),
    (request("X" * 20_000, "/db"), "method of 20 KB"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_heads_that_are_too_large(shared, text, name):
    """A head that is too long gets a 4xx, not silence, and the server continues."""
    answer = send_all_and_ask(shared, text)
    print(answer.line)
    assert 400 <= answer.status < 500
    serves_others(shared, 1)


@pytest.mark.parametrize("text", [
    b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /db\r\n\r\n",
    b"GET /db HTTP/9.9\r\n\r\n",
    b"GET /db HTTP/1.1\r\nno colon\r\n\r\n", b"GET  /db HTTP/1.1\r\nHost: x\r\n\r\n",
    request("PUT", "/db/x", "Content-Length: -1"), request("PUT", "/db/x", "Content-Length: 2", "Content-Length: 3"),
    request("PUT", "/db/x", "Content-Length: 2", "Transfer-Encoding: chunked", body=b"{}"),
    request("PUT", "/db/x", "Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n"),
    request("PUT", "/db/x", "Transfer-Encoding: chunked", body=b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
], ids=range(11))
def test_what_is_no_http(shared, text):
    """It gets a 4xx or a closed connection, and never an answer to bytes that are not a request."""
    with connect(shared) as connection, connection.makefile("rb") as stream:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(EOFError, ConnectionResetError):
            assert 400 <= Answer(stream).status < 506
    assert shared.request("GET", "/db/x").status_code == 404
    serves_others(shared, 1)


FOLLOWING = b"""--x\r\nContent-Type: application/json\r\n\r\n\
{"_attachments":{"a":{"follows":true,"length":900000,"content_type":"a/b"}}}\r\n--x\r\n\r\n"""
BROKEN_OFF = [
    ("/db/declared/a?private=word", ["Content-Length: 900000"], b"x" * 100_000),
    ("/db/chunked/a?private=word", ["Transfer-Encoding: chunked"], b"4000\r\n" + b"x" * 1_000),
    ("/db/gzip/a", ["Transfer-Encoding: chunked", "Content-Encoding: gzip"], b"4000\r\n\x1f\x8b\x08"),
    ("/db/parts", ["Content-Type: multipart/related; boundary=x", "Content-Length: 900000"], FOLLOWING + b"y" * 1_000),
    ("/db/json", ["Content-Length: 900000"], b'{"a":'),
]


def status_counts(server):
    counts = server.json("GET", "/_node/_local/_stats")["couchdb"]["httpd_status_codes"]
    return {int(status): counter["value"] for status, counter in counts.items() if counter["value"]}


@pytest.mark.parametrize("end", ["closed", "half closed", "reset"])
def test_an_upload_that_its_client_breaks_off_is_noted_and_no_failure_of_the_server(server, end):
    server.json("PUT", "/db")
    before = status_counts(server).get(400, 0)
    for path, headers, body in BROKEN_OFF:
        with connect(server) as connection, connection.makefile("rb") as stream:
            connection.sendall(request("PUT", path, *headers) + body)
            # Until the server reads the body.
            time.sleep(0.3)
            if end == "half closed":
                connection.shutdown(socket.SHUT_WR)
                answer = Answer(stream)
                assert answer.status == 400 and answer.json()["reason"] == "the body ended too early"
            if end == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    deadline = time.monotonic() + 10
    while status_counts(server).get(400, 0) < before + len(BROKEN_OFF):
        assert time.monotonic() < deadline, status_counts(server)
    assert max(status_counts(server)) < 500 and 0 not in status_counts(server)
    assert server.json("GET", "/db")["doc_count"] == 0
    lines = said(server)
    assert [re.sub("^[^ ]+ ", "", line) for line in lines] == [
        f"notice godwit: the body of a PUT request ended too early path={path.split('?')[0]}"
        for path, _, _ in BROKEN_OFF]


def test_an_upload_during_which_the_server_stops_writes_nothing(server):
    server.json("PUT", "/db")
    with connect(server) as attachment, connect(server) as document:
        attachment.sendall(request("PUT", "/db/a/b", "Transfer-Encoding: chunked") + b"4\r\nabcd\r\n")
        document.sendall(request("PUT", "/db/c", "Transfer-Encoding: chunked") + b"7\r\n{\"a\":1}\r\n")
        time.sleep(0.3)
        assert " error " not in server.stop()
    server.start()
    assert server.json("GET", "/db")["doc_count"] == 0


def test_a_body_that_is_none_of_http_is_the_clients_fault(server):
    server.json("PUT", "/db")
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("PUT", "/db/a/b", "Transfer-Encoding: chunked") + b"4\r\nabcd\r\n")
        time.sleep(0.3)
        connection.sendall(b"no length\r\n")
        assert Answer(stream).status == 400
    assert max(status_counts(server)) < 500 and said(server) == []


@pytest.mark.parametrize("text", [
    b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    request("GET", "/db", "Connection: Upgrade", "Upgrade: websocket"),
], ids=["CONNECT", "Upgrade"])
def test_number_15_a_request_for_another_protocol_ends_its_connection(shared, text):
    """The bytes after it are not parsed as a request, so the client must not wait for an answer to them."""
    with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
        connection.sendall(text + request("GET", "/db"))
        answer = Answer(stream)
        assert answer.status == (405 if text.startswith(b"CONNECT") else 200)
        assert answer.headers["connection"] == "close"
        assert stream.read() == b""
    serves_others(shared, 1)


@pytest.mark.parametrize("hosts, version, status", [
    (b"Host: a\r\nHost: b\r\n", b"1.1", 400), (b"Host: a\r\nhost: a\r\n", b"1.1", 400), (b"", b"1.1", 400),
    (b"Host: a\r\nHost: b\r\n", b"1.0", 400), (b"", b"1.0", 200), (b"Host:\r\n", b"1.1", 200), (b"Host: a\r\n", b"1.1", 200),
])
def test_number_13_a_request_names_one_host(shared, hosts, version, status):
    with connect(shared) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"GET /_up HTTP/%s\r\n%s\r\n" % (version, hosts))
        answer = Answer(stream)
        assert answer.status == status, answer.body
        if status == 400:
            assert "Host" in answer.json()["reason"]
