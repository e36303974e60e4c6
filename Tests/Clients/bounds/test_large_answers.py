"""Answers of any length are streamed: the server holds a small part of them in memory."""

import base64
import gzip
import json
import os
import time

import pytest

from conftest import Server
from loads import DOCUMENTS, LONG, MB, Growth, full, many_files
from raw import Answer, ask, connect, request

SCAN_BYTES_MAX = 60 * MB
FIRST_BYTE_SECONDS_MAX = 1
# Three attachments of a document, in total, that are read within JSON.
INLINE_BYTES = 100 * MB if LONG else 12 * MB
INLINE_GROWTH_BYTES_MAX = 20 * MB


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("path", ["/db/_all_docs?include_docs=true", "/db/_changes?include_docs=true"])
def test_large_answers_are_streamed(full, path):
    """For an answer of any length, the server holds a small part in memory, and its first byte arrives at once."""
    begun = time.monotonic()
    count = 0
    with Growth(full) as growth, connect(full) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("GET", path))
        answer = Answer(stream, with_body=False)
        pieces = answer.pieces()
        last = next(pieces)
        assert time.monotonic() - begun < FIRST_BYTE_SECONDS_MAX
        for piece in pieces:
            count += last.count(b"\n")
            last = piece
        count += last.count(b"\n")
    assert answer.status == 200 and last.endswith(b"}\n")
    # A line for each row, and the two around them.
    assert DOCUMENTS <= count <= DOCUMENTS + 3
    assert growth.most < SCAN_BYTES_MAX, f"{growth.most / MB:.0f} MB"


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    """A server with a document of three large attachments, and their bytes; the lengths modulo 3 are 0, 1 and 2."""
    server = Server(tmp_path_factory.mktemp("inline") / "data")
    server.json("PUT", "/db")
    contents, revision = [], ""
    for number in range(3):
        contents.append(os.urandom(INLINE_BYTES // 3 * 3 + number))
        saved = server.json("PUT", f"/db/x/{number}{revision}", data=contents[-1], headers={"Content-Type": "a/b"})
        revision = f"?rev={saved['rev']}"
    server.stop()
    server.start()
    yield server, contents
    server.stop()


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("text,place", [
    (request("GET", "/db/x?attachments=true", "Accept: application/json"), []),
    (request("GET", "/db/x?attachments=true", "Accept: application/json", "Accept-Encoding: gzip"), []),
    (request("GET", "/db/x?open_revs=all&attachments=true", "Accept: application/json"), [0, "ok"]),
    (request("GET", "/db/_all_docs?include_docs=true&attachments=true"), ["rows", 0, "doc"]),
    (request("POST", "/db/_bulk_get?attachments=true", "Content-Type: application/json", body=b'{"docs":[{"id":"x"}]}'),
     ["results", 0, "docs", 0, "ok"]),
    (request("GET", "/db/_changes?include_docs=true&attachments=true"), ["results", 0, "doc"]),
], ids=["document", "packed", "open_revs", "all_docs", "bulk_get", "changes"])
def test_attachments_within_json_are_streamed(inline, text, place):
    """For attachments of any size, the server holds a small part in memory."""
    server, contents = inline
    with Growth(server) as growth:
        answer = ask(server, text)
    assert answer.status == 200
    body = gzip.decompress(answer.body) if "content-encoding" in answer.headers else answer.body
    document = json.loads(body)
    for step in place:
        document = document[step]
    found = {name: base64.b64decode(item["data"]) for name, item in document["_attachments"].items()}
    assert found == {str(number): content for number, content in enumerate(contents)}
    assert growth.most < INLINE_GROWTH_BYTES_MAX, f"{growth.most / MB:.0f} MB"


def test_attachments_within_json_and_their_length(inline):
    server, contents = inline
    head = ask(server, request("HEAD", "/db/x?attachments=true", "Accept: application/json"), "HEAD")
    length = int(ask(server, request("HEAD", "/db/x"), "HEAD").headers["content-length"])
    for content in contents:
        length += len('"data":""') + len(base64.b64encode(content)) - len(f'"length":{len(content)},"stub":true')
    assert int(head.headers["content-length"]) == length
