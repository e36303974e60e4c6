"""The routes of IBM's Bluelist adapter."""

import hashlib
import random
import threading
import time

import pytest
import requests

from conftest import Server
from issuers import Issuer

PATHS = ["/bluelist", "/adapters/BlueListProxyAdapter/bluelist"]
APP = "/_apps/com.ibm.bluelist"


@pytest.fixture(scope="module")
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory, issuer):
    site = Server(tmp_path_factory.mktemp("bluelist") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    site.json("PUT", APP, json={
        "bluelist": {}, "registrations_per_minute": 1000, "providers": {"corporate": issuer.declaration()}})
    yield site
    site.stop()


def token(site, name):
    password = {"password": "a long password"}
    requests.put(f"{site.url}{APP}/users/{name}", json=password, timeout=30)
    login = requests.post(f"{site.url}{APP}/login", json={"name": name, **password}, timeout=30)
    return {"Authorization": "Bearer " + login.json()["access_token"]}


def database(name):
    return "todosdb_" + hashlib.sha1(name.encode()).hexdigest()


def cookie(answer):
    value = answer["sessionCookie"]
    assert value.startswith("AuthSession=")
    return {"Cookie": value.split(";")[0]}


@pytest.mark.parametrize("path", PATHS)
def test_enrolling(site, path):
    assert requests.get(site.url + path, timeout=30).json() == {"bluelist": "ok", "version": 1}
    name = "ann" + path.replace("/", ".")
    bearer = token(site, name)
    answer = requests.put(site.url + path + "/enroll", headers=bearer, timeout=30)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body.pop("sessionCookie")
    host, port = site.url.removeprefix("http://").split(":")
    assert body == {
        "ok": True, "name": f"com.ibm.bluelist/{name}", "roles": ["com.ibm.bluelist/user"], "database": database(name),
        "cloudant_access": {"protocol": "http", "host": host, "port": port}}
    session = cookie(answer.json())
    url = f"{site.url}/{body['database']}"
    item = {"@datatype": "TodoItem", "name": "milk", "priority": 1}
    assert requests.put(url + "/one", json=item, headers=session, timeout=30).status_code == 201
    indexes = requests.get(url + "/_index", headers=session, timeout=30).json()["indexes"]
    assert [index["name"] for index in indexes] == ["_all_docs", "_imfdata_defaultdatatype"]
    found = requests.post(url + "/_find", json={"selector": {"@datatype": "TodoItem"}}, headers=session, timeout=30)
    assert [doc["_id"] for doc in found.json()["docs"]] == ["one"]
    # A user is a member and no administrator.
    assert requests.put(url + "/_security", json={}, headers=session, timeout=30).status_code in (401, 403)
    # Once more: the existing database, and a cookie without it.
    assert requests.put(site.url + path + "/enroll", headers=bearer, timeout=30).status_code == 200
    assert requests.get(url + "/one", headers=session, timeout=30).status_code == 200
    renewed = requests.post(site.url + path + "/sessioncookie", headers=bearer, timeout=30).json()
    assert "database" not in renewed
    assert requests.get(url + "/one", headers=cookie(renewed), timeout=30).status_code == 200


def test_others_have_no_right_to_the_database(site):
    ann, bob = token(site, "private"), token(site, "bob")
    name = requests.put(site.url + "/bluelist/enroll", headers=ann, timeout=30).json()["database"]
    answer = requests.put(site.url + "/bluelist/enroll", headers=bob, timeout=30).json()
    assert answer["database"] != name
    assert requests.get(f"{site.url}/{name}/_all_docs", headers=cookie(answer), timeout=30).status_code == 403


def test_ending_sessions_and_unenrolling(site):
    bearer = token(site, "leaver")
    body = requests.put(site.url + "/bluelist/enroll", headers=bearer, timeout=30).json()
    url = f"{site.url}/{body['database']}"
    assert requests.delete(site.url + "/bluelist/sessioncookie", headers=bearer, timeout=30).json() == {"ok": True}
    assert requests.get(url, headers=cookie(body), timeout=30).status_code == 401
    body = requests.post(site.url + "/bluelist/sessioncookie", headers=bearer, timeout=30).json()
    assert requests.delete(site.url + "/bluelist/enroll", headers=bearer, timeout=30).json() == {"ok": True}
    assert site.request("GET", f"/{database('leaver')}").status_code == 404
    assert requests.get(url, headers=cookie(body), timeout=30).status_code == 401
    # The account remains, and can enroll again. Its removal removes the database.
    requests.put(site.url + "/bluelist/enroll", headers=bearer, timeout=30)
    site.json("DELETE", f"{APP}/users/leaver")
    assert site.request("GET", f"/{database('leaver')}").status_code == 404


@pytest.mark.parametrize("method, path", [
    ("PUT", "/enroll"), ("DELETE", "/enroll"), ("POST", "/sessioncookie"), ("DELETE", "/sessioncookie")])
@pytest.mark.parametrize("header", [None, "Bearer x", "Bearer a.b.c", "Basic YTpi"])
def test_a_token_is_needed(site, method, path, header):
    headers = {"Authorization": header} if header else {}
    answer = requests.request(method, site.url + "/bluelist" + path, headers=headers, timeout=30)
    assert answer.status_code == 401
    if header != "Basic YTpi":
        assert answer.json()["status"] == "error" and answer.json()["message"]


def test_an_id_token_of_a_provider_enrolls_a_new_user(site, issuer):
    bearer = {"Authorization": "Bearer " + issuer.token()}
    body = requests.put(site.url + "/bluelist/enroll", headers=bearer, timeout=30).json()
    assert body["database"] == database("corporate-u1")
    assert requests.get(f"{site.url}/{body['database']}", headers=cookie(body), timeout=30).status_code == 200
    for wrong in [issuer.token(aud="other"), issuer.token(iss="https://evil.example"), issuer.token(exp=1)]:
        answer = requests.put(
            site.url + "/bluelist/enroll", headers={"Authorization": "Bearer " + wrong}, timeout=30)
        assert answer.status_code == 401 and answer.json()["status"] == "error"


def test_an_id_token_is_a_bearer_token_until_it_expires(site, issuer):
    """A login takes a token without a nonce once. The adapter takes it with each request, also after such a login."""
    token = issuer.token(sub="u2", email=None)
    bearer = {"Authorization": "Bearer " + token}
    for _ in range(2):
        assert requests.put(site.url + "/bluelist/enroll", headers=bearer, timeout=30).status_code == 200
        assert requests.post(site.url + "/bluelist/sessioncookie", headers=bearer, timeout=30).status_code == 200
    proof = {"provider": "corporate", "id_token": token}
    statuses = [requests.post(f"{site.url}{APP}/login", json=proof, timeout=30).status_code for _ in range(2)]
    assert statuses == [200, 401]
    assert requests.put(site.url + "/bluelist/enroll", headers=bearer, timeout=30).status_code == 200


def test_a_database_of_the_name_that_is_not_the_users_is_not_given(site):
    site.json("PUT", "/" + database("unlucky"))
    answer = requests.put(site.url + "/bluelist/enroll", headers=token(site, "unlucky"), timeout=30)
    assert answer.status_code == 409 and "does not belong to this user" in answer.json()["message"]


def test_the_routes_are_present_with_a_declaration_only(server):
    for name in ["bluelist", "adapters"]:
        server.json("PUT", f"/{name}")
    assert server.json("GET", "/bluelist")["db_name"] == "bluelist"
    answer = server.request("PUT", APP, json={"bluelist": {}})
    assert answer.status_code == 400 and "while a database has the name" in answer.json()["reason"]
    for name in ["bluelist", "adapters"]:
        server.json("DELETE", f"/{name}")
    server.json("PUT", APP, json={"bluelist": {}})
    assert server.json("GET", "/bluelist") == {"bluelist": "ok", "version": 1}
    answer = server.request("PUT", "/bluelist")
    assert answer.status_code == 405 or "GodwitBackend uses this name" in answer.text
    answer = server.request("PUT", "/_apps/second", json={"bluelist": {}})
    assert answer.status_code == 400 and "com.ibm.bluelist has the routes" in answer.json()["reason"]
    server.json("DELETE", APP)
    server.json("PUT", "/bluelist")
    assert server.json("GET", "/bluelist")["db_name"] == "bluelist"


def test_a_cut_between_two_steps_of_an_enrolment_leaves_nothing(tmp_path):
    """A database of the adapter has its rights and its index, or it does not exist, whenever the server is killed."""
    site = Server(tmp_path / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    site.json("PUT", APP, json={"bluelist": {}, "registrations_per_minute": 100_000})
    random.seed(25)
    for kill in range(10):
        names = [f"u{kill}-{number}" for number in range(20)]
        bearers = {name: token(site, name) for name in names}
        begun = threading.Event()

        def enroll():
            for name in names:
                begun.set()
                try:
                    requests.put(site.url + "/bluelist/enroll", headers=bearers[name], timeout=30)
                except requests.RequestException:
                    return

        thread = threading.Thread(target=enroll)
        thread.start()
        begun.wait()
        time.sleep(random.uniform(0, 0.06))
        site.kill()
        thread.join()
        site.start()
        present = set(site.json("GET", "/_all_dbs"))
        enrolled = [name for name in names if database(name) in present]
        for name in enrolled:
            own = database(name)
            assert site.json("GET", f"/{own}/_security")["members"]["names"] == [f"com.ibm.bluelist/{name}"]
            indexes = [index["name"] for index in site.json("GET", f"/{own}/_index")["indexes"]]
            assert indexes == ["_all_docs", "_imfdata_defaultdatatype"]
        # Each user can enroll afterwards, whatever the crash left.
        for name in [*enrolled[-1:], *[name for name in names if name not in enrolled][:1]]:
            again = requests.put(site.url + "/bluelist/enroll", headers=token(site, name), timeout=30)
            assert again.status_code == 200 and again.json()["database"] == database(name), again.text
    site.stop()
