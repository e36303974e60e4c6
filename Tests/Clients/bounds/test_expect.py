"""Bodies with `Expect: 100-continue`, and refused ones."""

import json
import os

import pytest

from loads import ATTACHMENT_BYTES_MAX, CLOSED_SECONDS_MAX, EXPECT, GB, MB, Growth, many_files, send_all_and_ask, serves_others, shared
from raw import Answer, connect, request


def asked_first(server, head, body):
    """Sends a body only if the server requests it: the answer, and whether it was requested."""
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(head)
        answer = Answer(stream)
        if answer.status != 100:
            return answer, False
        connection.sendall(body)
        return Answer(stream), True


def test_continue_for_a_document(shared):
    body = json.dumps({"text": "x" * 100_000}).encode()
    head = request("PUT", "/db/expected", EXPECT, f"Content-Length: {len(body)}")
    answer, asked = asked_first(shared, head, body)
    assert asked and answer.status == 201
    assert len(shared.json("GET", "/db/expected")["text"]) == 100_000


def test_continue_for_a_large_attachment(shared):
    # The first one pays the costs that occur once.
    shared.json("PUT", "/db/first/a.jpg", data=os.urandom(MB) * 10, headers={"Content-Type": "image/jpeg"})
    body = os.urandom(MB) * 20
    head = request("PUT", "/db/photo/a.jpg", EXPECT, "Content-Type: image/jpeg", f"Content-Length: {len(body)}")
    with Growth(shared) as growth:
        answer, asked = asked_first(shared, head, body)
    assert asked and answer.status == 201
    assert shared.request("GET", "/db/photo/a.jpg").content == body
    assert growth.most < ATTACHMENT_BYTES_MAX, f"{growth.most / MB:.0f} MB"


@pytest.mark.parametrize("head,status", [
    (request("PUT", "/db/no", EXPECT, "Content-Length: 1000", login=False), 401),
    (request("PUT", "/db/no/a", EXPECT, "Content-Type: a/b", "Content-Length: 1000000", login=False), 401),
    (request("PUT", "/db/no", EXPECT, f"Content-Length: {5 * GB}"), 413),
    (request("POST", "/db/_bulk_docs", EXPECT, "Content-Type: application/json", f"Content-Length: {5 * GB}"), 413),
    (request("PUT", "/db/no/a", EXPECT, "Content-Type: a/b", f"Content-Length: {5 * GB}"), 413),
    (request("PUT", "/nowhere/no", EXPECT, "Content-Length: 1000"), 404),
    (request("POST", "/db/_bulk_docs", EXPECT, "Content-Type: text/plain", "Content-Length: 1000"), 415),
], ids=["login", "login-attachment", "document", "bulk", "attachment", "database", "type"])
def test_refused_before_the_body_is_sent(shared, head, status):
    answer, asked = asked_first(shared, head, b"")
    assert not asked and answer.status == status
    assert set(answer.json()) == {"error", "reason"}
    assert shared.request("GET", "/db/no").status_code == 404


@pytest.mark.parametrize("text,status", [
    (request("PUT", "/db/no", body=b'{"a":"' + b"x" * 70 * MB + b'"}'), 413),
    (request("PUT", "/db/no", "Transfer-Encoding: chunked",
             body=b"".join(b"100000\r\n" + b"1" * MB + b"\r\n" for _ in range(70)) + b"0\r\n\r\n"), 413),
    (request("PUT", "/db/no/a", "Content-Type: a/b", login=False, body=b"x" * 20 * MB), 401),
], ids=["length", "chunks", "login"])
def test_refused_while_the_body_is_sent(shared, text, status):
    """A client that sends without waiting gets its answer too, as CouchDB's replicator needs it."""
    assert send_all_and_ask(shared, text).status == status
    serves_others(shared, 1)


def test_refused_clients_that_send_first_and_read_then(shared):
    """An answer reaches a client that reads after it has sent everything, and the connection ends."""
    for text in [
        request("PUT", "/db/no/a", "Content-Type: a/b", login=False, body=b"x" * 20 * MB),
        request("PUT", "/db/no/a", "Content-Type: a/b", "Transfer-Encoding: chunked", login=False,
            body=b"100000\r\n" + b"1" * MB + b"\r\n" + b"0\r\n\r\n"),
    ]:
        with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
            connection.sendall(text)
            answer = Answer(stream)
            assert answer.status == 401 and answer.headers["connection"] == "close"
            assert stream.read() == b""


def test_refused_clients_that_never_end(shared):
    """A client that continues to send bytes that are not read is disconnected."""
    with connect(shared) as connection, Growth(shared) as growth:
        connection.sendall(request("PUT", "/db/no/a", f"Content-Length: {2 * GB}", login=False))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(2 * GB // MB):
                connection.sendall(b"x" * MB)
    assert growth.most < ATTACHMENT_BYTES_MAX, f"{growth.most / MB:.0f} MB"
    serves_others(shared, 1)
