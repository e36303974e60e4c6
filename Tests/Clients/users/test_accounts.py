"""Logging in and out, lock-outs, proxies, keys and validation."""

import base64
import hashlib
import hmac
import itertools
import re
import time

import pytest
import requests

from accounts import (  # noqa: F401
    CONFIG, USER, USERS, SourceAddress, ask, configure, log_in, make_user, open_users, session, settings, site, who)
from conftest import ADMIN

HANDLERS = (
    "{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, proxy_authentication_handler}, "
    "{chttpd_auth, default_authentication_handler}")


# Sessions


def test_session(site):
    make_user(site, "ann", roles=["staff"])
    for body in ({"data": {"name": "ann", "password": "ann-1"}}, {"json": {"name": "ann", "password": "ann-1"}}):
        response = ask(site, "POST", "/_session", **body)
        assert response.status_code == 200
        assert response.json() == {"ok": True, "name": "ann", "roles": ["staff"]}
        header = response.headers["Set-Cookie"]
        attributes = {part.strip().lower() for part in header.split(";")[1:]}
        assert {"version=1", "path=/", "httponly", "max-age=600"} <= attributes
        assert "secure" not in attributes, "not over plain HTTP"
    info = session(site, response.cookies["AuthSession"]).json()
    assert info["ok"] and info["userCtx"] == {"name": "ann", "roles": ["staff"]}
    assert info["info"]["authenticated"] == "cookie"
    assert info["info"]["authentication_handlers"] == ["cookie", "default"]
    info = ask(site, "GET", "/_session", "ann").json()
    assert info["userCtx"]["name"] == "ann" and info["info"]["authenticated"] == "default"
    assert ask(site, "GET", "/_session").json()["userCtx"] == {"name": None, "roles": []}


def test_session_names_the_users_database(site):
    assert ask(site, "GET", "/_session").json()["info"].get("authentication_db") == "_users"


def test_wrong_password_clears_the_cookie(site):
    make_user(site, "amy")
    response = log_in(site, "amy", "wrong")
    assert response.status_code == 401
    assert response.json() == {"error": "unauthorized", "reason": "Name or password is incorrect."}
    assert response.headers["Set-Cookie"].startswith("AuthSession=;")
    unknown = log_in(site, "nobody-of-this-name", "wrong")
    assert (unknown.status_code, unknown.json()) == (response.status_code, response.json())


def test_logging_out(site):
    make_user(site, "abe")
    browser = requests.Session()
    browser.post(site.url + "/_session", data={"name": "abe", "password": "abe-1"}, timeout=30)
    assert browser.get(site.url + "/_session", timeout=30).json()["userCtx"]["name"] == "abe"
    response = browser.delete(site.url + "/_session", timeout=30)
    assert response.json() == {"ok": True}
    assert response.headers["Set-Cookie"].startswith("AuthSession=;") and "HttpOnly" in response.headers["Set-Cookie"]
    assert browser.get(site.url + "/_session", timeout=30).json()["userCtx"]["name"] is None


def test_renewal_and_end(site, settings):
    make_user(site, "art")
    settings(chttpd_auth__timeout="4")
    first = log_in(site, "art").cookies["AuthSession"]
    fresh = session(site, first)
    assert fresh.json()["userCtx"]["name"] == "art" and "Set-Cookie" not in fresh.headers
    time.sleep(2.1)
    renewed = session(site, first)
    second = renewed.cookies["AuthSession"]
    assert second != first and "HttpOnly" in renewed.headers["Set-Cookie"]
    time.sleep(2.5)
    assert who(site, first) is None, "the first is over"
    assert who(site, second) == "art"


def test_cookie_settings(site, settings):
    make_user(site, "ada")
    settings(chttpd_auth__same_site="strict", chttpd_auth__allow_persistent_cookies="false")
    header = log_in(site, "ada").headers["Set-Cookie"]
    assert "SameSite=strict" in header and "Max-Age" not in header and "Expires" not in header
    settings(chttpd_auth__same_site="")
    assert "SameSite" not in log_in(site, "ada").headers["Set-Cookie"]


def test_pages_of_other_sites_get_no_cookie(site):
    """Issue 21, number 9: by default browsers send a session's cookie with the requests of other sites' pages."""
    make_user(site, "ava")
    begun = log_in(site, "ava")
    ended = ask(site, "DELETE", "/_session")
    assert all("; SameSite=lax" in answer.headers["Set-Cookie"] for answer in (begun, ended))


def test_a_changed_password_ends_sessions(site):
    revision = make_user(site, "amos")["rev"]
    cookie = log_in(site, "amos").cookies["AuthSession"]
    assert who(site, cookie) == "amos"
    make_user(site, "amos", password="amos-2", _rev=revision)
    assert who(site, cookie) is None
    assert log_in(site, "amos", "amos-1").status_code == 401
    assert log_in(site, "amos", "amos-2").ok


def test_issue_21_number_4_no_document_makes_a_cookie_a_proxy_token(site, settings, open_users):
    """Number 4: a user's salt is not part of the cookie's key, so that a cookie of `a:TIME` is not the proxy token of it."""
    settings(chttpd__authentication_handlers=HANDLERS)
    make_user(site, "sly")
    for salt in ("", "aa", "0" * 32):
        key = hashlib.pbkdf2_hmac("sha256", b"sly-1", salt.encode(), 10).hex()
        stored = {"password_scheme": "pbkdf2", "pbkdf2_prf": "sha256", "salt": salt, "iterations": 10, "derived_key": key}
        user = site.json("GET", USERS + "sly")
        refused = ask(site, "PUT", USERS + "sly", "sly", json={**user, **stored})
        assert refused.status_code == 403 and "Send the password as doc.password" in refused.json()["reason"]
        guest = {**USER, "name": "sly-too", **stored}
        assert ask(site, "PUT", USERS + "sly-too", json=guest).status_code == 403
        # An administrator may write any hash, as a replication does; still it proves nothing to a proxy's handler.
        site.json("PUT", USERS + "sly", json={**user, **stored})
        cookie = base64.urlsafe_b64decode(log_in(site, "sly").cookies["AuthSession"] + "==")
        signed, code = cookie[:-33], cookie[-32:]
        assert signed.startswith(b"sly:") and cookie[-33:-32] == b":"
        for name in (signed, signed + b":", b"sly"):
            headers = {"X-Auth-CouchDB-UserName": name, "X-Auth-CouchDB-Roles": "_admin",
                       "X-Auth-CouchDB-Token": code.hex()}
            assert ask(site, "GET", "/_session", headers=headers).json()["userCtx"] == {"name": None, "roles": []}


def test_issue_21_number_4_the_server_makes_the_salt(site):
    """A short salt of another server is replaced at the next login."""
    key = hashlib.pbkdf2_hmac("sha256", b"sal-1", b"aa", 1000).hex()
    make_user(site, "sal", password=None, password_scheme="pbkdf2", pbkdf2_prf="sha256", salt="aa", iterations=1000,
              derived_key=key)
    assert log_in(site, "sal").ok
    assert re.fullmatch("[0-9a-f]{32}", site.json("GET", USERS + "sal")["salt"])


def test_issue_21_number_4_changed_roles_end_sessions(site):
    make_user(site, "rod", roles=["staff", "driver"])
    cookie = log_in(site, "rod").cookies["AuthSession"]
    user = site.json("GET", USERS + "rod")
    site.json("PUT", USERS + "rod", json={**user, "roles": ["driver", "staff"]})
    assert who(site, cookie) == "rod", "the same roles"
    user = site.json("GET", USERS + "rod")
    site.json("PUT", USERS + "rod", json={**user, "roles": ["staff"]})
    assert who(site, cookie) is None
    assert session(site, log_in(site, "rod").cookies["AuthSession"]).json()["userCtx"]["roles"] == ["staff"]


def test_issue_21_number_4_an_administrator_that_goes_leaves_no_session(site):
    """A user of the same name and password is another account."""
    make_user(site, "dana")
    configure(site, "admins/dana", "dana-1")
    cookie = log_in(site, "dana").cookies["AuthSession"]
    assert session(site, cookie).json()["userCtx"]["roles"] == ["_admin"]
    site.json("DELETE", CONFIG + "admins/dana")
    assert who(site, cookie) is None
    assert who(site, log_in(site, "dana").cookies["AuthSession"]) == "dana"


def test_a_deleted_user_is_out(site):
    revision = make_user(site, "alf")["rev"]
    cookie = log_in(site, "alf").cookies["AuthSession"]
    site.json("DELETE", f"{USERS}alf?rev={revision}")
    assert who(site, cookie) is None and log_in(site, "alf").status_code == 401


def test_a_cookie_cannot_be_made_up(site):
    cookie = log_in(site, *ADMIN).cookies["AuthSession"]
    assert who(site, cookie) == "admin"
    changed = cookie[:-4] + ("AAAA" if cookie[-4:] != "AAAA" else "BBBB")
    assert who(site, changed) is None


def test_going_on_after_login(site):
    response = log_in(site, *ADMIN, params={"next": "/db"}, allow_redirects=False)
    assert response.status_code == 302 and response.headers["Location"].endswith("/db")
    away = log_in(site, *ADMIN, params={"next": "//elsewhere.example/"}, allow_redirects=False)
    assert "elsewhere" not in away.headers.get("Location", "")


def test_going_on_after_a_failed_login(site):
    make_user(site, "alma")
    response = log_in(site, "alma", "x", params={"fail": "/login"}, allow_redirects=False)
    assert response.status_code == 302 and response.headers["Location"].endswith("/login")


@pytest.mark.parametrize("request_, status, reason", [
    pytest.param({"method": "GET", "path": "/_session?basic=true"}, 401, "Please login."),
    pytest.param({"method": "POST", "path": "/_session", "data": {"password": "x"}}, 400,
                 "request body must contain a username"),
    pytest.param({"method": "GET", "path": "/", "headers": {"Cookie": "AuthSession=nonsense"}}, 400,
                 "Malformed AuthSession cookie. Please clear your cookies."),
    pytest.param({"method": "GET", "path": "/", "headers": {"Authorization": "Basic x"}}, 400,
                 "Authorization header is invalid"),
    pytest.param({"method": "GET", "path": "/", "headers": {"Authorization": "Negotiate x"}}, 200, None),
    pytest.param({"method": "GET", "path": "/", "headers": {"Authorization": "Basic: x"}}, 200, None),
    pytest.param({"method": "GET", "path": "/", "headers": {"Authorization": "Basic Xzpf"}}, 200, None),
], ids=["please log in", "no name", "malformed cookie", "malformed header", "another scheme",
        "no scheme", "browser's logout"])
def test_what_is_no_login(site, request_, status, reason):
    response = ask(site, request_.pop("method"), request_.pop("path"), **request_)
    assert response.status_code == status
    assert response.json().get("reason") == reason


def test_no_challenge_unless_it_is_asked_for(site):
    assert "WWW-Authenticate" not in ask(site, "GET", "/db").headers
    assert "WWW-Authenticate" not in log_in(site, "nobody", "x").headers


def test_the_challenge_that_is_asked_for(site):
    response = ask(site, "GET", "/db", headers={"X-CouchDB-WWW-Authenticate": "Cookie"})
    assert response.headers["WWW-Authenticate"] == "Cookie"


# Passwords that another server hashed


def simple(name, password):
    key = hashlib.sha1(f"{password}5a17".encode()).hexdigest()
    return {"password_scheme": "simple", "salt": "5a17", "password_sha": key}


def pbkdf2(function, wire=None, bytes_=None):
    def members(name, password):
        key = hashlib.pbkdf2_hmac(function, password.encode(), b"5a17", 10, bytes_)
        user = {"password_scheme": "pbkdf2", "salt": "5a17", "iterations": 10, "derived_key": key.hex()}
        return {**user, "pbkdf2_prf": wire} if wire else user
    return members


SCHEMES = {
    "simple": simple, "without a scheme": lambda *user: {**simple(*user), "password_scheme": None},
    "pbkdf2": pbkdf2("sha1", bytes_=20), "pbkdf2 sha": pbkdf2("sha1", "sha", 20),
    "pbkdf2 sha256": pbkdf2("sha256", "sha256", 32), "pbkdf2 sha512": pbkdf2("sha512", "sha512", 64)}


def bring(site, name, members):
    """Writes a user document as a replicator does."""
    user = {"_id": f"org.couchdb.user:{name}", "_rev": "1-a", "name": name, "type": "user", "roles": ["old"], **members}
    user = {key: value for key, value in user.items() if value is not None}
    assert site.json("POST", "/_users/_bulk_docs", json={"new_edits": False, "docs": [user]}) == []
    return {key: value for key, value in user.items()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_old_schemes_log_in_and_are_upgraded(site, scheme):
    name = "old-" + scheme.replace(" ", "-")
    before = bring(site, name, SCHEMES[scheme](name, f"{name}-1"))
    assert site.json("GET", USERS + name) == before, "a replicated hash is kept as it came"
    assert log_in(site, name, "wrong").status_code == 401
    response = ask(site, "GET", "/_session", name)
    assert response.json()["userCtx"] == {"name": name, "roles": ["old"]}
    after = site.json("GET", USERS + name)
    assert (after["password_scheme"], after["pbkdf2_prf"], after["iterations"]) == ("pbkdf2", "sha256", 1000)
    assert "password_sha" not in after and "password" not in after and after["salt"] != "5a17"
    assert after["roles"] == ["old"] and after["_rev"].startswith("2-")
    assert log_in(site, name).ok and log_in(site, name, "wrong").status_code == 401


def test_the_login_that_upgrades_begins_a_session(site):
    bring(site, "older", simple("older", "older-1"))
    assert who(site, log_in(site, "older").cookies["AuthSession"]) == "older"


# Lock-out


def test_lock_out_per_account_and_address(site):
    for name in ("lou", "liz"):
        make_user(site, name)
    for attempt in range(5):
        assert ask(site, "GET", "/_session", "lou", f"wrong-{attempt}").status_code == 401
    locked = {
        "error": "forbidden", "reason": "Account is temporarily locked due to multiple authentication failures"}
    for response in (ask(site, "GET", "/_session", "lou"), log_in(site, "lou")):
        assert (response.status_code, response.json()) == (403, locked), "the right password too"
    assert ask(site, "GET", "/_session", "liz").ok, "another account"
    elsewhere = requests.Session()
    elsewhere.mount("http://", SourceAddress("127.0.0.2"))
    assert elsewhere.get(site.url + "/_session", auth=("lou", "lou-1"), timeout=30).ok, "another address"


def test_a_login_ends_the_count(site):
    make_user(site, "leo")
    for _ in range(2):
        for attempt in range(3):
            assert log_in(site, "leo", "wrong").status_code == 401
        assert log_in(site, "leo").ok


# Proxies


def proxied(site, token=None, name="Zoë", roles="staff,boss"):
    headers = {"X-Auth-CouchDB-UserName": name.encode(), "X-Auth-CouchDB-Roles": roles}
    if token:
        headers["X-Auth-CouchDB-Token"] = token
    return ask(site, "GET", "/_session", headers=headers).json()


def test_proxies(site, settings):
    token = hmac.new(b"between-us", "Zoë".encode(), "sha256").hexdigest()
    settings(chttpd_auth__secret="between-us")
    assert proxied(site, token)["userCtx"]["name"] is None, "off until it is switched on"
    settings(chttpd__authentication_handlers=HANDLERS, chttpd_auth__proxy_use_secret="true")
    info = proxied(site, token)
    assert info["userCtx"] == {"name": "Zoë", "roles": ["staff", "boss"]}
    assert info["info"]["authenticated"] == "proxy" and "proxy" in info["info"]["authentication_handlers"]
    for forged in (None, "", token[:-1] + ("0" if token[-1] != "0" else "1")):
        assert proxied(site, forged)["userCtx"]["name"] is None
    settings(chttpd_auth__proxy_use_secret="false")
    assert proxied(site)["userCtx"]["name"] == "Zoë"


def test_older_proxies(site, settings):
    settings(chttpd_auth__secret="between-us", chttpd_auth__proxy_use_secret="true")
    settings(chttpd__authentication_handlers=HANDLERS)
    token = hmac.new(b"between-us", "Zoë".encode(), "sha1").hexdigest()
    assert proxied(site, token)["userCtx"]["name"] == "Zoë"


# Keys

GRANTS = {
    "_reader": {"read"}, "_writer": {"write"}, "_replicator": {"read", "checkpoint"},
    "_admin": {"read", "write", "checkpoint", "design"}}
ACTS = {
    "read": ("GET", "/keyed/x"), "write": ("PUT", "/keyed/w-{0}"), "checkpoint": ("PUT", "/keyed/_local/c-{0}"),
    "design": ("PUT", "/keyed/_design/d-{0}")}


@pytest.fixture(scope="module")
def keyed(site):
    site.json("PUT", "/keyed")
    site.json("PUT", "/keyed/x", json={})
    made = {role: site.json("POST", "/_api/v2/api_keys") for role in GRANTS}
    rights = {key["key"]: [role] for role, key in made.items()}
    site.json("PUT", "/_api/v2/db/keyed/_security", json={"cloudant": rights})
    assert site.json("GET", "/_api/v2/db/keyed/_security")["cloudant"] == rights
    return made


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("role", GRANTS)
def test_keys(site, keyed, role, act):
    assert keyed[role]["ok"]
    method, path = ACTS[act]
    response = ask(
        site, method, path.format(role), keyed[role]["key"], keyed[role]["password"],
        json={} if method == "PUT" else None)
    assert response.status_code == (403 if act not in GRANTS[role] else 200 if act == "read" else 201), response.text


def test_rights_that_are_none(site, keyed):
    for rights in ({"k": ["_king"]}, {"k": "_reader"}, []):
        response = site.request("PUT", "/_api/v2/db/keyed/_security", json={"cloudant": rights})
        assert response.status_code == 400
    assert ask(site, "GET", "/keyed/x").status_code == 401, "a guest"


# Validation


def test_validation_refuses_members(site):
    make_user(site, "mel")
    site.json("PUT", "/checked")
    site.json("PUT", "/checked/_security", json={"members": {"names": ["mel"]}, "admins": {"names": []}})
    old = ask(site, "PUT", "/checked/old", "mel", json={}).json()["rev"]
    function = "function (newDoc) { throw({forbidden: 'no'}) }"
    site.json("PUT", "/checked/_design/rules", json={"language": "javascript", "validate_doc_update": function})
    writes = [
        ("PUT", "/checked/new", {"json": {}}),
        ("POST", "/checked", {"json": {}}),
        ("DELETE", f"/checked/old?rev={old}", {}),
        ("COPY", "/checked/old", {"headers": {"Destination": "copied"}}),
        ("PUT", f"/checked/old/a.txt?rev={old}", {"data": b"x"}),
        ("PUT", "/checked/old?new_edits=false", {"json": {"_rev": "9-a"}})]
    before = site.json("GET", "/checked")["update_seq"]
    for method, path, options in writes:
        response = ask(site, method, path, "mel", **options)
        assert response.status_code == 403 and response.json() == {"error": "forbidden", "reason": "no"}
    for body in ({"docs": [{}]}, {"docs": [{"_id": "r", "_rev": "1-a"}], "new_edits": False}):
        rows = ask(site, "POST", "/checked/_bulk_docs", "mel", json=body).json()
        assert [row["error"] for row in rows] == ["forbidden"]
    assert site.json("GET", "/checked")["update_seq"] == before
    assert ask(site, "PUT", "/checked/_local/point", "mel", json={}).status_code == 201, "as in CouchDB"
    assert ask(site, "GET", "/checked/old", "mel").ok
    assert site.request("PUT", "/checked/new", json={}).status_code == 403, "administrators are held to it too"


def test_validation_holds_from_the_next_write_on(site):
    """Whenever a design document arrives, changes or is deleted, the next write is validated by the current functions."""
    make_user(site, "val")
    refuse = "function () { throw {forbidden: 'no'}; }"
    members = {"members": {"names": ["val"]}, "admins": {"names": []}}
    for name in ("ruled", "rules"):
        site.json("PUT", f"/{name}")
        site.json("PUT", f"/{name}/_security", json=members)
    design, numbers = "/ruled/_design/d", itertools.count()

    def is_refused():
        # Twice: the cached functions of the first write are valid for the second.
        statuses = {ask(site, "PUT", f"/ruled/{next(numbers)}", "val", json={}).status_code for _ in range(2)}
        assert statuses in ({201}, {403})
        return statuses == {403}

    def put(**body):
        return site.json("PUT", design, json=body)["rev"]

    assert not is_refused()
    rev = put(validate_doc_update=refuse)
    assert is_refused()
    rev = put(_rev=rev)
    assert not is_refused()
    rev = put(_rev=rev, validate_doc_update=refuse)
    assert is_refused()
    site.json("DELETE", f"{design}?rev={rev}")
    assert not is_refused()
    # Replicated over the deletion, and deleted again.
    kept = site.json("PUT", "/rules/_design/d", json={"validate_doc_update": refuse + " "})["rev"]
    site.json("POST", "/_replicate", json={"source": "rules", "target": "ruled"})
    assert is_refused()
    site.json("DELETE", f"/rules/_design/d?rev={kept}")
    site.json("POST", "/_replicate", json={"source": "rules", "target": "ruled"})
    assert not is_refused()
    # In a batch with others, and purged.
    saved = site.json("POST", "/ruled/_bulk_docs", json={"docs": [{}, {"_id": "_design/e", "validate_doc_update": refuse}]})
    assert is_refused()
    site.json("POST", "/ruled/_purge", json={"_design/e": [saved[1]["rev"]]})
    assert not is_refused()
    # A database of the same name is another one.
    put(validate_doc_update=refuse)
    assert is_refused()
    site.json("DELETE", "/ruled")
    site.json("PUT", "/ruled")
    site.json("PUT", "/ruled/_security", json=members)
    assert not is_refused()
    design = site.json("GET", "/checked/_design/rules")["_rev"]
    site.json("DELETE", f"/checked/_design/rules?rev={design}")
    assert ask(site, "PUT", "/checked/later", "mel", json={}).status_code == 201


def test_keys_are_listed_and_removed(site):
    made = [site.json("POST", "/_api/v2/api_keys", json={"note": f"note {number}" + "x" * 300 * number}) for number in range(2)]
    site.json("POST", "/_api/v2/api_keys", headers={"Content-Type": "application/json"}, data="{}")
    listed, start = [], ""
    while start is not None:
        page = site.json("GET", f"/_godwit/keys?limit=2&startkey={start}")
        listed += page["keys"]
        start = page["next"]
    assert [key["name"] for key in listed] == sorted(key["name"] for key in listed)
    by_name = {key["name"]: key for key in listed}
    assert by_name[made[0]["key"]]["note"] == "note 0" and len(by_name[made[1]["key"]]["note"]) == 200
    assert all(key["created"] > 1_700_000_000 for key in by_name.values())
    assert not [key for key in made if key["password"] in str(listed)]
    name, password = made[0]["key"], made[0]["password"]
    site.json("PUT", "/with-key")
    site.json("PUT", "/_api/v2/db/with-key/_security", json={"cloudant": {name: ["_reader"]}})
    info = requests.get(f"{site.url}/with-key", auth=(name, password), timeout=30)
    assert info.ok and info.json()["godwit"]["rights"] == ["read"]
    assert site.json("GET", "/with-key")["godwit"]["rights"] == ["read", "write", "administrate"]
    site.json("DELETE", f"/_godwit/keys/{name}")
    assert requests.get(f"{site.url}/with-key", auth=(name, password), timeout=30).status_code == 401
    assert name not in str(site.json("GET", "/_godwit/keys"))
    for gone in [name, "x", "..%2fsettings", "admin"]:
        assert site.request("DELETE", f"/_godwit/keys/{gone}").status_code == 404
