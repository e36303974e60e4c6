"""The limits on the work of one client: concurrent requests, memory, steps (issue 21)."""

import base64
import json

import pytest
import requests

from applications import soon
from conftest import Server
from raw import Answer, connect, request
from accounts import ask, configure, make_user

MEGABYTE = 1 << 20
# `ServerLimits.requestMemoryBytesPerClientMax`.
MEMORY_BYTES_MAX = 320 * MEGABYTE


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("bounds") / "data")
    configure(site, "chttpd_auth/iterations", "1000")
    for name in ("rob", "ann"):
        make_user(site, name)
    site.json("PUT", "/db")
    site.json("PUT", "/db/_security", json={"members": {"names": ["rob", "ann"]}})
    site.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"n{i:04}", "n": i} for i in range(5_000)]})
    site.json("PUT", "/db/_design/by", json={
        "views": {"n": {"map": "function (doc) { emit(doc.n, doc.n); }", "reduce": "_stats"}}})
    assert site.json("GET", "/db/_design/by/_view/n?group=true&limit=1")["rows"]
    yield site
    site.stop()


@pytest.fixture
def setting(site):
    changed = []

    def set_(name, value):
        changed.append(name)
        configure(site, name, str(value))
    yield set_
    for name in changed:
        site.json("DELETE", f"/_node/_local/_config/{name}")


def test_a_client_has_so_many_requests_and_feeds_at_a_time(site, setting):
    setting("work/requests_per_client_max", 3)
    feeds = [requests.get(f"{site.url}/db/_changes?feed=continuous&heartbeat=1000&since=now", stream=True,
                          auth=("rob", "rob-1"), timeout=30) for _ in range(3)]
    try:
        assert all(feed.status_code == 200 for feed in feeds), [feed.text for feed in feeds]
        refused = ask(site, "GET", "/db/_all_docs?limit=1", "rob")
        assert refused.status_code == 503 and "3 open requests and feeds" in refused.json()["reason"], refused.text
        # The limit does not apply to point reads, other clients and administrators.
        assert ask(site, "GET", "/db/n0001", "rob").ok
        assert ask(site, "GET", "/db/_all_docs?limit=1", "ann").ok
        assert site.request("GET", "/db/_all_docs?limit=1").ok
    finally:
        for feed in feeds:
            feed.close()
    assert soon(lambda: ask(site, "GET", "/db/_all_docs?limit=1", "rob").ok)


def test_a_client_has_so_much_memory_for_bodies_under_way(site):
    length = 60 * MEGABYTE
    login = "Basic " + base64.b64encode(b"rob:rob-1").decode()
    head = request("POST", "/db/_revs_diff", "Content-Type: application/json", f"Content-Length: {length}",
                   f"Authorization: {login}", login=False)
    piece = b" " * MEGABYTE
    connections, refused = [], None
    try:
        for _ in range(MEMORY_BYTES_MAX // length + 2):
            connection = connect(site)
            connections.append(connection)
            try:
                connection.sendall(head)
                # All but the end: the server holds the received bytes.
                for _ in range(length // MEGABYTE - 1):
                    connection.sendall(piece)
                connection.settimeout(1)
                refused = Answer(connection.makefile("rb"))
                break
            except TimeoutError:
                continue
            except (ConnectionError, EOFError):
                refused = Answer(connection.makefile("rb"))
                break
        assert refused is not None and refused.status == 503, refused and refused.body
        assert "in progress may use" in json.loads(refused.body)["reason"]
        assert ask(site, "POST", "/db/_revs_diff", "ann", json={"n0001": ["1-a"]}).ok
    finally:
        for connection in connections:
            connection.close()
    assert soon(lambda: ask(site, "POST", "/db/_revs_diff", "rob", json={"n0001": ["1-a"]}).ok)


@pytest.mark.parametrize("path, body", [
    ("/db/_all_docs/queries", {"queries": [{"skip": 10**9}] * 500}),
    ("/db/_design/by/_view/n/queries", {"queries": [{"skip": 10**9, "group": True}] * 500}),
    ("/db/_find", {"selector": {"$or": [{"n": {"$mod": [7, 9]}}] * 100}}),
])
def test_a_request_has_so_many_steps(site, setting, path, body):
    setting("work/steps_max", 1_000_000)
    try:
        answer = ask(site, "POST", path, "rob", json=body)
        assert answer.status_code == 400 and answer.json()["error"] == "too_costly", answer.text[:300]
        assert "1000000 steps" in answer.json()["reason"]
    except requests.exceptions.ChunkedEncodingError:
        assert path.endswith("/queries"), "an answer that has begun is cut, others have a status"
    assert ask(site, "GET", "/db/_all_docs?include_docs=true", "rob").ok
