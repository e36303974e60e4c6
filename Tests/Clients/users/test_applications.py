"""Applications: accounts, keys, sessions, and the limits of a user's rights."""

import json
import os
import subprocess
import threading
import time

import pytest
import requests

from applications import APP, TRACKER, User, consolidated, declare, soon
from conftest import GODWIT, Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("applications") / "data")
    declare(site)
    yield site
    site.stop()


def error(answer):
    return answer.status_code, answer.json()["error"]


def post(site, path, body, **options):
    return requests.post(site.url + APP + path, json=body, timeout=30, **options)


# Declaring

@pytest.mark.parametrize("changed, reason", [
    ({"users": "Users"}, "Name: 'Users'"),
    ({"users": "lt_user_s"}, "begins like the databases of users"),
    ({"color": 1}, "an unknown member color"),
    ({"database": {"prefix": "other_"}}, "cannot be changed"),
    ({"registration": "maybe"}, "registration must be"),
    ({"registrations_per_minute": 0}, "not an integer from 1"),
    ({"registrations_per_minute": "many"}, "not an integer from 1"),
    ({"passwords": {"length_min": 65}}, "passwords.length_min is not an integer from 1 to 64"),
    ({"passwords": {"refused": "dragon"}}, "passwords.refused is not a list"),
    ({"passwords": {"letters": 1}}, "an unknown member letters"),
    ({"database": {"prefix": "lt_user_", "indexes": [{"index": {}}]}}, "the index"),
    ({"versions": {"first": 1}}, "versions.first is not a string"),
    ({"id": "other"}, "differs from the id in the path"),
])
def test_declarations_that_cannot_be(site, changed, reason):
    answer = site.request("PUT", APP, json={**TRACKER, **changed})
    assert error(answer) == (400, "invalid_application")
    assert reason in answer.json()["reason"]


@pytest.mark.parametrize("other", [
    {"users": "lt_users", "database": {"prefix": "x_user_"}},
    {"users": "x_users", "database": {"prefix": "lt_user_x"}},
    {"users": "x_users", "database": {"prefix": "x_user_"}, "consolidated": {"name": "lt_all"}},
    {"users": "lt_user_x", "database": {"prefix": "x_user_"}},
    {"users": "x_users", "database": {"prefix": "x_user_"}, "shared": {"lt_users": {}}},
    {"users": "x_users", "database": {"prefix": "x_user_"}, "shared": {"lt_all": {"public": True}}},
])
def test_no_application_has_the_databases_of_another(site, other):
    answer = site.request("PUT", "/_apps/other", json=other)
    assert error(answer) == (400, "invalid_application")
    assert "shares databases with the application tracker" in answer.json()["reason"]


@pytest.mark.parametrize("name", ["_users", "_audit"])
def test_no_application_has_a_database_of_the_server(site, name):
    answer = site.request("PUT", "/_apps/other", json={
        "users": "x_users", "database": {"prefix": "x_user_"}, "shared": {name: {"public": True}}})
    assert error(answer) == (400, "invalid_application") and name in answer.json()["reason"]
    assert "other" not in site.json("GET", "/_apps")


def test_a_consolidated_database_that_is_added_later_is_filled(tmp_path):
    site = Server(tmp_path / "data")
    declare(site, consolidated=None)
    User(site, "early").save("a", n=1)
    declare(site)
    assert soon(lambda: len(consolidated(site)) == 1)
    site.stop()


def test_applications_are_the_administrators(site):
    user = User(site, "curious")
    for method, path in [("GET", "/_apps"), ("GET", APP), ("PUT", APP), ("DELETE", APP),
                         ("PUT", APP + "/users/curious/blocked")]:
        assert user.ask(method, path, json=TRACKER).status_code == 401
    assert site.json("GET", "/_apps") == ["tracker"]
    assert site.json("GET", APP)["consolidated"]["name"] == "lt_all"


@pytest.mark.parametrize("by", ["option", "environment"])
def test_applications_come_from_files(tmp_path, by):
    files = []
    for name in ["one", "two"]:
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(
            {"id": name, "users": f"{name}_users", "database": {"prefix": f"{name}_user_"}}))
    options = {"arguments": [argument for file in files for argument in ("--application", str(file))]}
    if by == "environment":
        options = {"environment": {"GODWIT_APPLICATION": ":".join(map(str, files))}}
    server = Server(tmp_path / "data", **options)
    try:
        assert server.json("GET", "/_apps") == ["one", "two"]
        for name in ["one", "two"]:
            answer = requests.put(f"{server.url}/_apps/{name}/users/ann", json={"password": "a password"}, timeout=30)
            assert answer.status_code == 201
    finally:
        server.stop()


@pytest.mark.parametrize("content, reason", [
    (None, "no such file"), ("{", "JSON"), ("{}", "id"), ('{"id": "a", "color": 1}', "color")])
def test_a_file_that_declares_nothing_ends_the_start(tmp_path, content, reason):
    file = tmp_path / "app.json"
    if content is not None:
        file.write_text(content)
    run = subprocess.run(
        [GODWIT, "serve", "--data", str(tmp_path / "data"), "--port", "0", "--application", str(file)],
        env=os.environ, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert str(file) in run.stderr and reason.lower() in run.stderr.lower()


# Accounts

@pytest.mark.parametrize("name, status", [
    ("Ann", 201), ("ann@example.org", 201), ("a$40", 201), ("a@", 201), ("Ä", 201), ("a/b", 201), ("x" * 100, 201),
    ("_ann", 400), ("a:b", 400), ("x" * 101, 400), ("a\nb", 400), ("A" * 80, 400), ("A\u0308", 400),
])
def test_names(site, name, status):
    path = f"{site.url}{APP}/users/{requests.utils.quote(name, safe='')}"
    answer = requests.put(path, json={"password": "a password"}, timeout=30)
    assert answer.status_code == status, answer.text
    if status == 201:
        assert answer.json()["id"] == name
        # Its database is private: its writes are in no other database.
        user = User(site, name, "a password", registers=False)
        user.save("mine", of=name)
        assert user.ask("GET", user.own("/mine")).json()["of"] == name


def test_names_have_distinct_databases(site):
    names = ["Zoë", "zo$c3$ab", "$5ao$c3$ab", "zo", "ZO", "z+o", "z o"]
    databases = [User(site, name).database for name in names]
    assert len(set(databases)) == len(names)
    assert databases[3] == "lt_user_zo" and databases[5] == "lt_user_z+o"


@pytest.mark.parametrize("body, status", [
    ({"password": ""}, 400), ({"password": "x" * 1025}, 400), ({}, 400), ([], 400), ({"password": 1}, 400)])
def test_passwords_that_cannot_be(site, body, status):
    assert requests.put(f"{site.url}{APP}/users/nopassword", json=body, timeout=30).status_code == status
    assert "lt_user_nopassword" not in site.json("GET", "/_all_dbs")


@pytest.mark.parametrize("password, reason", [
    ("short", "has fewer than 8 characters"), ("1234567", "has fewer than 8 characters"),
    ("\u00e9\u00e9\u00e9\u00e9", "has fewer than 8 characters"), ("password", "is one of the most common"),
    ("PassWord123", "is one of the most common"), ("12345678", "is one of the most common"),
    ("qwertyuiop", "is one of the most common"),
])
def test_weak_passwords_are_not_chosen(site, password, reason):
    """Issue 21, number 13: registered users cannot choose a password of one character."""
    name = "weak" + str(abs(hash(password)))
    answer = requests.put(f"{site.url}{APP}/users/{name}", json={"password": password}, timeout=30)
    assert error(answer) == (400, "invalid_password") and reason in answer.json()["reason"]
    assert f"lt_user_{name}" not in site.json("GET", "/_all_dbs")
    user = User(site, name)
    body = {"password": user.password, "new_password": password}
    answer = requests.put(user.path("/password"), json=body, auth=user.key, timeout=30)
    assert error(answer) == (400, "invalid_password")
    assert user.log_in().ok, "the old one stays"


def test_administrators_choose_any_password(site):
    """As in CouchDB."""
    assert site.request("PUT", f"{APP}/users/easy", json={"password": "p"}).status_code == 201
    assert site.request("PUT", f"{APP}/users/easy/password", json={"new_password": "q"}).ok
    assert User(site, "easy", "q", registers=False).key


def test_an_application_has_rules_of_its_own_for_passwords(site):
    rules = {"length_min": 4, "allow_common": True, "refused": ["Tracker", "location"]}
    declare(site, passwords=rules)
    try:
        shown = site.json("GET", APP)["passwords"]
        assert shown == {"length_min": 4, "allow_common": True, "refused": ["location", "tracker"]}
        for number, (password, status) in enumerate([
                ("password", 201), ("abcd", 201), ("abc", 400), ("tracker", 400), ("LOCATION", 400)]):
            answer = requests.put(f"{site.url}{APP}/users/ruled{number}", json={"password": password}, timeout=30)
            assert answer.status_code == status, password
    finally:
        declare(site)


def test_registrations_from_one_address_are_limited(tmp_path):
    """Issue 21, number 13: open registration does not allow thousands of databases in seconds."""
    site = Server(tmp_path / "data")
    try:
        declare(site, registrations_per_minute=None)
        assert site.json("GET", APP)["registrations_per_minute"] == 10

        def register(name, application="tracker"):
            path = f"{site.url}/_apps/{application}/users/{name}"
            return requests.put(path, json={"password": "a password"}, timeout=30)

        statuses = [register(f"user{number}").status_code for number in range(40)]
        # A minute may end during the registrations.
        assert statuses[:10] == [201] * 10 and set(statuses) == {201, 429} and statuses.count(201) <= 20
        refused = next(answer for answer in map(register, (f"more{number}" for number in range(21)))
                       if answer.status_code == 429)
        assert error(refused) == (429, "too_many_requests") and "10 accounts a minute" in refused.json()["reason"]
        assert int(refused.headers["Retry-After"]) > 0
        assert len([name for name in site.json("GET", "/_all_dbs") if name.startswith("lt_user_")]) <= 40
        # Administrators are not counted, other applications have a separate count, and existing users can log in.
        assert site.request("PUT", f"{APP}/users/invited", json={"password": "p"}).status_code == 201
        site.json("PUT", "/_apps/other", json={})
        assert register("user0", "other").status_code == 201
        assert post(site, "/login", {"name": "user0", "password": "a password"}).ok
    finally:
        site.stop()


def test_a_name_is_taken_once(site):
    first = User(site, "taken")
    answer = requests.put(first.path(), json={"password": "another password"}, timeout=30)
    assert answer.status_code == 409 and answer.json() == {"error": "conflict", "reason": "User already exists"}
    assert first.log_in().status_code == 200


def test_of_many_at_once_one_gets_the_name(site):
    answers = []

    def register():
        answer = requests.put(f"{site.url}{APP}/users/wanted", json={"password": "a password"}, timeout=30)
        answers.append(answer.status_code)

    threads = [threading.Thread(target=register) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [409] * 11


def test_a_database_of_somebody_else_is_not_taken_over(site):
    site.json("PUT", "/lt_user_squatter")
    site.json("PUT", "/lt_user_squatter/doc", json={})
    answer = requests.put(f"{site.url}{APP}/users/squatter", json={"password": "a password"}, timeout=30)
    assert error(answer) == (409, "database_exists")
    assert site.json("GET", "/lt_user_squatter/doc")["_id"] == "doc"


def test_unknown_user_and_wrong_password_are_one_answer(site):
    User(site, "known")
    answers = [post(site, "/login", {"name": name, "password": "wrong"}) for name in ["known", "unknown"]]
    assert answers[0].status_code == answers[1].status_code == 401
    assert answers[0].content == answers[1].content


def test_guessing_is_locked_out(site):
    User(site, "guessed")
    for _ in range(5):
        assert post(site, "/login", {"name": "guessed", "password": "wrong"}).status_code == 401
    assert post(site, "/login", {"name": "guessed", "password": "guessed's own password"}).status_code == 403


def test_registration_for_administrators_alone(site):
    declare(site, registration="administrators")
    try:
        body = {"password": "p"}
        assert requests.put(f"{site.url}{APP}/users/invited", json=body, timeout=30).status_code == 403
        assert site.request("PUT", APP + "/users/invited", json=body).status_code == 201
    finally:
        declare(site)


def test_key_cookie_and_token_are_the_same_user(site):
    user = User(site, "three ways")
    ways = [{"auth": user.key}, {"headers": user.token}, {"cookies": {"AuthSession": user.cookie}}]
    for way, name in zip(ways, ["default", "jwt", "cookie"]):
        session = requests.get(site.url + "/_session", timeout=30, **way).json()
        assert session["userCtx"] == {"name": "tracker/three ways", "roles": ["tracker/user"]}
        assert session["info"]["authenticated"] == name
        assert requests.get(site.url + user.own(), timeout=30, **way).status_code == 200


def test_a_user_reads_what_all_share_and_writes_nothing_there(site):
    user = User(site, "reader")
    assert user.ask("GET", "/lt_places/_all_docs").status_code == 200
    assert user.ask("PUT", "/lt_places/x", json={}).status_code == 403
    assert user.ask("GET", "/lt_all").status_code == 403
    assert user.ask("GET", "/lt_users/reader").status_code == 403
    assert user.ask("PUT", user.own("/_design/x"), json={}).status_code == 403
    assert user.ask("PUT", user.own("/_security"), json={}).status_code == 403
    assert user.ask("DELETE", user.own()).status_code == 401


def test_a_password_changes_and_the_key_stays(site):
    user = User(site, "changing")
    wrong = {"password": "wrong", "new_password": "the next one"}
    assert requests.put(user.path("/password"), json=wrong, auth=user.key, timeout=30).status_code == 401
    body = {"password": user.password, "new_password": "the next one"}
    assert requests.put(user.path("/password"), json=body, auth=user.key, timeout=30).status_code == 200
    assert user.log_in().status_code == 401
    assert User(site, "changing", "the next one", registers=False).key == user.key


def test_a_forgotten_password_is_set_anew_with_another_key(site):
    user = User(site, "forgetful")
    assert site.request("PUT", f"{APP}/users/forgetful/password", json={"new_password": "new"}).ok
    assert user.ask("GET", user.own()).status_code == 401
    again = User(site, "forgetful", "new", registers=False)
    assert again.key != user.key and again.ask("GET", again.own()).status_code == 200


def test_log_out_everywhere_ends_key_cookie_and_tokens(site):
    user = User(site, "leaving")
    assert post(site, "/logout", {"everywhere": True}, headers=user.token).status_code == 200
    for way in [{"auth": user.key}, {"headers": user.token}]:
        assert requests.get(site.url + user.own(), timeout=30, **way).status_code == 401
    assert requests.get(site.url + user.own(), cookies={"AuthSession": user.cookie}, timeout=30).status_code == 401
    assert post(site, "/refresh", {"refresh_token": user.login["refresh_token"]}).status_code == 401
    again = User(site, "leaving", registers=False)
    assert again.key != user.key and again.ask("GET", again.own()).status_code == 200


# Sessions

def test_refresh_tokens_rotate_and_a_stolen_one_logs_the_device_out(site):
    user = User(site, "rotating")
    first = user.login["refresh_token"]
    second = post(site, "/refresh", {"refresh_token": first}).json()
    # The answer may have been lost: for a while the previous one is accepted once more.
    third = post(site, "/refresh", {"refresh_token": first}).json()
    assert len({first, second["refresh_token"], third["refresh_token"]}) == 3
    token = {"Authorization": "Bearer " + third["access_token"]}
    assert requests.get(site.url + user.own(), headers=token, timeout=30).ok
    # An older token is evidence of a copy.
    assert post(site, "/refresh", {"refresh_token": second["refresh_token"]}).status_code == 401
    assert post(site, "/refresh", {"refresh_token": third["refresh_token"]}).status_code == 401
    assert requests.get(site.url + user.own(), headers=token, timeout=30).status_code == 401


def test_issue_21_number_13_a_refresh_tells_nothing_without_its_token(site):
    """Number 13: without a token, `refresh` does not reveal whether an account exists or is blocked."""
    user = User(site, "refreshed")
    token = user.login["refresh_token"]
    forged = token.rsplit(".", 1)[0] + "." + "A" * 43
    unknown = "bm9ib2R5." + forged.split(".", 1)[1]

    def refresh(token, **members):
        answer = post(site, "/refresh", {"refresh_token": token, **members})
        return answer.status_code, answer.content

    site.json("PUT", f"{APP}/users/refreshed/blocked", json=True)
    assert refresh(forged) == refresh(unknown) and refresh(forged)[0] == 401
    assert error(post(site, "/refresh", {"refresh_token": token})) == (403, "account_blocked")
    site.json("PUT", f"{APP}/users/refreshed/blocked", json=False)
    declare(site, versions={"first": "1.5"})
    try:
        assert refresh(forged, version="1.4") == refresh(unknown, version="1.4")
    finally:
        declare(site)
    assert refresh(token)[0] == 200


def test_a_device_is_listed_and_logged_out(site):
    user = User(site, "devices")
    other = User(site, "devices", registers=False, device="tablet", version="1.2")
    listed = user.ask("GET", f"{APP}/users/devices").json()["devices"]
    assert [(device["name"], device.get("version")) for device in listed] == [("phone", None), ("tablet", "1.2")]
    assert not {"digest", "former_digest"} & set(listed[0])
    assert user.ask("DELETE", f"{APP}/users/devices/devices/{other.login['device']}").status_code == 200
    assert requests.get(site.url + user.own(), headers=other.token, timeout=30).status_code == 401
    assert requests.get(site.url + user.own(), headers=user.token, timeout=30).ok
    assert post(site, "/logout", {"refresh_token": user.login["refresh_token"]}).status_code == 200
    assert requests.get(site.url + user.own(), headers=user.token, timeout=30).status_code == 401


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "..", "eA.x.y"])
def test_nonsense_is_no_refresh_token(site, token):
    assert post(site, "/refresh", {"refresh_token": token}).status_code == 401


def test_tokens_of_others_are_none(site):
    user = User(site, "forger")
    head, body, _ = user.login["access_token"].split(".")
    for token in [f"{head}.{body}.", f"{head}.{body}.AAAA", f"{head}..", "x.y.z"]:
        answer = requests.get(site.url + user.own(), headers={"Authorization": f"Bearer {token}"}, timeout=30)
        assert answer.status_code in (400, 401), answer.text


# Blocking

def follow(site, user, **options):
    """Opens a feed; the result is the moment at which it ended."""
    feed = requests.get(
        site.url + user.own("/_changes"), params={"feed": "continuous", "heartbeat": "100"}, stream=True, timeout=30,
        **options)
    assert feed.ok
    ended = []

    def read():
        try:
            for _ in feed.iter_content(64):
                pass
        except requests.RequestException:
            pass
        ended.append(time.monotonic())

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.3)
    assert not ended
    return thread, ended


def test_blocking_cuts_open_feeds_within_a_second(site):
    user = User(site, "blocked")
    ways = [{"auth": user.key}, {"headers": user.token}]
    feeds = [follow(site, user, **way) for way in ways]
    begun = time.monotonic()
    site.json("PUT", f"{APP}/users/blocked/blocked", json=True)
    for thread, ended in feeds:
        thread.join(5)
        assert ended and ended[0] - begun < 1
    for way in ways:
        assert error(requests.get(site.url + user.own(), timeout=30, **way)) == (403, "account_blocked")
    assert error(user.log_in()) == (403, "account_blocked")
    site.json("PUT", f"{APP}/users/blocked/blocked", json=False)
    assert user.ask("GET", user.own()).ok


def test_an_administrator_may_block_by_the_document(site):
    user = User(site, "documented")
    thread, ended = follow(site, user, auth=user.key)
    document = site.json("GET", "/lt_users/documented")
    site.json("PUT", "/lt_users/documented", json={**document, "blocked": True})
    thread.join(2)
    assert ended and user.ask("GET", user.own()).status_code == 403


def test_a_version_that_is_no_longer_served_is_cut_and_told(site):
    old = User(site, "old app", version="1.4.9")
    new = User(site, "new app", version="1.5")
    thread, ended = follow(site, old, headers=old.token)
    staying, going_on = follow(site, new, headers=new.token)
    declare(site, versions={"first": "1.5.0", "blocked": ["2.0"]})
    try:
        thread.join(2)
        assert ended and not going_on
        answer = requests.get(site.url + old.own(), headers=old.token, timeout=30)
        assert error(answer) == (403, "version_refused")
        assert error(old.log_in(version="1.4")) == (403, "version_refused")
        assert error(old.log_in(version="2.0.0")) == (403, "version_refused")
        assert old.ask("GET", old.own(), headers={"X-App-Version": "1.4"}).status_code == 403
        assert old.ask("GET", old.own(), headers={"X-App-Version": "1.10"}).ok
        assert old.ask("GET", old.own()).ok
        declare(site, versions={"required": True})
        assert old.ask("GET", old.own()).status_code == 403
    finally:
        declare(site)
    site.json("PUT", f"{APP}/users/new app/blocked", json=True)
    staying.join(2)


# Going

def test_an_account_goes_with_all_its_data(site):
    user, other = User(site, "going"), User(site, "going2")
    revision = user.save("a", n=1)
    user.save("b", n=1)
    user.ask("DELETE", user.own(f"/a?rev={revision}"))
    other.save("a", n=2)
    assert soon(lambda: {"going:b", "going2:a"} <= set(consolidated(site)))
    assert requests.delete(user.path(), json={"password": "wrong"}, auth=user.key, timeout=30).status_code == 401
    assert other.ask("DELETE", f"{APP}/users/going", json={"password": other.password}).status_code == 404
    answer = requests.delete(user.path(), json={"password": user.password}, auth=user.key, timeout=30)
    assert answer.json() == {"ok": True}
    assert user.database not in site.json("GET", "/_all_dbs")
    assert site.request("GET", "/lt_users/going").json()["reason"] == "missing"
    assert [id for id in consolidated(site) if id.startswith("going:")] == []
    changes = site.json("GET", "/lt_all/_changes")["results"]
    assert [change for change in changes if change["id"].startswith("going:")] == []
    assert "going2:a" in consolidated(site)
    assert user.log_in().status_code == 401
    # The name is free again, and no earlier data exists.
    again = User(site, "going")
    assert again.key != user.key and again.ask("GET", again.own("/b")).status_code == 404


def test_a_forgotten_application_lets_nobody_in(site):
    other = {"users": "gone_users", "database": {"prefix": "gone_user_"}}
    site.json("PUT", "/_apps/gone", json=other)
    requests.put(f"{site.url}/_apps/gone/users/a", json={"password": "a password"}, timeout=30)
    body = {"name": "a", "password": "a password"}
    login = requests.post(f"{site.url}/_apps/gone/login", json=body, timeout=30).json()
    key = (login["api_key"], login["api_password"])
    assert requests.get(site.url + "/gone_user_a", auth=key, timeout=30).ok
    site.json("DELETE", "/_apps/gone")
    assert requests.get(site.url + "/gone_user_a", auth=key, timeout=30).status_code == 401
    assert "gone_user_a" in site.json("GET", "/_all_dbs")


VIC = {"name": "gone-too/vic", "type": "user", "roles": [], "password": "a stranger's password"}


def refuses_the_name(site, own):
    """The name of a removed application's user cannot be registered, and a user with that name cannot log in."""
    stranger = (VIC["name"], VIC["password"])
    path = "/_users/org.couchdb.user:gone-too%2Fvic"
    answer = site.request("PUT", path, json=VIC)
    assert error(answer) == (403, "forbidden") and "`gone-too/` are reserved for the users" in answer.json()["reason"]
    rows = site.json("POST", "/_users/_bulk_docs", json={
        "new_edits": False, "docs": [{**VIC, "_id": "org.couchdb.user:gone-too/vic", "_rev": "1-a"}]})
    assert [row["error"] for row in rows] == ["forbidden"]
    # 403 after some attempts.
    assert requests.get(site.url + own, auth=stranger, timeout=30).status_code in (401, 403)
    login = requests.post(site.url + "/_session", json={"name": VIC["name"], "password": VIC["password"]}, timeout=30)
    assert login.status_code in (401, 403)


@pytest.mark.parametrize("way", ["a request", "an option"])
def test_issue_21_number_5_names_of_a_forgotten_application_stay_reserved(tmp_path, way):
    """Number 5: a user of `_users` cannot read the database of a removed application's user of the same name."""
    members = {"users": "gone_too_users", "database": {"prefix": "gone_too_user_"}}
    file = tmp_path / "gone.json"
    file.write_text(json.dumps({"id": "gone-too", **members}))
    site = Server(tmp_path / "data", arguments=[] if way == "a request" else ["--application", str(file)])
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    try:
        # The name existed before the application.
        if way == "a request":
            site.json("PUT", "/_users/org.couchdb.user:gone-too%2Fvic", json=VIC)
            site.json("PUT", "/_apps/gone-too", json=members)
        answer = site.request("PUT", "/_apps/gone-too/users/vic", json={"password": "vic's own password"})
        assert answer.status_code == 201
        site.json("PUT", "/gone_too_user_vic/private", json={})
        refuses_the_name(site, "/gone_too_user_vic/private")
        if way == "a request":
            site.json("DELETE", "/_apps/gone-too")
            refuses_the_name(site, "/gone_too_user_vic/private")
        site.stop()
        site.arguments = ["--admin", "admin:secret"]
        site.start()
        assert site.json("GET", "/_apps") == []
        refuses_the_name(site, "/gone_too_user_vic/private")
        for database in ("gone_too_users", "gone_too_user_vic"):
            refuses_the_name(site, "/gone_too_user_vic/private")
            site.json("DELETE", f"/{database}")
        site.stop()
        site.start()
        path = "/_users/org.couchdb.user:gone-too%2Fvic"
        if way == "a request":
            site.json("DELETE", f"{path}?rev={site.json('GET', path)['_rev']}")
        site.json("PUT", path, json=VIC)
        assert requests.get(site.url + "/_session", auth=(VIC["name"], VIC["password"]), timeout=30).ok
    finally:
        site.stop()


# Analysts

def test_analysts_read_the_consolidated_database_and_nothing_else(site):
    user = User(site, "watched")
    user.save("a", n=1)
    site.json("PUT", "/_users/org.couchdb.user:ana", json={
        "name": "ana", "type": "user", "roles": ["tracker/analyst"], "password": "ana"})

    def ask(method, path, **options):
        return requests.request(method, site.url + path, auth=("ana", "ana"), timeout=30, **options)

    assert soon(lambda: "watched:a" in consolidated(site))
    assert ask("GET", "/lt_all/watched:a").json()["n"] == 1
    assert ask("POST", "/lt_all/_find", json={"selector": {"n": 1}}).ok
    assert ask("PUT", "/lt_all/x", json={}).status_code == 403
    assert ask("PUT", "/lt_all/_local/x", json={}).status_code == 403
    for path in [user.own(), "/lt_users", user.own("/_changes")]:
        assert ask("GET", path).status_code == 403


@pytest.mark.parametrize("rights", [["_reader"], ["_reader", "_writer"], ["_admin"]])
def test_analysts_do_not_read_what_users_share(tmp_path, rights):
    """Issue 21, number 16: an analyst's role does not include the shared databases."""
    site = Server(tmp_path / "data")
    try:
        declare(site, shared={"lt_places": {"rights": rights}, "lt_news": {"public": True}})
        for name in ["lt_places", "lt_news"]:
            site.json("PUT", f"/{name}/a", json={"n": 1})
        site.json("PUT", "/_users/org.couchdb.user:ana", json={
            "name": "ana", "type": "user", "roles": ["tracker/analyst"], "password": "ana"})
        user = User(site, "sharer")

        def ask(method, path, **options):
            return requests.request(method, site.url + path, auth=("ana", "ana"), timeout=30, **options)

        assert user.ask("GET", "/lt_places/a").ok, "users share it"
        for path in ["", "/a", "/_all_docs", "/_changes", "/_security", "/_local_docs", "/_design_docs"]:
            assert ask("GET", "/lt_places" + path).status_code == 403, path
        for path, body in [
                ("/_find", {"selector": {}}), ("/_bulk_get", {"docs": [{"id": "a"}]}), ("/_all_docs", {}),
                ("", {"n": 2}), ("/_bulk_docs", {"docs": [{}]})]:
            assert ask("POST", "/lt_places" + path, json=body).status_code == 403, path
        assert ask("PUT", "/lt_places/b", json={}).status_code == 403
        # An analyst reads public databases like any other user.
        assert ask("GET", "/lt_news/a").ok and ask("PUT", "/lt_news/b", json={}).status_code == 403
        assert ask("GET", "/lt_all").ok and ask("PUT", "/lt_all/b", json={}).status_code == 403
        # A start revokes the rights that an older server granted.
        security = site.json("GET", "/lt_places/_security")
        security["godwit"]["roles"]["tracker/analyst"] = ["_reader"]
        site.json("PUT", "/lt_places/_security", json=security)
        assert ask("GET", "/lt_places/a").ok
        site.stop()
        site.start()
        assert ask("GET", "/lt_places/a").status_code == 403
    finally:
        site.stop()


def test_nobody_becomes_an_analyst_alone(site):
    user = User(site, "climber")
    for document in [{"roles": ["analyst"]}, {"_id": "org.couchdb.user:tracker/climber", "name": "tracker/climber"}]:
        assert user.ask("POST", "/lt_users", json=document).status_code == 403
        assert user.ask("POST", "/_users", json=document).status_code in (401, 403, 404)


# Nothing in plain

def test_no_password_key_or_token_is_on_the_disk_or_in_the_log(tmp_path):
    site = Server(tmp_path / "data")
    declare(site)
    user = User(site, "secretive", "a password that nobody guesses")
    renewed = post(site, "/refresh", {"refresh_token": user.login["refresh_token"]}).json()
    user.save("a", n=1)
    requests.put(
        user.path("/password"), json={"password": user.password, "new_password": "and another that nobody guesses"},
        auth=user.key, timeout=30)
    requests.get(site.url + user.own(), auth=(user.key[0], "a wrong one that somebody guessed"), timeout=30)
    requests.get(site.url + user.own(), params={"since": "x"}, headers=user.token, timeout=30)
    secrets = [
        user.password, "and another that nobody guesses", user.key[1], "a wrong one that somebody guessed",
        user.login["access_token"], renewed["access_token"], user.cookie,
        *(login["refresh_token"].rsplit(".", 1)[1] for login in [user.login, renewed])]
    soon(lambda: consolidated(site))
    files = {file: file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file()}
    # The output of the server while it ran and as it stopped.
    log = site.stop()
    for secret in secrets:
        assert secret not in log
        for file, content in files.items():
            assert secret.encode() not in content, f"{file} holds a secret"
    assert b"apikey-" in b"".join(files.values()), "this looks where nothing is"


def test_users_join_the_groups_of_shared_databases_that_the_declaration_has(site):
    places = {**TRACKER["shared"]["lt_places"], "roles": {"editor": ["_reader", "_writer"]},
              "groups": {"members": ["_reader", "_writer"]}}
    declare(site, shared={"lt_places": places})
    user, other = User(site, "joiner"), User(site, "outsider")

    def status(who, id):
        return who.ask("PUT", f"/lt_places/{id}", json={}).status_code

    def change(method, path, who=user):
        return requests.request(method, user.path(f"/permissions/{path}"), headers=who.token, timeout=30)

    assert status(user, "one") == 403
    assert change("PUT", "lt_places/admins").status_code == 403
    assert change("PUT", "lt_all/members").status_code == 403
    assert change("PUT", "lt_places/members", other).status_code == 404
    assert change("PUT", "lt_places/members").json() == {"ok": True, "rights": ["_reader", "_writer"]}
    assert status(user, "one") == 201 and status(other, "two") == 403
    # A user without a group's rights is no administrator of the database.
    assert user.ask("PUT", "/lt_places/_design/x", json={}).status_code == 403
    assert change("DELETE", "lt_places/members").status_code == 200
    assert status(user, "three") == 403
    # A role that an administrator gives has rights too, and gives no group.
    roles = user.path("/roles")
    assert site.session.put(roles, json=["lt_places:members"], timeout=30).status_code == 400
    assert site.session.put(roles, json=["editor"], timeout=30).status_code == 200
    assert status(user, "four") == 201
    declare(site)
