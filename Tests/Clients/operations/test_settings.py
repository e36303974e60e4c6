"""Settings, and their effects on requests."""

import pytest

from accounts import CONFIG, ask, log_in, settings, site  # noqa: F401
from conftest import ADMIN


def test_settings(site, settings):
    assert site.json("GET", CONFIG + "chttpd_auth/timeout") == "600"
    settings(chttpd_auth__timeout="700")
    assert site.json("GET", CONFIG + "chttpd_auth")["timeout"] == "700"
    assert site.json("GET", CONFIG.rstrip("/"))["chttpd_auth"]["timeout"] == "700"
    assert site.request("PUT", CONFIG + "chttpd_auth/timeout", json="soon").status_code == 400
    answer = site.request("GET", "/_node/elsewhere@nowhere/_config")
    assert answer.status_code == 412 and answer.json()["error"] == "nodedown"


def test_old_names_of_settings(site, settings):
    """`add-cors-to-couchdb` sets the first, with its name of CouchDB 1."""
    settings(httpd__enable_cors="true")
    assert site.json("GET", CONFIG + "chttpd/enable_cors") == "true"


def test_settings_without_effect_are_kept_and_said_to_be(site):
    kept = site.request("PUT", CONFIG + "log/level", json="debug")
    assert kept.status_code == 200 and "no effect" in kept.json() and "no effect" in kept.headers["X-Godwit-Note"]
    assert site.json("GET", CONFIG + "log/level") == "debug"
    assert site.json("GET", CONFIG.rstrip("/"))["log"]["level"] == "debug"
    site.stop()
    site.start()
    assert site.request("DELETE", CONFIG + "log/level").json() == "debug"
    assert site.request("DELETE", CONFIG + "log/level").status_code == 404
    for n in range(1_001):
        refused = site.request("PUT", CONFIG + f"many/k{n}", json="x")
        if refused.status_code != 200:
            break
    assert refused.status_code == 400 and "1000 settings" in refused.json()["reason"]
    for name in site.json("GET", CONFIG + "many"):
        site.request("DELETE", CONFIG + f"many/{name}")


def test_the_users_database_has_one_name(site):
    key = CONFIG + "chttpd_auth/authentication_db"
    assert site.json("GET", key) == "_users"
    assert site.json("PUT", key, json="_users") == "_users"
    answer = site.request("PUT", key, json="cust")
    assert answer.status_code == 400 and "must be _users" in answer.json()["reason"]


def test_a_setting_that_is_not_there(site):
    assert site.request("GET", CONFIG + "nothing/here").json() == {
        "error": "not_found", "reason": "unknown_config_value"}


@pytest.mark.parametrize("method, path, body", [
    ("PUT", "/curled/curled", "{}"),
    ("PUT", "/curled/_local/curled", "{}"),
    ("PUT", "/curled/_security", "{}"),
    ("PUT", CONFIG + "cors/max_age", '"600"'),
    ("PUT", "/curled/_revs_limit", "1000"),
])
def test_put_as_curl_sends_it(site, method, path, body):
    """`curl -X PUT -d '{}'` sends the content type of a form; where CouchDB expects JSON of PUT it reads the body as JSON."""
    site.request("PUT", "/curled")
    response = site.request(method, path, data=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert response.status_code in (200, 201), response.text


def test_require_valid_user(site, settings):
    settings(chttpd__require_valid_user="true")
    for path in ("/", "/_up", "/_uuids", "/db", "/nowhere", "/nowhere/x/y"):
        response = ask(site, "GET", path)
        assert response.status_code == 401
        assert response.json() == {"error": "unauthorized", "reason": "Authentication required."}
    assert ask(site, "GET", "/_session").ok and log_in(site, *ADMIN).ok
    settings(chttpd__require_valid_user_except_for_up="true", chttpd__require_valid_user="false")
    assert ask(site, "GET", "/_up").ok and ask(site, "GET", "/").status_code == 401


def test_databases_for_everybody_to_list(site, settings):
    settings(chttpd__admin_only_all_dbs="false")
    assert "db" in ask(site, "GET", "/_all_dbs").json()
    settings(couchdb__default_security="everyone")
    site.json("PUT", "/lent")
    assert ask(site, "PUT", "/lent/x", json={}).status_code == 201
    assert ask(site, "GET", "/_users/_all_docs").status_code == 401
    site.json("DELETE", "/lent")


def test_a_script_that_sets_up_a_single_node(site):
    assert site.json("GET", "/_cluster_setup") == {"state": "single_node_enabled"}
    made = site.request("POST", "/_cluster_setup", json={
        "action": "enable_single_node", "username": "admin", "password": "secret", "bind_address": "0.0.0.0", "port": 5984})
    assert made.status_code == 201 and made.json() == {"ok": True}
    for action, status in (("finish_cluster", 400), ("enable_cluster", 400), ("add_node", 501), ("nonsense", 400)):
        assert site.request("POST", "/_cluster_setup", json={"action": action}).status_code == status
    assert site.request("PUT", "/_reshard/state", json={"state": "stopped"}).json() == {"ok": True}
    assert site.json("GET", "/_reshard/state")["state"] == site.json("GET", "/_reshard")["state"] == "stopped"
    site.json("PUT", "/_reshard/state", json={"state": "running"})
    assert site.json("GET", "/_reshard/state") == {"state": "running", "reason": None}
    refused = site.request("POST", "/_reshard/jobs", json={"type": "split", "db": "db"})
    assert refused.status_code == 501 and "one shard" in refused.json()["reason"]
