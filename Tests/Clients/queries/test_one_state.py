"""Long answers while other clients write: each is one state of the database."""

import contextlib
import json
import random
import socket
import threading

import pytest
import requests

from conftest import ADMIN, Server
from raw import connect, request

COUNT = 3_000
# A document moves between the ends of the index, which are in different slices of an answer.
VIEW = {"views": {
    "ends": {"map": "function(doc) { if (doc.end) emit(doc.end + doc._id, 1) }"},
    "sum": {"map": "function(doc) { if (doc.end) emit(doc.end + doc._id.slice(0, 4), 1) }", "reduce": "_sum"}}}


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A server whose documents are always changed by two clients, which keep their number."""
    server = Server(tmp_path_factory.mktemp("state") / "data")
    server.json("PUT", "/db")
    server.json("POST", "/db/_bulk_docs", json={
        "docs": [{"_id": f"d{number:05}", "end": "az"[number % 2]} for number in range(COUNT)]})
    server.json("POST", "/db/_index", json={"index": {"fields": ["end"]}, "name": "end"})
    server.json("PUT", "/db/_design/by", json=VIEW)
    server.json("GET", "/db/_design/by/_view/ends?limit=0")
    is_over = threading.Event()

    def write(numbers):
        draw, session = random.Random(numbers.start), requests.Session()
        session.auth = ADMIN
        while not is_over.is_set():
            documents = [f"d{draw.choice(numbers):05}" for _ in range(20)]
            rows = session.post(server.url + "/db/_all_docs?include_docs=true", json={"keys": sorted(set(documents))}).json()["rows"]
            changed = [row["doc"] | {"end": "az"["az".index(row["doc"]["end"]) - 1]} for row in rows]
            session.post(server.url + "/db/_bulk_docs", json={"docs": changed})

    writers = [threading.Thread(target=write, args=(range(first, COUNT, 2),)) for first in range(2)]
    for writer in writers:
        writer.start()
    yield server
    is_over.set()
    for writer in writers:
        writer.join()
    server.stop()


def test_each_document_is_found_once(moving):
    for _ in range(8):
        found = moving.json("POST", "/db/_find", json={"selector": {"end": {"$gte": "a"}}, "fields": ["_id"], "limit": 100_000})["docs"]
        assert len(found) == len({document["_id"] for document in found}) == COUNT


def test_rows_of_a_view_are_as_many_as_it_says(moving):
    for parameters in ["", "?include_docs=true"]:
        for _ in range(5):
            answer = moving.json("GET", "/db/_design/by/_view/ends" + parameters)
            ids = [row["id"] for row in answer["rows"]]
            assert len(ids) == len(set(ids)) == answer["total_rows"] == COUNT


def test_groups_of_a_view_count_each_document_once(moving):
    for _ in range(8):
        groups = moving.json("GET", "/db/_design/by/_view/sum?group=true")["rows"]
        assert sum(group["value"] for group in groups) == COUNT


def test_a_database_is_deleted_although_a_client_does_not_read_its_answer(moving):
    moving.json("PUT", "/left")
    moving.json("POST", "/left/_bulk_docs", json={"docs": [{"text": "x" * 10_000} for _ in range(1_000)]})
    with contextlib.ExitStack() as stack:
        for path in ["/left/_all_docs?include_docs=true", "/left/_find"] * 5:
            connection = stack.enter_context(connect(moving, received_bytes_max=4_096))
            body = json.dumps({"selector": {}, "limit": 100_000}).encode()
            is_find = path.endswith("_find")
            connection.sendall(
                request("POST", path, "Content-Type: application/json", body=body) if is_find else request("GET", path))
            connection.recv(100, socket.MSG_PEEK)
        assert moving.json("DELETE", "/left") == {"ok": True}
        assert moving.request("GET", "/left").status_code == 404
    moving.json("PUT", "/left")
