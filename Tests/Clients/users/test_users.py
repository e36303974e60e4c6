"""The documents of `_users`, and administrators."""

import hashlib
import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import requests

from accounts import (  # noqa: F401
    USER, CONFIG, USERS, SourceAddress, ask, configure, log_in, make_user, open_users, site)
from conftest import Server


# User documents


def test_passwords_are_hashed_on_save(site):
    make_user(site, "pat")
    user = site.json("GET", USERS + "pat")
    assert "password" not in user and "pat-1" not in str(user)
    assert (user["password_scheme"], user["pbkdf2_prf"], user["iterations"]) == ("pbkdf2", "sha256", 1000)
    key = hashlib.pbkdf2_hmac("sha256", b"pat-1", user["salt"].encode(), 1000, len(user["derived_key"]) // 2)
    assert user["derived_key"] == key.hex(), "as CouchDB's, so that the document logs in there"
    kept = site.json("PUT", USERS + "pat", json={**user, "nick": "P"})
    assert kept["ok"] and ask(site, "GET", "/_session", "pat").ok, "a save without a password keeps the hash"
    answers = site.json("POST", "/_users/_bulk_docs", json={"docs": [
        {"_id": "org.couchdb.user:pam", "name": "pam", "type": "user", "roles": [], "password": "pam-1"}]})
    assert answers[0]["ok"] and "password" not in site.json("GET", USERS + "pam")
    assert ask(site, "GET", "/_session", "pam").ok


HASH = {"password_scheme": "pbkdf2", "salt": "a", "iterations": 1000, "derived_key": "aa"}


@pytest.mark.parametrize("changes, reason", [
    ({"type": None}, "doc.type must be user"),
    ({"type": "person"}, "doc.type must be user"),
    ({"name": None}, "doc.name is required"),
    ({"roles": None}, "doc.roles must exist"),
    ({"roles": "staff"}, "doc.roles must be an array"),
    ({"roles": [1]}, "doc.roles can only contain strings"),
    ({"name": "other"}, "Doc ID must be of the form org.couchdb.user:name"),
    ({"roles": ["_admin"]}, "No system roles (starting with underscore) in users db."),
    ({"_id": "_new", "name": "_new"}, "Username may not start with underscore."),
    ({"_id": "n:w", "name": "n:w"}, "Character `:` is not allowed in usernames."),
    pytest.param({"password_sha": "aa"}, "Users with password_sha must have a salt."),
    pytest.param({**HASH, "iterations": "many"}, "iterations must be a number."),
    pytest.param({**HASH, "derived_key": 1}, "derived_key must be a string."),
])
def test_user_documents_are_checked(site, changes, reason):
    user = {key: value for key, value in {**USER, **changes}.items() if value is not None}
    identifier = user.pop("_id", "new")
    response = site.request("PUT", USERS + identifier, json=user)
    try:
        assert response.status_code == 403 and response.json()["error"] == "forbidden"
        assert response.json()["reason"].startswith(reason)
    finally:
        if response.ok:
            site.json("DELETE", f"{USERS}{identifier}?rev={response.json()['rev']}")


def test_the_security_of_users_is_fixed(site):
    response = site.request("PUT", "/_users/_security", json=site.json("GET", "/_users/_security"))
    assert response.status_code == 403
    assert response.json()["reason"] == "You can't edit the security object of the user database."


def test_users_change_their_own_document(site, open_users):
    make_user(site, "uma", roles=["staff"])
    user = ask(site, "GET", USERS + "uma", "uma").json()
    saved = ask(site, "PUT", USERS + "uma", "uma", json={**user, "password": "uma-2"})
    assert saved.status_code == 201 and log_in(site, "uma", "uma-2").ok
    user = ask(site, "GET", USERS + "uma", "uma", "uma-2").json()
    more = ask(site, "PUT", USERS + "uma", "uma", "uma-2", json={**user, "roles": ["staff", "boss"]})
    assert more.status_code == 403
    other = ask(site, "PUT", USERS + "uma", "uma", "uma-2", json={**user, "name": "unknown"})
    assert other.status_code == 403
    removed = ask(site, "DELETE", f"{USERS}uma?rev={user['_rev']}", "uma", "uma-2")
    assert removed.ok and log_in(site, "uma", "uma-2").status_code == 401


def test_the_reason_why_roles_stay(site, open_users):
    make_user(site, "ute")
    user = ask(site, "GET", USERS + "ute", "ute").json()
    more = ask(site, "PUT", USERS + "ute", "ute", json={**user, "roles": ["boss"]})
    assert more.json() == {"error": "forbidden", "reason": "Only _admin may edit roles"}


def test_guests_register(site, open_users):
    user = {"name": "gil", "type": "user", "roles": [], "password": "gil-1"}
    assert ask(site, "PUT", USERS + "gil", json={**user, "roles": ["boss"]}).json() == {
        "error": "forbidden", "reason": "Only _admin may set roles"}
    assert ask(site, "PUT", USERS + "gil", json=user).status_code == 201
    assert log_in(site, "gil").ok
    assert ask(site, "GET", USERS + "gil").status_code == 404


def test_a_crowd_of_registrations_does_not_keep_out_another_address(tmp_path):
    """The passwords of each address wait in a separate queue, and the addresses take turns."""
    server = Server(tmp_path / "data")
    configure(server, "couchdb/users_db_security_editable", "true")
    configure(server, "chttpd_auth/iterations", "150000")
    everyone = {"admins": {"roles": ["_admin"]}, "members": {}}
    assert server.request("PUT", "/_users/_security", json=everyone).ok

    def register(address, name):
        session = requests.Session()
        session.mount("http://", SourceAddress(address))
        user = {"name": name, "type": "user", "roles": [], "password": "a password"}
        return session.put(server.url + USERS + name, json=user, timeout=120).status_code

    with ThreadPoolExecutor(100) as pool:
        crowd = [pool.submit(register, f"127.0.0.{2 + number % 4}", f"n{number}") for number in range(100)]
        time.sleep(1)
        assert register("127.0.0.9", "gil") == 201
        assert not all(answer.done() for answer in crowd)
        assert {answer.result() for answer in crowd} == {201}
    server.stop()


@pytest.mark.parametrize("new_edits", [True, False])
def test_bulk_writes_keep_the_rules(site, open_users, new_edits):
    names = [f"vera-{new_edits}".lower(), f"vic-{new_edits}".lower()]
    for user in names:
        make_user(site, user, roles=["staff"])
    before = [site.json("GET", USERS + user) for user in names]
    mine, other = before
    attempts = [
        {**other, "salt": mine["salt"], "derived_key": mine["derived_key"]}, {**other, "_deleted": True},
        {**mine, "roles": ["staff", "boss"]}, {**mine, "name": names[1]}]
    for document in attempts:
        if not new_edits:
            document = {**document, "_rev": "9-f"}
        answer = ask(site, "POST", "/_users/_bulk_docs", names[0], json={"docs": [document], "new_edits": new_edits})
        assert answer.status_code in (403, 404) or answer.json()[0]["error"] in ("forbidden", "not_found")
    assert [site.json("GET", USERS + user) for user in names] == before


def test_local_documents_of_users_are_for_administrators(site, open_users):
    """Writing a list of documents is refused like `/_users/_local/…`; none of a refused list is written."""
    make_user(site, "wim")
    site.json("PUT", "/_users/_local/kept", json={"n": 1})
    for name in (None, "wim"):
        user = {"_id": f"org.couchdb.user:new-{name}", "name": f"new-{name}", "type": "user", "roles": [], "password": "x"}
        refused = ask(site, "POST", "/_users/_bulk_docs", name, json={"docs": [user, {"_id": "_local/kept", "n": 2}]})
        assert refused.status_code in (401, 403), refused.text
        assert site.request("GET", f"/_users/{user['_id']}").status_code == 404
        refused = ask(site, "POST", "/_users", name, json={"_id": "_local/kept", "n": 2})
        assert refused.status_code in (401, 403), refused.text
    assert site.json("GET", "/_users/_local/kept")["n"] == 1
    site.json("DELETE", "/_users/_local/kept?rev=0-1")


# Administrators


def test_administrators(site):
    assert configure(site, "admins/eve", "eve-1") == ""
    assert ask(site, "GET", "/_all_dbs", "eve").ok
    stored = site.json("GET", CONFIG + "admins/eve")
    assert re.fullmatch(r"-pbkdf2:sha256-[0-9a-f]{64},[0-9a-f]{32},1000", stored)
    assert set(site.json("GET", CONFIG + "admins")) == {"admin", "eve"}
    assert configure(site, "admins/eve", "eve-2") == stored
    assert ask(site, "GET", "/_all_dbs", "eve").status_code == 401
    assert ask(site, "GET", "/_all_dbs", "eve", "eve-2").ok
    key = hashlib.pbkdf2_hmac("sha1", b"eve-3", b"5a17", 10, 20).hex()
    configure(site, "admins/eve", f"-pbkdf2-{key},5a17,10")
    assert ask(site, "GET", "/_all_dbs", "eve", "eve-3").ok, "the hash of another server"
    assert site.json("DELETE", CONFIG + "admins/eve").startswith("-pbkdf2-")
    assert ask(site, "GET", "/_all_dbs", "eve", "eve-3").status_code == 401
    assert site.request("DELETE", CONFIG + "admins/admin").status_code == 400
    assert site.json("GET", "/_session")["userCtx"] == {"name": "admin", "roles": ["_admin"]}


def test_an_administrator_goes_before_a_user_of_the_same_name(site):
    make_user(site, "dan", password="user-password")
    configure(site, "admins/dan", "dan-1")
    assert ask(site, "GET", "/_all_dbs", "dan").ok
    assert ask(site, "GET", "/_session", "dan", "user-password").status_code == 401
    site.json("DELETE", CONFIG + "admins/dan")


@pytest.mark.parametrize("name, status", [("Zo\u00eb", 201), ("Zoe\u0308", 403), ("\u212b", 403), ("\U0001d15e", 403), ("\u738b", 201)])
def test_names_of_users_are_in_the_composed_form(site, name, status):
    user = {"name": name, "type": "user", "roles": [], "password": "x"}
    response = site.request("PUT", USERS + quote(name), json=user)
    assert response.status_code == status
    assert ("NFC" in response.text) == (status == 403)
