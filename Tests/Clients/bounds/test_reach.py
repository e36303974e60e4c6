"""The hosts that replications of users without administrator rights can contact (issue 21, number 6)."""

import http.server
import json
import subprocess
import sys
import threading
import time

import pytest

from conftest import ADMIN, CLIENTS, Server
from accounts import ask, configure, make_user

WORDS = "words-of-a-foreign-server"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("reach") / "data")
    configure(site, "chttpd_auth/iterations", "1000")
    make_user(site, "rob")
    for name in ("robs", "robs-too"):
        site.json("PUT", f"/{name}")
        site.json("PUT", f"/{name}/_security", json={"admins": {"names": ["rob"]}, "members": {"names": ["rob"]}})
    site.json("PUT", "/robs/mine", json={})
    yield site
    site.stop()


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    far = Server(tmp_path_factory.mktemp("far") / "data")
    far.json("PUT", "/copied")
    far.json("PUT", "/copied/secret", json={})
    yield far
    far.stop()


@pytest.fixture(scope="module")
def foreign():
    """A server that is no CouchDB."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"error": WORDS, "reason": WORDS}).encode()
            self.send_response(418)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/db"
    server.shutdown()
    server.server_close()


@pytest.fixture
def hosts(site):
    def set_(words):
        configure(site, "replicator/allowed_hosts", words)
    yield set_
    configure(site, "replicator/allowed_hosts", "")


def replicate(site, source, **members):
    return ask(site, "POST", "/_replicate", "rob", json={"source": source, "target": "robs", **members})


def endpoint(far, **members):
    return {"url": f"{far.url}/copied", "auth": {"basic": dict(zip(("username", "password"), ADMIN))}, **members}


@pytest.mark.parametrize("continuous", [False, True])
def test_number_6_a_user_does_not_make_the_server_fetch(site, far, continuous):
    answer = replicate(site, endpoint(far), continuous=continuous)
    assert answer.status_code == 403 and "replicator/allowed_hosts" in answer.json()["reason"], answer.text
    answer = ask(site, "POST", "/_replicate", "rob", json={"source": "robs", "target": endpoint(far)})
    assert answer.status_code == 403, answer.text
    assert site.request("GET", "/robs/secret").status_code == 404
    assert ask(site, "POST", "/_replicate", "rob", json={"source": "robs", "target": "robs-too"}).ok


@pytest.mark.parametrize("words, permitted", [
    ("*", False), ("couch.example.org", False), ("10.0.0.0/8", False), ("127.0.0.1:{other}", False),
    ("127.0.0.1:{port}", True), ("127.0.0.0/8", True), ("localhost:{port}", True), ("10.0.0.1, 127.0.0.1", True),
])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"])
def test_number_6_hosts_that_the_setting_lists(site, far, hosts, host, words, permitted):
    hosts(words.format(port=far.port, other=int(far.port) ^ 1))
    source = endpoint(far)
    source["url"] = source["url"].replace("127.0.0.1", host)
    answer = replicate(site, source)
    if permitted:
        assert answer.ok, answer.text
    else:
        assert answer.status_code == 403 and "allowed_hosts" in answer.json()["reason"], answer.text


def test_number_6_a_value_that_is_no_host(site):
    for words in ("a b/c", "http://a", "10.0.0.0/33", "a:0", "[::1"):
        answer = site.request("PUT", "/_node/_local/_config/replicator/allowed_hosts", json=words)
        assert answer.status_code == 400 and "host names" in answer.json()["reason"], words


def test_number_6_headers_of_users(site, far, hosts):
    hosts("127.0.0.1")
    for name in ("Host", "X-Auth-CouchDB-UserName", "X-Forwarded-For", "content-type"):
        answer = replicate(site, endpoint(far, headers={name: "x"}))
        assert answer.status_code == 403 and name in answer.json()["reason"], answer.text
    basic = {"url": f"{far.url}/copied", "headers": {"authorization": "Basic YWRtaW46c2VjcmV0"}}
    assert replicate(site, basic).ok


def test_number_6_a_foreign_servers_words_are_for_administrators(site, far, foreign, hosts):
    hosts("127.0.0.1")
    wrong = {"url": f"{far.url}/copied", "auth": {"basic": {"username": "admin", "password": "wrong"}}}
    for source, words in [(foreign, "not a database"), (wrong, "denied access"), (f"{far.url}/nowhere", "denied access"),
                          ("http://127.0.0.1:1/x", "unreachable")]:
        answer = replicate(site, source)
        assert answer.status_code >= 400 and words in answer.json()["reason"], answer.text
        assert WORDS not in answer.text and "418" not in answer.text
    assert WORDS in site.request("POST", "/_replicate", json={"source": foreign, "target": "robs"}).text


def test_number_6_a_document_of_a_user_does_not_make_the_server_fetch(site, far):
    # A document that an earlier, permitted replication has not copied.
    far.json("PUT", "/copied/later", json={})
    site.json("PUT", "/_replicator/robs", json={"source": endpoint(far), "target": "robs", "owner": "rob"})
    end = time.monotonic() + 20
    while time.monotonic() < end:
        answer = site.request("GET", "/_scheduler/docs/_replicator/robs")
        if answer.ok and answer.json()["state"] == "crashing":
            break
        time.sleep(0.1)
    assert "allowed_hosts" in answer.json()["info"]["error"]
    assert site.request("GET", "/robs/later").status_code == 404
    site.json("DELETE", f"/_replicator/robs?rev={site.json('GET', '/_replicator/robs')['_rev']}")


def test_number_6_a_user_writes_no_document_that_may_not_run(site, far, hosts):
    site.json("PUT", "/_replicator/_security", json={})
    job = {"source": endpoint(far), "target": "robs"}
    for answer in (ask(site, "PUT", "/_replicator/own", "rob", json=job),
                   ask(site, "POST", "/_replicator", "rob", json={**job, "_id": "own"})):
        assert answer.status_code == 403 and "allowed_hosts" in answer.json()["reason"], answer.text
    rows = ask(site, "POST", "/_replicator/_bulk_docs", "rob", json={"docs": [{**job, "_id": "own"}]}).json()
    assert rows[0]["error"] == "forbidden", rows
    assert site.request("GET", "/_replicator/own").status_code == 404
    hosts("127.0.0.1")
    saved = ask(site, "PUT", "/_replicator/own", "rob", json=job)
    assert saved.status_code == 201, saved.text
    revision = site.json("GET", "/_replicator/own")["_rev"]
    while not site.request("DELETE", f"/_replicator/own?rev={revision}").ok:
        revision = site.json("GET", "/_replicator/own")["_rev"]


def test_number_6_a_name_that_gets_a_private_address_is_not_asked_again(tmp_path):
    namespaces = ["unshare", "--net", "--mount"]
    if subprocess.run([*namespaces, "true"], capture_output=True).returncode:
        pytest.skip("needs the right to make namespaces")
    subprocess.run([*namespaces, sys.executable, CLIENTS / "rebinding.py", tmp_path], check=True, timeout=60)
