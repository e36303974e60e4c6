"""Defects from a review: access without the rights for it, and requests that ended or stopped the server."""

import gzip
import threading
import time

import pytest
import requests

from conftest import Server

CONFIG = "/_node/_local/_config/"
COMBINING = "jose\u0301"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("reviewed") / "data")
    site.json("PUT", CONFIG + "chttpd_auth/iterations", json="1000")
    site.json("PUT", CONFIG + "couchdb/users_db_security_editable", json="true")
    site.json("PUT", "/_users/_security", json={})
    site.json("PUT", "/pub")
    site.json("PUT", "/pub/_security", json={})
    yield site
    site.stop()


def guest(site, method, path, **options):
    return requests.request(method, site.url + path, timeout=30, **options)


@pytest.mark.parametrize("path", ["_all_docs", "_design_docs", "_local_docs"])
@pytest.mark.parametrize("body", [{"keys": ["a"], "limit": -1}, {"skip": -1}, {"limit": "x"}, {"keys": ["a"], "skip": -2}])
def test_counts_in_a_body(site, path, body):
    assert guest(site, "POST", f"/pub/{path}", json=body).status_code == 400
    assert guest(site, "POST", f"/pub/_all_docs/queries", json={"queries": [body]}).status_code == 400


def test_names_that_unicode_takes_for_equal(site):
    user = {"name": "jos\u00e9", "type": "user", "roles": [], "password": "one"}
    assert site.json("PUT", "/_users/org.couchdb.user:jos\u00e9", json=user)["ok"]
    other = {**user, "name": COMBINING, "password": "two"}
    assert guest(site, "PUT", f"/_users/org.couchdb.user:{COMBINING}", json=other).status_code in (403, 409)
    mixed = guest(site, "PUT", f"/_users/org.couchdb.user:{COMBINING}", json=user)
    assert mixed.status_code in (403, 409)


def test_what_follows_the_prefix_of_design_documents(site):
    body = {"validate_doc_update": "function () {}"}
    assert guest(site, "PUT", "/pub/_design/%CC%81evil", json=body).status_code == 401
    assert guest(site, "PUT", "/pub/_design%2F%CC%81evil", json=body).status_code == 401
    assert site.request("PUT", "/pub/_design%2F", json={}).status_code in (400, 405)
    assert guest(site, "PUT", "/pub/fine", json={}).status_code == 201


def test_logins_hold_up_no_writes(site):
    site.json("PUT", CONFIG + "chttpd_auth/iterations", json="600000")
    threads = [threading.Thread(target=guest, args=(site, "GET", "/_session"), kwargs={"auth": (f"n{n}", "x")})
               for n in range(16)]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    assert site.json("PUT", "/pub/meanwhile", json={})["ok"]
    assert time.monotonic() - start < 3
    for thread in threads:
        thread.join()
    site.json("PUT", CONFIG + "chttpd_auth/iterations", json="1000")


def test_many_guesses_at_once_are_locked_out(site):
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append(
        guest(site, "GET", "/_session", auth=("victim", f"guess{n}")).status_code)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count(401) <= 5 and answers.count(403) >= 15, answers


def test_hashes_that_cost_too_much(site):
    user = {"name": "slow", "type": "user", "roles": [], "password_scheme": "pbkdf2", "pbkdf2_prf": "sha512",
            "salt": "aa", "iterations": 10_000_000, "derived_key": "ab" * 5000}
    assert site.json("PUT", "/_users/org.couchdb.user:slow", json=user)["ok"]
    start = time.monotonic()
    assert guest(site, "GET", "/_session", auth=("slow", "x")).status_code == 401
    assert time.monotonic() - start < 5


def test_the_secret_is_never_empty(site):
    site.request("DELETE", CONFIG + "chttpd_auth/secret")
    site.request("PUT", CONFIG + "chttpd_auth/secret", json="")
    handlers = "{chttpd_auth, proxy_authentication_handler}, {chttpd_auth, default_authentication_handler}"
    site.json("PUT", CONFIG + "chttpd/authentication_handlers", json=handlers)
    import hashlib
    import hmac
    token = hmac.new(b"", b"eve", hashlib.sha256).hexdigest()
    headers = {"X-Auth-CouchDB-UserName": "eve", "X-Auth-CouchDB-Roles": "_admin", "X-Auth-CouchDB-Token": token}
    assert guest(site, "GET", "/_session", headers=headers).json()["userCtx"]["name"] is None
    site.request("DELETE", CONFIG + "chttpd/authentication_handlers")


@pytest.mark.parametrize("path", ["//evil.example", "/%EF%B8%8F/evil.example", "/\ufe0fevil", "https://evil", "/\\evil"])
def test_going_on_elsewhere(site, path):
    answer = guest(site, "POST", "/_session", params={"next": path}, json={"name": "admin", "password": "secret"},
                   allow_redirects=False)
    assert answer.status_code in (302, 400)
    location = answer.headers.get("Location", "/")
    assert location.startswith("/") and not location.startswith("//") and location.isascii()


def test_stored_pages_are_nobodys(site):
    site.request("PUT", "/pub/page/index.html", data=b"<script>1</script>", headers={"Content-Type": "text/html"})
    answer = guest(site, "GET", "/pub/page/index.html")
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_replication_into_databases_with_rules(site):
    site.json("PUT", "/from")
    user = {"_id": "org.couchdb.user:rex", "name": "rex", "type": "user", "roles": ["_admin"], "password": "plain"}
    site.json("POST", "/from/_bulk_docs", json={"docs": [user]})
    assert site.request("POST", "/_replicate", json={"source": "from", "target": "_users"}).status_code == 403
    assert site.request("GET", "/_users/org.couchdb.user:rex").status_code == 404


def test_a_deleted_user_stays_away(tmp_path):
    site = Server(tmp_path / "data")
    site.json("PUT", CONFIG + "chttpd_auth/iterations", json="1000")
    alice = {"name": "alice", "type": "user", "roles": ["boss"], "password": "a"}
    site.json("PUT", "/_users/org.couchdb.user:alice", json=alice)
    assert guest(site, "GET", "/_session", auth=("alice", "a")).ok
    site.json("DELETE", "/_users")
    site.json("PUT", "/_users")
    site.json("PUT", "/_users/org.couchdb.user:bob", json={**alice, "name": "bob"})
    assert guest(site, "GET", "/_session", auth=("alice", "a")).status_code == 401
    site.stop()


def test_the_replicator_database_made_anew(server):
    server.json("PUT", "/a")
    server.json("PUT", "/a/x", json={})
    server.json("DELETE", "/_replicator")
    server.json("PUT", "/_replicator")
    server.json("PUT", "/_replicator/one", json={"source": "a", "target": "b", "create_target": True})
    end = time.monotonic() + 15
    while not server.request("GET", "/b/x").ok and time.monotonic() < end:
        time.sleep(0.2)
    assert server.request("GET", "/b/x").ok
    job = {"source": "a", "target": "c", "create_target": True, "continuous": True}
    server.json("PUT", "/_replicator/two", json=job)
    server.json("PUT", "/_replicator/three", json=job)
    while time.monotonic() < end:
        told = [server.json("GET", f"/_replicator/{name}").get("_replication_state") for name in ("two", "three")]
        if "failed" in told:
            break
        time.sleep(0.2)
    assert sorted(told, key=str) == [None, "failed"]


def test_signs_of_life_of_a_filtered_feed(site):
    stop = threading.Event()

    def write():
        n = 0
        while not stop.is_set():
            site.json("PUT", f"/pub/noise{n}", json={})
            n += 1
            time.sleep(0.1)

    thread = threading.Thread(target=write)
    thread.start()
    url = "/pub/_changes?feed=continuous&filter=_design&heartbeat=300&since=now"
    with guest(site, "GET", url, stream=True) as feed:
        start = time.monotonic()
        assert next(feed.iter_content(1)) == b"\n" and time.monotonic() - start < 3
    stop.set()
    thread.join()
    assert guest(site, "GET", "/pub/_changes?feed=continuous&heartbeat=0").status_code == 400


def test_packed_bodies_that_grow(site):
    bomb = gzip.compress(b'{"keys":[' + b"0," * (16 << 20) + b"0]}")
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    answer = guest(site, "POST", "/pub/_all_docs", data=bomb, headers=headers)
    assert answer.status_code == 413


def test_weak_tags(site):
    site.json("PUT", "/pub/tagged", json={})
    tag = guest(site, "GET", "/pub/tagged").headers["ETag"]
    for known in (f"W/{tag}", f'"x", {tag}', "*"):
        assert guest(site, "GET", "/pub/tagged", headers={"If-None-Match": known}).status_code == 304
