"""Names that Unicode calls canonically equivalent are different names: they look the same, and share no rights."""

import base64
import time
import unicodedata

import jwt
import pytest
import requests

from bluepics import PASSWORD, Site, User, base64_text, picture
from conftest import Server, eventually
from issuers import Issuer
from objectstores import Swift, account_command, add_account, credentials

SECRET = b"a secret of more than thirty-two bytes"
# A name in the composed form, as users have, and its twin.
TWINS = [("\u00e9ve", "e\u0301ve"), ("K", "\u212a"), ("\u00e5sa", "a\u030asa"), ("\u1ec7", "e\u0323\u0302"), ("a;b", "a\u037eb"),
         ("a`b", "a\u1fefb"), ("\u2260x", "=\u0338x"), ("\uac00", "\u1100\u1161")]
BOTH_WAYS = TWINS + [(twin, name) for name, twin in TWINS]


def test_the_twins_are_twins():
    for name, twin in TWINS:
        assert name != twin and unicodedata.normalize("NFC", twin) == name, (name, twin)


def quoted(text):
    return requests.utils.quote(text, safe="")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("twins") / "data", arguments=["--objects"])
    for key, value in {
            "chttpd_auth/iterations": "1", "jwt_keys/hmac:_default": base64.b64encode(SECRET).decode(),
            "chttpd/authentication_handlers": "{chttpd_auth, jwt_authentication_handler}, {chttpd_auth, cookie_authentication_handler}, "
                                              "{chttpd_auth, default_authentication_handler}"}.items():
        site.json("PUT", f"/_node/_local/_config/{key}", json=value)
    for name, _ in TWINS:
        site.json("PUT", "/_users/" + quoted("org.couchdb.user:" + name), json={
            "name": name, "type": "user", "roles": [], "password": "a long password"})
    yield site
    site.stop()


class Bearer:
    """A user by a token of another server: with any name and any roles."""

    def __init__(self, site, name, *roles):
        token = jwt.encode({"sub": name, "exp": time.time() + 3600, "_couchdb.roles": list(roles)}, SECRET, "HS256")
        self.site, self.headers = site, {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, **options):
        return requests.request(method, self.site.url + path, headers=self.headers, timeout=30, **options)


@pytest.fixture
def database(site):
    site.json("PUT", "/db")
    site.json("PUT", "/db/doc", json={})
    yield "/db"
    site.json("DELETE", "/db")


# Accounts


@pytest.mark.parametrize("name, twin", TWINS)
def test_a_user_logs_in_with_the_bytes_of_the_name(site, name, twin):
    for login, status in ((name, 200), (twin, 401)):
        body = {"name": login, "password": "a long password"}
        for path in ("/_session", "/_utils/session"):
            answer = requests.post(site.url + path, json=body, timeout=30)
            assert answer.status_code == status, path
        basic = requests.get(site.url + "/_session", auth=(login.encode(), b"a long password"), timeout=30)
        assert basic.status_code == status


@pytest.mark.parametrize("name, twin", TWINS)
def test_no_account_has_the_name_of_the_twin(site, name, twin):
    document = {"name": twin, "type": "user", "roles": [], "password": "another password"}
    path = "/_users/" + quoted("org.couchdb.user:" + twin)
    assert site.request("PUT", path, json=document).status_code == 403
    # The id of one and the name of the other are two names.
    for id, member in ((name, twin), (twin, name)):
        path = "/_users/" + quoted("org.couchdb.user:" + id)
        assert site.request("PUT", path, json={**document, "name": member}).status_code in (403, 409)
    answer = site.json("POST", "/_users/_bulk_docs", json={"docs": [{**document, "_id": "org.couchdb.user:" + twin}]})
    assert answer[0].get("error") == "forbidden"
    # What a replication wrote past the check is not the account of the other.
    site.request("POST", "/_users/_bulk_docs", json={"new_edits": False, "docs": [
        {**document, "_id": "org.couchdb.user:" + twin, "_rev": "1-" + "a" * 32}]})
    body = {"name": name, "password": "another password"}
    assert requests.post(site.url + "/_session", json=body, timeout=30).status_code == 401
    assert site.json("GET", "/_users/" + quoted("org.couchdb.user:" + name))["name"] == name


@pytest.mark.parametrize("name, twin", BOTH_WAYS)
def test_a_user_reads_the_own_account_only(site, name, twin):
    user = Bearer(site, name)
    assert user.ask("GET", "/_session").json()["userCtx"]["name"] == name
    assert user.ask("GET", "/_users/" + quoted("org.couchdb.user:" + twin)).status_code in (403, 404)


@pytest.mark.parametrize("name, twin", TWINS)
def test_an_administrator_is_not_the_twin(site, name, twin):
    site.json("PUT", f"/_node/_local/_config/admins/{quoted('x' + name)}", json="the password of an administrator")
    try:
        for login, status in (("x" + name, 200), ("x" + twin, 401)):
            answer = requests.post(site.url + "/_session", timeout=30, json={
                "name": login, "password": "the password of an administrator"})
            assert answer.status_code == status
        assert "_admin" not in Bearer(site, "x" + twin).ask("GET", "/_session").json()["userCtx"]["roles"]
        assert site.request("DELETE", f"/_node/_local/_config/admins/{quoted('x' + twin)}").status_code == 404
    finally:
        site.json("DELETE", f"/_node/_local/_config/admins/{quoted('x' + name)}")


# Rights of databases


@pytest.mark.parametrize("kind", ["names", "roles"])
@pytest.mark.parametrize("name, twin", BOTH_WAYS)
def test_members_and_administrators_of_a_database(site, database, name, twin, kind):
    def user(text):
        return Bearer(site, text) if kind == "names" else Bearer(site, "someone", text)
    for part in ("members", "admins"):
        security = {"members": {"names": ["nobody"], "roles": []}, "admins": {"names": [], "roles": []}}
        security[part][kind] = [name]
        site.json("PUT", database + "/_security", json=security)
        assert site.json("GET", database + "/_security")[part][kind] == [name]
        for text, permits in ((name, True), (twin, False)):
            assert user(text).ask("GET", database + "/doc").status_code == (200 if permits else 403)
            design = user(text).ask("PUT", f"{database}/_design/{part}{kind}", json={})
            assert (design.status_code in (201, 409)) == (permits and part == "admins"), design.text


@pytest.mark.parametrize("name, twin", BOTH_WAYS)
def test_rights_by_name_as_in_cloudant(site, database, name, twin):
    rights = {"cloudant": {name: ["_reader"], "nobody": []}}
    assert site.request("PUT", f"/_api/v2{'/db' + database}/_security", json=rights).status_code == 200
    assert Bearer(site, name).ask("GET", database + "/doc").status_code == 200
    assert Bearer(site, twin).ask("GET", database + "/doc").status_code == 403
    # In one object, each name has its own rights.
    rights = {"cloudant": {name: ["_reader"], twin: ["_reader", "_writer"]}}
    assert site.request("PUT", f"/_api/v2{'/db' + database}/_security", json=rights).status_code == 200
    statuses = [Bearer(site, user).ask("PUT", f"{database}/of{number}", json={}).status_code for number, user in enumerate((name, twin))]
    assert statuses == [403, 201]


@pytest.mark.parametrize("name, twin", BOTH_WAYS)
def test_a_replication_belongs_to_its_owner(site, database, name, twin):
    security = {"members": {"names": [name], "roles": []}, "admins": {"names": [], "roles": []}}
    site.json("PUT", database + "/_security", json=security)
    site.json("PUT", "/_replicator/_security", json={})
    try:
        job = {"source": "db", "target": "copy", "_replication_state": "completed"}
        saved = Bearer(site, name).ask("POST", "/_replicator", json=job)
        assert saved.status_code == 201, saved.text
        path = "/_replicator/" + saved.json()["id"]
        document = site.json("GET", path)
        assert document["owner"] == name
        answer = Bearer(site, twin).ask("PUT", path, json={**document, "target": "elsewhere"})
        assert answer.status_code == 403, answer.text
        assert Bearer(site, twin).ask("DELETE", path, params={"rev": document["_rev"]}).status_code in (403, 404)
        claimed = Bearer(site, twin).ask("POST", "/_replicator", json={**job, "owner": name})
        assert claimed.status_code == 403, claimed.text
        # A replication of the twin has no rights of the owner.
        started = Bearer(site, twin).ask("POST", "/_replicate", json={"source": "db", "target": "db"})
        assert started.status_code in (401, 403, 404, 500)
        assert Bearer(site, name).ask("DELETE", path, params={"rev": document["_rev"]}).status_code == 200
    finally:
        site.json("PUT", "/_replicator/_security", json={"members": {"roles": ["_admin"]}})


def test_documents_of_twins_are_two(site, database):
    for pair in TWINS:
        for text in pair:
            assert site.request("PUT", f"{database}/{quoted(text)}", json={"text": text, text: 1}).status_code == 201
    for pair in TWINS:
        for text in pair:
            document = site.json("GET", f"{database}/{quoted(text)}")
            assert document["text"] == text and document[text] == 1
    both = {text: number for number, text in enumerate(text for pair in TWINS for text in pair)}
    site.json("PUT", database + "/both", json=both)
    document = site.json("GET", database + "/both")
    assert {name: document[name] for name in both} == both
    for text in both:
        found = site.json("POST", database + "/_find", json={"selector": {text: both[text], "_id": "both"}})["docs"]
        assert [row["_id"] for row in found] == ["both"], text


# Users of applications


APP = "/_apps/twins"


@pytest.fixture(scope="module")
def application(site):
    site.json("PUT", APP, json={"registrations_per_minute": 1000, "database": {"prefix": "twin_"}})
    for name, _ in TWINS:
        assert requests.put(f"{site.url}{APP}/users/{quoted(name)}", json={"password": PASSWORD}, timeout=30).status_code == 201
    return site


@pytest.mark.parametrize("name, twin", TWINS)
def test_a_user_of_an_application(application, name, twin):
    url = application.url + APP
    log_in = lambda text: requests.post(f"{url}/login", json={"name": text, "password": PASSWORD}, timeout=30)  # noqa: E731
    login = log_in(name)
    assert login.status_code == 200 and log_in(twin).status_code == 401
    taken = requests.put(f"{url}/users/{quoted(twin)}", json={"password": "another password"}, timeout=30)
    assert (taken.status_code, taken.json()["error"]) == (400, "invalid_name")
    token = {"Authorization": "Bearer " + login.json()["access_token"]}
    assert requests.get(f"{url}/users/{quoted(name)}", headers=token, timeout=30).status_code == 200
    for method, rest, body in (("GET", "", None), ("PUT", "/password", {"password": PASSWORD, "new_password": "another password"}),
                               ("DELETE", "", {"password": PASSWORD}), ("GET", "/devices", None)):
        answer = requests.request(method, f"{url}/users/{quoted(twin)}{rest}", json=body, headers=token, timeout=30)
        assert answer.status_code in (401, 403, 404), (method, rest, answer.text)
    assert log_in(name).status_code == 200
    assert application.request("GET", f"{APP}/users/{quoted(twin)}").status_code == 404
    # The database of the user is that of the bytes of the name.
    database = login.json()["database"]
    for user, status in ((f"twins/{name}", 200), (f"twins/{twin}", 403)):
        assert Bearer(application, user).ask("GET", "/" + quoted(database)).status_code == status, user


def test_an_application_is_not_its_twin(application):
    assert application.request("PUT", "/_apps/" + quoted("twin\u017f"), json={}).status_code == 400
    application.json("PUT", "/_apps/Kites", json={})
    twin = "/_apps/" + quoted("\u212aites")
    assert application.request("GET", twin).status_code == 404
    answer = requests.put(f"{application.url}{twin}/users/ann", json={"password": PASSWORD}, timeout=30)
    assert answer.status_code == 404


# Object storage


def test_accounts_of_object_storage(site):
    for name in ("\u00e9ve", "\u212a", "K\u0301", "a\u200d"):
        run = account_command(site, "add", name)
        assert run.returncode != 0 and "letters, digits" in run.stdout + run.stderr
    owner, other = add_account(site, "Owner"), add_account(site, "K")
    for text, status in (("K", 201), ("\u212a", 401)):
        body = credentials(other)
        body["auth"]["identity"]["password"]["user"]["name"] = text
        body["auth"]["scope"]["project"]["name"] = text
        assert requests.post(f"{site.url}/v3/auth/tokens", json=body, timeout=30).status_code == status
    swift, stranger = Swift(site, owner), Swift(site, other)
    for path in ("/box", "/\u212a", "/K", "/e\u0301", "/\u00e9"):
        assert swift.request("PUT", "/" + quoted(path[1:])).status_code == 201, path
    for rule, status in (("\u212a", 403), ("\u212a:\u212a", 403), ("K\u0301", 403), ("K", 200), ("*:K", 200)):
        answer = swift.request("POST", "/box", headers={"X-Container-Read": rule.encode()})
        assert answer.status_code in (204, 400), answer.text
        if answer.status_code == 400:
            assert status == 403
            continue
        read = requests.get(swift.url + "/box", headers={"X-Auth-Token": stranger.token}, timeout=30)
        assert read.status_code in ((403,) if status == 403 else (200, 204)), rule
    # An account of the twin does not exist.
    answer = requests.get(f"{site.url}/v1/AUTH_{quoted(chr(0x212a))}", headers={"X-Auth-Token": stranger.token}, timeout=30)
    assert answer.status_code in (401, 403, 404, 412)


# BluePic


@pytest.fixture(scope="module")
def bluepic(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("bluepic"))
    yield site
    site.stop()


def owner_of_photos(bluepic, name):
    user = User.__new__(User)
    user.site, user.name = bluepic, name
    registered = requests.put(f"{bluepic.url}/_apps/bluepic/users/{quoted(name)}", json={"password": PASSWORD}, timeout=30)
    assert registered.status_code == 201, registered.text
    user.log_in()
    return user


@pytest.mark.parametrize("name, twin", TWINS[:3])
def test_the_owner_of_a_photo(bluepic, name, twin):
    file = picture()
    owner = owner_of_photos(bluepic, name)
    image = owner.posted(file, "caption")
    for claimed in ({"userId": twin}, {"ownerID": twin}):
        assert owner.ask("POST", "/images", json={"image": base64_text(file), **claimed}).status_code == 403
    assert owner.ask("PUT", f"/users/{quoted(twin)}", json={"name": "The twin"}).status_code == 403
    assert owner.ask("PUT", f"/users/{quoted(twin)}/picture", json={"image": image["_id"]}).status_code == 403
    # A photo whose document names the twin as its owner is not the user's.
    path = f"/bluepic/{image['_id']}"

    def given():
        return bluepic.request("PUT", path, json={**bluepic.json("GET", path), "userId": twin}).status_code == 201

    eventually(given)
    assert owner.ask("DELETE", f"/images/{image['_id']}").status_code == 403
    assert owner.ask("PUT", f"/users/{quoted(name)}/picture", json={"image": image["_id"]}).status_code in (400, 403, 404)


@pytest.mark.parametrize("name, like", [*TWINS[:2], ("ann", "ann\u034f"), ("ben", "b\u200den")])
def test_the_photos_of_a_user_are_not_those_of_a_name_like_it(bluepic, name, like):
    """An index compares such names as equal; a user may register with the last two."""
    user = owner_of_photos(bluepic, "my" + name)
    kept = {user.posted(picture((number, 1, 2)), "caption")["_id"] for number in range(2)}
    mine, its = quoted("my" + name), quoted("my" + like)
    if unicodedata.is_normalized("NFC", like):
        other = owner_of_photos(bluepic, "my" + like)
        others = {other.posted(picture((number, 1, 2)), "caption")["_id"] for number in range(3)}
    else:
        others = set()
        assert requests.get(f"{bluepic.url}/user/{its}", timeout=30).status_code == 404
    for path, images in ((mine, kept), (its, others)):
        answer = requests.get(f"{bluepic.url}/users/{path}/images", timeout=30)
        assert {image["_id"] for image in answer.json()} == images if answer.ok else not images
        page = requests.get(f"{bluepic.url}/user/{path}", headers={"Accept": "text/html"}, timeout=30).text
        assert page.count('class="card"') == len(images) and (not images or f"{len(images)} photos" in page)


# Identities of providers


def test_identities_with_names_that_an_index_compares_as_equal(site):
    issuer = Issuer()
    site.json("PUT", "/_apps/subjects", json={"registrations_per_minute": 1000, "providers": {"corporate": issuer.declaration()}})

    def name(subject):
        answer = requests.post(f"{site.url}/_apps/subjects/login", timeout=30, json={
            "provider": "corporate", "id_token": issuer.token(sub=subject, email=None)})
        assert answer.status_code == 200, answer.text
        return answer.json()["name"]

    subjects = ["u1", "u1\u034f", "u\u200d1", "\u00e9", "e\u0301", "K", "\u212a"]
    names = [name(subject) for subject in subjects]
    assert len(set(names)) == len(subjects) and [name(subject) for subject in subjects] == names
    issuer.stop()
