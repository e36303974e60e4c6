"""Inline attachments of long requests are stored as they arrive, and are the same as those of short requests."""

import base64
import hashlib
import json
import re

import pytest

from conftest import Server, eventually
from loads import LONG, MB, Growth
from raw import connect, request

CONFIG = "/_node/_local/_config/"
# Of a request with 120 MB of attachments.
GROWTH_BYTES_MAX = 60 * MB


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("streamed") / "data")
    yield site
    site.stop()


@pytest.fixture
def database(site, request):
    path = "/" + re.sub("[^a-z0-9]", "_", request.node.name)
    site.json("PUT", path)
    return path


def data(count, seed=0):
    """Bytes that have no pattern and are the same each time."""
    return b"".join(hashlib.sha256(f"{seed} {n}".encode()).digest() for n in range(count // 32 + 1))[:count]


def text(content):
    return base64.b64encode(content).decode()


def test_attachments_of_any_length_in_a_list_come_back(site, database):
    """Lengths around the limits: a text of a megabyte is not searched, and data of 64 kB stays in it."""
    lengths = [0, 1, 49_150, 49_152, 49_154, 200_000, 1_500_001]
    documents = [{"_id": f"d{number}", "note": {"_attachments": {"x": {"data": "QQ" * 40_000}}}, "_attachments": {
        "a": {"content_type": "image/png", "data": text(data(length, number))}, "b": {"data": "QUJD"}}}
        for number, length in enumerate(lengths)]
    for options in [{}, {"new_edits": False}]:
        if options:
            for document in documents:
                document["_rev"] = "7-abc"
                document["_id"] += "r"
        site.json("POST", database + "/_bulk_docs", json={"docs": documents, **options})
        for document, (number, length) in zip(documents, enumerate(lengths)):
            path = f"{database}/{document['_id']}"
            assert site.request("GET", path + "/a").content == data(length, number)
            found = site.json("GET", path)
            assert found["note"] == document["note"]
            assert found["_attachments"]["a"]["content_type"] == "image/png"
            assert found["_attachments"]["a"]["length"] == length
            assert site.request("GET", path + "/b").content == b"ABC"


def test_a_document_and_its_revision_are_the_same_however_it_comes(site, database):
    content = data(2_000_000)
    body = {"n": 1, "_attachments": {"a": {"content_type": "image/png", "data": text(content)}}}
    long = site.json("PUT", database + "/long", json=body)
    site.json("PUT", database + "/short", json={"n": 1})
    # The revision of a document depends on its attachments, not on the way by which they came.
    answer = site.request("POST", database, json={**body, "_id": "posted"})
    assert answer.status_code == 201 and answer.json()["rev"] == long["rev"]
    boundary = "--x\r\nContent-Type: application/json\r\n\r\n"
    parts = {"n": 1, "_attachments": {"a": {"content_type": "image/png", "follows": True, "length": len(content)}}}
    answer = site.request(
        "PUT", database + "/parts", headers={"Content-Type": "multipart/related; boundary=x"},
        data=boundary.encode() + json.dumps(parts).encode() + b"\r\n--x\r\n\r\n" + content + b"\r\n--x--")
    assert answer.status_code == 201 and answer.json()["rev"] == long["rev"]
    for name in ["long", "posted", "parts"]:
        assert site.request("GET", f"{database}/{name}/a").content == content


def test_escapes_and_white_space_between_digits_are_read(site, database):
    content = data(900_000)
    digits = text(content)
    body = json.dumps({"_attachments": {"a": {"data": "@"}}, "pad": "x" * 300_000})
    spaced = " ".join(digits[start:start + 76] for start in range(0, len(digits), 76))
    lines = "\\n".join(digits[start:start + 76] for start in range(0, len(digits), 76))
    forms = [digits.replace("/", "\\/"), digits.replace("+", "\\u002B"), spaced, lines, digits.rstrip("=")]
    for number, form in enumerate(forms):
        answer = site.request("PUT", f"{database}/{number}", data=body.replace("@", form))
        assert answer.status_code == 201, answer.text
        assert site.request("GET", f"{database}/{number}/a").content == content


def test_malformed_data_is_refused_as_in_short_texts(site, database):
    no_digits = "Attachment 'a' has data that is not Base64"
    for middle, end, reason in [
            ("*", "", no_digits), ("\u00e9", "", no_digits), ("", "\u0301", no_digits), ("=", "", no_digits), ("", "A", no_digits), ("", "\\u00e9", no_digits),
            ("\n", "", "invalid UTF-8 JSON"), ("\\x", "", "invalid UTF-8 JSON"), ("", "\\u00", "invalid UTF-8 JSON")]:
        for length in [90, 900_000]:
            digits = text(data(length))
            form = digits[:length // 2] + middle + digits[length // 2:] + end
            body = f'{{"pad": "{"x" * (length // 3)}", "_attachments": {{"a": {{"data": "{form}"}}}}}}'
            answer = site.request("PUT", database + "/a", data=body.encode())
            assert answer.status_code == 400 and reason in answer.text, (middle, end, length, answer.text)
    assert site.request("GET", database + "/a").status_code == 404


def test_one_malformed_attachment_of_replicated_documents_is_one_error(site, database):
    documents = [{"_id": str(number), "_rev": "1-a", "_attachments": {"a": {"data": text(data(400_000, number))}}}
                 for number in range(4)]
    documents[2]["_attachments"]["a"]["data"] += "*"
    rows = site.json("POST", database + "/_bulk_docs", json={"docs": documents, "new_edits": False})
    assert [row["id"] for row in rows] == ["2"] and "not Base64" in rows[0]["reason"]
    for number in [0, 1, 3]:
        assert site.request("GET", f"{database}/{number}/a").content == data(400_000, number)


def test_refused_documents_leave_no_bytes(site, database):
    site.json("PUT", database + "/a", json={})
    content = data(2_000_000)
    body = json.dumps({"_attachments": {"a": {"data": text(content)}}})
    boundary = '--x\r\n\r\n{"_attachments": {"a": {"follows": true, "length": 2000000}}}\r\n--x\r\n\r\n'
    parts = boundary.encode() + content + b"\r\n--x--"
    for method, path, sent, kind, status in [
            ("PUT", "/a", body, "application/json", 409), ("PUT", "/b", body + "x", "application/json", 400),
            ("PUT", "/c", '{"_bad": 1, ' + body[1:], "application/json", 400),
            ("POST", "", '{"_id": "a", ' + body[1:], "application/json", 409),
            ("POST", "/_bulk_docs", f'{{"docs": [{{"_id": "a", {body[1:]}]}}', "application/json", 201),
            ("PUT", "/a", parts, "multipart/related; boundary=x", 409)]:
        answer = site.request(method, database + path, data=sent, headers={"Content-Type": kind})
        assert answer.status_code == status, answer.text
    # Equal bytes of a document that was written stay.
    assert site.request("PUT", database + "/d", data=body, headers={"Content-Type": "application/json"}).status_code == 201
    eventually(lambda: site.json("GET", database)["sizes"]["active"] < 2_200_000)
    assert site.request("GET", database + "/d/a").content == content


def test_the_last_of_two_members_counts(site, database):
    first, second = text(data(800_000, 1)), text(data(800_000, 2))
    body = f'{{"_attachments": {{"a": {{"data": "{first}", "data": "{second}"}}}}}}'
    assert site.request("PUT", database + "/a", data=body).status_code == 201
    assert site.request("GET", database + "/a/a").content == data(800_000, 2)


def test_a_request_that_breaks_off_leaves_nothing(site, database):
    before = site.json("GET", database)["sizes"]["file"]
    for _ in range(20):
        with connect(site) as connection:
            begun = ('{"_attachments": {"a": {"data": "' + text(data(2_000_000))).encode()
            connection.sendall(request("PUT", database + "/a", "Content-Length: 9000000", body=begun))
    site.json("PUT", database + "/b", json={})
    assert site.request("GET", database + "/a").status_code == 404
    # The pages of removed bytes are used again.
    assert site.json("GET", database)["sizes"]["file"] < before + 3 * 2_000_000


def test_lengths_are_settings(site, database):
    setting = CONFIG + "couchdb/max_document_size"
    assert site.json("GET", setting) == "8000000"
    assert site.json("PUT", setting, json="100") == "8000000"
    attachment = {"a": {"data": text(data(1_000))}}
    assert site.request("PUT", database + "/a", json={"n": "x" * 80, "_attachments": attachment}).status_code == 201
    refused = site.request("PUT", database + "/b", json={"n": "x" * 100})
    assert refused.status_code == 413 and refused.json()["error"] == "document_too_large"
    site.json("PUT", setting, json="20000000")
    site.json("PUT", database + "/b", json={"n": "x" * 15_000_000})
    copy = database + "_copy"
    site.json("PUT", copy)
    # A longer document is replicated, within the server and over HTTP.
    for source in [database[1:], site.database(database[1:])]:
        site.json("POST", "/_replicate", json={
            "source": source, "target": site.database(copy[1:]), "use_checkpoints": False})
        assert len(site.json("GET", copy + "/b")["n"]) == 15_000_000
        site.json("DELETE", copy)
        site.json("PUT", copy)
    site.json("DELETE", setting)
    assert site.json("GET", setting) == "8000000"
    assert site.request("PUT", database + "/c", json={"n": "x" * 8_000_000}).status_code == 413

    setting = CONFIG + "chttpd/max_http_request_size"
    assert site.json("PUT", setting, json="1000") == "4294967296"
    assert site.json("GET", CONFIG + "httpd/max_http_request_size") == "1000"
    for method, path in [("PUT", database + "/d"), ("POST", database), ("POST", database + "/_find"),
                         ("POST", database + "/_bulk_docs"), ("PUT", database + "/d/a")]:
        assert site.request(method, path, json={"x": "x" * 1_000}).status_code == 413, path
    assert site.request("PUT", database + "/d", json={"x": "x" * 900}).status_code == 201
    site.stop()
    site.start()
    assert site.request("PUT", database + "/e", json={"x": "x" * 1_000}).status_code == 413
    # A value that is too small can be corrected.
    site.json("PUT", setting, json="1")
    assert site.json("PUT", setting, json="4294967296") == "1"
    site.json("DELETE", setting)
    for value in ["0", "-1", "x", "9223372036854775808"]:
        for name in ["couchdb/max_document_size", "chttpd/max_http_request_size"]:
            assert site.request("PUT", CONFIG + name, json=value).status_code == 400


@pytest.mark.skipif(not LONG, reason="takes a minute: ./test --long")
def test_a_list_of_120_megabytes_is_not_held(site, database):
    def body():
        yield b'{"docs": ['
        for number in range(30):
            separator = "," if number else ""
            yield f'{separator}{{"_id": "{number}", "_attachments": {{"a": {{"data": "'.encode()
            yield text(data(3_000_000, number)).encode()
            yield b'"}}}'
        yield b"]}"

    with Growth(site) as growth:
        answer = site.session.post(
            site.url + database + "/_bulk_docs", data=body(), headers={"Content-Type": "application/json"}, timeout=600)
    assert answer.status_code == 201 and len(answer.json()) == 30
    assert growth.most < GROWTH_BYTES_MAX
    for number in [0, 29]:
        assert site.request("GET", f"{database}/{number}/a").content == data(3_000_000, number)
