"""Logins with identity providers: a real one (`oidc_provider_mock`), and imitations whose tokens tests control."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import oidc_provider_mock
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec

from conftest import Server
from issuers import RSA_KEYS, Apple, GitHub, Graph, Issuer, challenge, public_pem

REDIRECT = "http://127.0.0.1:5999/done"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("providers") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield site
    site.stop()


@pytest.fixture
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.stop()


class App:
    """An application of a server, declared with providers, and its logins."""

    def __init__(self, site, **providers):
        self.site = site
        self.id = "app" + secrets.token_hex(4)
        self.url = f"{site.url}/_apps/{self.id}"
        self.declare(providers)

    def declare(self, providers, **members):
        self.site.json("PUT", f"/_apps/{self.id}", json={
            "providers": providers, "registrations_per_minute": 1_000, **members})

    def log_in(self, provider, **proof):
        return requests.post(f"{self.url}/login", json={"provider": provider, **proof}, timeout=30)

    def name(self, provider, **proof):
        answer = self.log_in(provider, **proof)
        assert answer.status_code == 200, answer.text
        return answer.json()["name"]

    def begin(self, provider, **changed):
        """Begins a login in a new browser; returns the browser, the verifier and the provider's page."""
        browser, verifier = requests.Session(), secrets.token_urlsafe(32)
        query = {"redirect_uri": REDIRECT, "state": "mine", "code_challenge": challenge(verifier),
                 "code_challenge_method": "S256", **changed}
        query = {name: value for name, value in query.items() if value is not None}
        answer = browser.get(f"{self.url}/login/{provider}?{urlencode(query)}", allow_redirects=False, timeout=30)
        return browser, verifier, answer

    def finish(self, browser, callback):
        """Follows the provider's redirect to the server; returns the parameters that the app gets."""
        answer = browser.get(callback, allow_redirects=False, timeout=30)
        assert answer.status_code == 302, answer.text
        assert answer.headers["Location"].startswith(REDIRECT + "?")
        return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def error(answer):
    return answer.status_code, answer.json()["error"]


def works(site, login):
    """Asserts that a login's three credentials read and write the user's database, and no other."""
    database = f"{site.url}/{requests.utils.quote(login['database'], safe='')}"
    key = (login["api_key"], login["api_password"])
    assert requests.put(database + "/doc", json={}, auth=key, timeout=30).status_code in (201, 409)
    token = {"Authorization": "Bearer " + login["access_token"]}
    assert requests.get(database + "/doc", headers=token, timeout=30).status_code == 200
    assert requests.get(site.url + "/_all_dbs", auth=key, timeout=30).status_code == 401


# In the browser

def test_login_with_a_real_provider_in_the_browser(site):
    user = oidc_provider_mock.User(
        sub="alice", claims={"name": "Alice", "email": "alice@example.org", "email_verified": True})
    with oidc_provider_mock.run_server_in_thread(user_claims=[user]) as server:
        address = f"http://localhost:{server.server_port}"
        app = App(site, corporate={"kind": "oidc", "client_id": "id", "client_secret": "s", "issuer": address})
        assert requests.get(app.url + "/providers", timeout=30).json()["providers"] == [{
            "name": "corporate", "kind": "oidc", "display_name": "OpenID Connect", "client_id": "id",
            "login": f"/_apps/{app.id}/login/corporate"}]
        browser, verifier, page = app.begin("corporate")
        assert page.status_code == 302 and page.headers["Location"].startswith(address)
        consent = browser.post(page.headers["Location"], data={"sub": "alice"}, allow_redirects=False, timeout=30)
        answer = app.finish(browser, consent.headers["Location"])
        assert answer["state"] == "mine"
        login = app.log_in("corporate", code=answer["code"], code_verifier=verifier, device="her phone")
        assert login.status_code == 200 and "AuthSession" in login.cookies
        works(site, login.json())
        account = requests.get(
            f"{app.url}/users/{login.json()['name']}", timeout=30,
            headers={"Authorization": "Bearer " + login.json()["access_token"]}).json()
        assert account["profile"] == {
            "display_name": "Alice", "email": "alice@example.org", "email_verified": True}
        assert list(account["providers"]) == ["corporate"]
        assert [device["name"] for device in account["devices"]] == ["her phone"]
        # The code is used up.
        assert error(app.log_in("corporate", code=answer["code"], code_verifier=verifier)) == (401, "login_refused")


def test_a_denied_login_is_reported_to_the_app(site, issuer):
    app = App(site, corporate=issuer.declaration())
    browser, _, page = app.begin("corporate")
    state = parse_qs(urlsplit(page.headers["Location"]).query)["state"][0]
    answer = app.finish(browser, f"{app.url}/login/corporate/callback?" + urlencode(
        {"error": "access_denied", "state": state}))
    assert (answer["error"], answer["state"]) == ("login_refused", "mine")


def callback(app, issuer, browser, page):
    return browser.get(page.headers["Location"], allow_redirects=False, timeout=30).headers["Location"]


def test_states_and_codes_are_valid_once_and_in_one_browser(site, issuer):
    app, other = App(site, corporate=issuer.declaration()), App(site, corporate=issuer.declaration())
    browser, verifier, page = app.begin("corporate")
    address = callback(app, issuer, browser, page)
    # Another browser, without the cookie or with the cookie of another login, cannot finish it (login fixation).
    for stranger in [requests.Session(), app.begin("corporate")[0]]:
        assert error(stranger.get(address, allow_redirects=False, timeout=30)) == (401, "login_refused")
    # Nor is it finished at another application or provider.
    moved = address.replace(app.id, other.id)
    cookies = {"GodwitLogin": next(iter(browser.cookies)).value}
    assert error(requests.get(moved, cookies=cookies, allow_redirects=False, timeout=30)) == (401, "login_refused")
    code = app.finish(browser, address)["code"]
    assert error(browser.get(address, cookies=cookies, allow_redirects=False, timeout=30)) == (401, "login_refused")
    forged = address.replace("state=", "state=A")
    assert error(browser.get(forged, cookies=cookies, allow_redirects=False, timeout=30)) == (401, "login_refused")
    assert error(other.log_in("corporate", code=code, code_verifier=verifier)) == (401, "login_refused")
    # The attempt above used the code up: it is one login's secret.
    assert error(app.log_in("corporate", code=code, code_verifier=verifier)) == (401, "login_refused")


def test_a_code_needs_its_verifier(site, issuer):
    app = App(site, corporate=issuer.declaration())
    browser, _, page = app.begin("corporate")
    code = app.finish(browser, callback(app, issuer, browser, page))["code"]
    assert error(app.log_in("corporate", code=code, code_verifier="another")) == (401, "login_refused")
    assert app.log_in("corporate", code="godwit.invented").status_code == 400


@pytest.mark.parametrize("uri, is_permitted", [
    ("http://127.0.0.1:1/x", True), ("http://[::1]:80/x", True), ("http://localhost/x", True),
    ("com.example.trips:/login", True), ("https://app.example.org/done", True),
    ("com.example.other:/login", False), ("https://app.example.org/done2", False), ("https://evil.example", False),
    ("http://127.0.0.1.evil.example/", False), ("http://127.0.0.1@evil.example/", False),
    ("http://localhost:80@evil.example/", False), ("//evil.example", False), ("/relative", False),
    ("javascript:alert(1)", False), ("http://127.0.0.1:1/#x", False), ("http://127.0.0.1:1/\r\nX: y", False),
    (None, False),
])
def test_a_login_returns_only_to_the_app(site, issuer, uri, is_permitted):
    app = App(site)
    app.declare({"corporate": issuer.declaration()}, redirects=["com.example.trips:/login", "https://app.example.org/done"])
    _, _, page = app.begin("corporate", redirect_uri=uri)
    if is_permitted:
        assert page.status_code == 302
    else:
        assert error(page) == (400, "redirect_refused")


@pytest.mark.parametrize("changed", [
    {"code_challenge": None}, {"code_challenge": "short"}, {"code_challenge_method": "plain"},
    {"code_challenge_method": None}, {"state": "x" * 1_001}])
def test_a_login_in_the_browser_needs_a_challenge(site, issuer, changed):
    assert App(site, corporate=issuer.declaration()).begin("corporate", **changed)[2].status_code == 400


# ID tokens

def test_an_id_token_logs_in_the_same_account_each_time(site, issuer):
    app = App(site, corporate=issuer.declaration(other_client_ids=["phone"]))
    name = app.name("corporate", id_token=issuer.token())
    assert name == "corporate-u1"
    assert app.name("corporate", id_token=issuer.token(aud="phone")) == name
    issuer.user["sub"] = "someone else"
    assert app.name("corporate", id_token=issuer.token(email=None)) != name
    login = app.log_in("corporate", id_token=issuer.token(email=None)).json()
    works(site, login)


def test_concurrent_first_logins_create_one_account(site, issuer):
    app, tokens = App(site, corporate=issuer.declaration()), [issuer.token() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda token: app.name("corporate", id_token=token), tokens)) == {"corporate-u1"}


@pytest.mark.parametrize("case, part", [
    ({"aud": "another app"}, "another app"), ({"aud": ["another"]}, "another app"),
    ({"aud": ["app", "other"]}, "requested by another app"), ({"azp": "other"}, "requested by another app"),
    ({"iss": "https://evil.example"}, "another issuer"), ({"exp": 1}, "expired"), ({"exp": None}, "no time of expiry"),
    ({"iat": 4_000_000_000, "exp": 4_000_000_600}, "clock"), ({"nbf": 4_000_000_000}, "clock"),
    ({"sub": None}, "no user"), ({"kid": "unknown"}, "key"), ({"key": RSA_KEYS[1]}, "signature"),
    ({"nonce": "n"}, "nonce"),
])
def test_tokens_that_are_refused(site, issuer, case, part):
    app = App(site, corporate=issuer.declaration())
    answer = app.log_in("corporate", id_token=issuer.token(**case))
    assert error(answer) == (401, "login_refused")
    assert part in answer.json()["reason"]


def test_signatures_of_other_kinds_are_refused(site, issuer):
    app, claims = App(site, corporate=issuer.declaration()), issuer.claims()
    unsigned = jwt.encode(claims, None, algorithm="none", headers={"kid": "one"})
    # The public key as a shared secret. PyJWT refuses to sign so, as it should.
    head, body, _ = jwt.encode(claims, "x" * 32, algorithm="HS256", headers={"kid": "one"}).split(".")
    mac = hmac.new(public_pem(RSA_KEYS[0]).encode(), f"{head}.{body}".encode(), hashlib.sha256).digest()
    confused = f"{head}.{body}." + base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
    stripped = issuer.token().rsplit(".", 1)[0] + "."
    curve = jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256", headers={"kid": "one"})
    for token in [unsigned, confused, stripped, curve, "", "a.b", "a.b.c", "x" * 20_000]:
        answer = app.log_in("corporate", id_token=token)
        assert answer.status_code in (400, 401), token[:40]


def test_other_algorithms_of_the_issuer_are_accepted(site, issuer):
    app = App(site, corporate=issuer.declaration())
    issuer.keys = {"curve": ec.generate_private_key(ec.SECP256R1()), "one": RSA_KEYS[0]}
    assert app.name("corporate", id_token=issuer.token(algorithm="ES256"))
    assert app.name("corporate", id_token=issuer.token(key=RSA_KEYS[0], kid="one", algorithm="PS256"))


@pytest.mark.parametrize("claim, sent, status", [
    ("n", "n", 200), ("f" * 64, "n", 401), ("n", None, 401), (None, "n", 401), ("other", "n", 401),
    ("1b16b1df538ba12dc3f97edbb85caa7050d46c148134290feba80f8236c83db9", "n", 200),
])
def test_a_nonce_is_that_of_the_request_or_its_digest(site, issuer, claim, sent, status):
    app = App(site, corporate=issuer.declaration())
    proof = {"id_token": issuer.token(nonce=claim), **({"nonce": sent} if sent else {})}
    assert app.log_in("corporate", **proof).status_code == status


def test_a_clock_five_minutes_off_is_named_and_can_be_accepted(site, issuer):
    app = App(site, corporate=issuer.declaration())
    now = int(time.time())
    early = {"id_token": issuer.token(nonce="n", iat=now + 300, exp=now + 900), "nonce": "n"}
    answer = app.log_in("corporate", **early)
    assert error(answer) == (401, "login_refused")
    assert "4 minutes in the future" in answer.json()["reason"] or "5 minutes in the future" in answer.json()["reason"]
    assert "clock_skew_seconds" in answer.json()["reason"]
    late = {"id_token": issuer.token(nonce="n", iat=now - 900, exp=now - 300), "nonce": "n"}
    assert "expired 5 minutes ago" in app.log_in("corporate", **late).json()["reason"]
    app.declare({"corporate": issuer.declaration(clock_skew_seconds=400)})
    assert app.log_in("corporate", **early).status_code == 200
    assert app.log_in("corporate", **late).status_code == 200


# Tokens without a nonce

def test_a_token_without_a_nonce_logs_in_once(site, issuer):
    app = App(site, corporate=issuer.declaration())
    issuer.keys = {"curve": ec.generate_private_key(ec.SECP256R1())}
    token, without_id = issuer.token(algorithm="ES256"), issuer.token(algorithm="ES256", jti=None)
    login = app.log_in("corporate", id_token=token)
    assert login.status_code == 200
    assert app.name("corporate", id_token=without_id) == "corporate-u1"
    for used in (token, without_id):
        answer = app.log_in("corporate", id_token=used)
        assert error(answer) == (401, "login_refused") and "used before" in answer.json()["reason"]
    # A further signature of the same claims does not make a new token; each signature of this algorithm is different.
    claims = jwt.decode(token, options={"verify_signature": False})
    again = jwt.encode(claims, issuer.keys["curve"], algorithm="ES256", headers={"kid": "curve"})
    assert again != token and error(app.log_in("corporate", id_token=again)) == (401, "login_refused")
    # Neither do further claims with the same identifier.
    more = jwt.encode({**claims, "at_hash": "x"}, issuer.keys["curve"], algorithm="ES256", headers={"kid": "curve"})
    assert error(app.log_in("corporate", id_token=more)) == (401, "login_refused")
    # Nor does the end of the session.
    session = {"refresh_token": login.json()["refresh_token"]}
    assert requests.post(f"{app.url}/logout", json=session, timeout=30).status_code == 200
    assert error(app.log_in("corporate", id_token=token)) == (401, "login_refused")


def test_a_used_token_proves_nothing_else(site, issuer):
    app = App(site, corporate=issuer.declaration())
    token = issuer.token()
    login = app.log_in("corporate", id_token=token).json()
    bearer, path = {"Authorization": "Bearer " + login["access_token"]}, f"{app.url}/users/{login['name']}"
    proof = {"proof": {"provider": "corporate", "id_token": token}}
    assert error(requests.delete(path, json=proof, headers=bearer, timeout=30)) == (401, "login_refused")
    password = {"password": "a long password"}
    assert requests.put(f"{app.url}/users/bob", json=password, timeout=30).status_code == 201
    bob = requests.post(f"{app.url}/login", json={"name": "bob", **password}, timeout=30).json()
    link = {"id_token": token, "authentication": password}
    answer = requests.put(f"{app.url}/users/bob/providers/corporate", json=link, timeout=30,
                          headers={"Authorization": "Bearer " + bob["access_token"]})
    assert error(answer) == (401, "login_refused")


def test_a_refused_token_is_not_used(site, issuer):
    app = App(site, corporate=issuer.declaration())
    token = issuer.token()
    head, _, signature = token.rpartition(".")
    broken = f"{head}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"
    assert error(app.log_in("corporate", id_token=broken)) == (401, "login_refused")
    assert app.log_in("corporate", id_token=token, nonce="none of the token").status_code == 401
    assert app.name("corporate", id_token=token) == "corporate-u1"


def test_a_token_with_a_nonce_logs_in_until_it_expires(site, issuer):
    app = App(site, corporate=issuer.declaration())
    proof = {"id_token": issuer.token(nonce="n"), "nonce": "n"}
    assert {app.name("corporate", **proof) for _ in range(3)} == {"corporate-u1"}


def test_concurrent_uses_of_one_token_succeed_once(site, issuer):
    app, token = App(site, corporate=issuer.declaration()), issuer.token()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: app.log_in("corporate", id_token=token).status_code, range(8)))
    assert sorted(answers) == [200] + [401] * 7


@pytest.mark.parametrize("claims, part", [
    # The server of these tests starts less than an hour ago.
    (lambda now: {"iat": now - 3_600, "exp": now + 600}, "older than this server's last start"),
    (lambda now: {"iat": None}, "older than this server's last start"),
    (lambda now: {"iat": now - 1e300}, "older than this server's last start"),
    (lambda now: {"exp": now + 86_400 + 600}, "valid for too long"),
    (lambda now: {"exp": 1e300}, "valid for too long"),
])
def test_a_token_without_a_nonce_is_refused_if_its_use_could_be_forgotten(site, issuer, claims, part):
    app = App(site, corporate=issuer.declaration())
    claims = claims(int(time.time()))
    answer = app.log_in("corporate", id_token=issuer.token(**claims))
    assert error(answer) == (401, "login_refused") and part in answer.json()["reason"]
    assert app.name("corporate", id_token=issuer.token(nonce="n", **claims), nonce="n") == "corporate-u1"


# Keys and outages

def test_an_issuer_may_replace_its_keys_at_any_time(site, issuer):
    app = App(site, corporate=issuer.declaration())
    assert app.name("corporate", id_token=issuer.token())
    # A key that was read less than half a minute ago is not read again for an unknown one: see the next test.
    site.json("PUT", f"/_apps/{app.id}", json={
        "providers": {"corporate": issuer.declaration(display_name="read again")}})
    issuer.keys = {"two": RSA_KEYS[1]}
    assert app.name("corporate", id_token=issuer.token())
    assert error(app.log_in("corporate", id_token=issuer.token(key=RSA_KEYS[0], kid="one"))) == (401, "login_refused")


def test_tokens_with_invented_keys_cause_no_requests(site, issuer):
    app = App(site, corporate=issuer.declaration())
    for number in range(20):
        answer = app.log_in("corporate", id_token=issuer.token(kid=f"invented {number}"))
        assert error(answer) == (401, "login_refused")
    # The tokens of other apps cause none at all.
    assert issuer.count("/jwks") == 1 and issuer.count("/.well-known/openid-configuration") == 1


def test_an_outage_is_not_a_refusal(site, issuer):
    app = App(site, corporate=issuer.declaration())
    issuer.is_down = True
    answer = app.log_in("corporate", id_token=issuer.token())
    assert error(answer) == (503, "provider_unavailable") and int(answer.headers["Retry-After"]) > 0
    issuer.is_down = False
    assert app.name("corporate", id_token=issuer.token())
    # With the keys in memory, logins by ID tokens need no provider.
    issuer.is_down = True
    assert app.name("corporate", id_token=issuer.token())
    browser, verifier, page = app.begin("corporate")
    assert page.status_code == 302
    state = parse_qs(urlsplit(page.headers["Location"]).query)["state"][0]
    answer = app.finish(browser, f"{app.url}/login/corporate/callback?" + urlencode({"code": "c", "state": state}))
    assert answer["error"] == "provider_unavailable"
    issuer.stop()
    gone = App(site, corporate=issuer.declaration())
    assert error(gone.log_in("corporate", id_token="a.b.c")) == (401, "login_refused")
    assert error(gone.log_in("corporate", id_token=issuer.token())) == (503, "provider_unavailable")


def test_wrong_settings_are_told_apart_from_wrong_logins(site, issuer):
    app = App(site, corporate=issuer.declaration(issuer=issuer.url + "/wrong"))
    assert error(app.log_in("corporate", id_token=issuer.token())) == (500, "provider_misconfigured")
    assert error(app.log_in("corporate", access_token="x")) == (500, "provider_misconfigured")
    assert error(app.log_in("unknown", id_token="x")) == (404, "provider_not_found")
    assert app.log_in("corporate").status_code == 400
    assert app.log_in("corporate", id_token="x", code="y").status_code == 400


# Linking

def test_the_same_verified_address_links_and_an_unverified_one_never_does(site, issuer):
    second, graph = Issuer(), Graph()
    app = App(site, one=issuer.declaration(), two=second.declaration(), facebook=graph.declaration())
    name = app.name("one", id_token=issuer.token())
    second.user = {"sub": "x", "email": "Ann@Example.org", "email_verified": True}
    # An address that the second provider has not verified may belong to another person.
    assert app.name("two", id_token=second.token(email_verified=False, sub="thief")) == "two-thief"
    assert app.name("facebook", access_token="good") == "facebook-7"
    assert app.name("two", id_token=second.token()) == name
    # Nor does a verified address link to an account whose own address is not verified.
    unverified = App(site, one=issuer.declaration(), two=second.declaration())
    assert unverified.name("one", id_token=issuer.token(email_verified=None)) == "one-u1"
    assert unverified.name("two", id_token=second.token()) == "two-x"
    second.stop(), graph.stop()


def test_users_link_and_unlink_providers(site, issuer):
    second = Issuer()
    app = App(site, one=issuer.declaration(), two=second.declaration())
    second.user = {"sub": "x"}
    password = {"password": "a long password"}
    assert requests.put(f"{app.url}/users/bob", json=password, timeout=30).status_code == 201
    login = requests.post(f"{app.url}/login", json={"name": "bob", **password}, timeout=30).json()
    token = {"Authorization": "Bearer " + login["access_token"]}

    def link(method, provider, *, headers=token, **body):
        return requests.request(
            method, f"{app.url}/users/bob/providers/{provider}", json=body, headers=headers, timeout=30)

    # Who has only a session cannot link an identity of their own.
    assert link("PUT", "one", id_token=issuer.token()).status_code == 400
    wrong = {"authentication": {"password": "wrong"}}
    assert link("PUT", "one", id_token=issuer.token(), **wrong).status_code == 401
    right = {"authentication": password}
    assert link("PUT", "one", id_token=issuer.token(), headers={}, **right).status_code == 401
    assert link("PUT", "one", id_token=issuer.token(), **right).status_code == 200
    assert app.name("one", id_token=issuer.token()) == "bob"
    assert error(link("PUT", "one", id_token=issuer.token(sub="u2"), **right)) == (409, "identity_taken")
    app.name("two", id_token=second.token())
    assert error(link("PUT", "two", id_token=second.token(), **right)) == (409, "identity_taken")
    assert link("DELETE", "one").status_code == 400
    assert link("DELETE", "one", **password).status_code == 200
    assert error(link("DELETE", "one", **password)) == (404, "provider_not_found")
    assert app.name("one", id_token=issuer.token()) != "bob"
    # The last way to log in stays.
    other = app.log_in("two", id_token=second.token()).json()
    proof = lambda: {"proof": {"provider": "two", "id_token": second.token()}}  # noqa: E731
    bearer = {"Authorization": "Bearer " + other["access_token"]}
    path = f"{app.url}/users/{other['name']}"
    assert error(requests.delete(path + "/providers/two", json=proof(), headers=bearer, timeout=30)) == (403, "forbidden")
    foreign = {"proof": {"provider": "two", "id_token": second.token(sub="stranger")}}
    assert error(requests.delete(path, json=foreign, headers=bearer, timeout=30)) == (401, "login_refused")
    assert requests.delete(path, json=proof(), headers=bearer, timeout=30).status_code == 200
    second.stop()


def test_a_provider_that_links_only_some_domains(site, issuer):
    second = Issuer()
    app = App(site, one=issuer.declaration(), two=second.declaration(linked_domains=["corp.example"]))
    assert app.name("one", id_token=issuer.token()) == "one-u1"
    assert app.name("two", id_token=second.token()) == "two-u1"
    assert app.name("one", id_token=issuer.token(sub="x", email="x@corp.example")) == "one-x"
    assert app.name("two", id_token=second.token(sub="y", email="x@corp.example")) == "one-x"
    second.stop()


def profile(app, login):
    answer = requests.get(f"{app.url}/users/{login['name']}", timeout=30, headers={
        "Authorization": "Bearer " + login["access_token"]})
    return answer.json()["profile"]


def test_an_address_of_an_untrusted_provider_is_not_verified(site, issuer):
    """Account take-over: a provider lets an attacker claim the victim's address before the victim's first login."""
    second = Issuer()
    app = App(site, loose=second.declaration(linked_domains=[]), strict=issuer.declaration())
    squatter = app.log_in("loose", id_token=second.token(sub="squatter")).json()
    assert squatter["name"] == "loose-squatter"
    assert profile(app, squatter) == {"display_name": "Ann", "email": "ann@example.org", "email_verified": False}
    works(site, squatter)
    victim = app.log_in("strict", id_token=issuer.token()).json()
    assert victim["name"] == "strict-u1" and victim["database"] != squatter["database"]
    assert profile(app, victim) == {"display_name": "Ann", "email": "ann@example.org", "email_verified": True}
    # Later logins of both change nothing, and the squatter's data stays the squatter's.
    again = app.log_in("loose", id_token=second.token(sub="squatter")).json()
    assert again["name"] == squatter["name"] and profile(app, again)["email_verified"] is False
    works(site, again)
    assert app.name("strict", id_token=issuer.token()) == "strict-u1"
    token = {"Authorization": "Bearer " + again["access_token"]}
    stranger = requests.get(f"{site.url}/{requests.utils.quote(victim['database'], safe='')}", headers=token, timeout=30)
    assert stranger.status_code == 403
    second.stop()


def test_trust_that_ends_later_ends_for_the_accounts_too(site, issuer):
    second = Issuer()
    app = App(site, loose=second.declaration(), strict=issuer.declaration())
    squatter = app.log_in("loose", id_token=second.token(sub="squatter")).json()
    assert profile(app, squatter)["email_verified"] is True
    app.declare({"loose": second.declaration(linked_domains=[]), "strict": issuer.declaration()})
    victim = app.log_in("strict", id_token=issuer.token()).json()
    assert victim["name"] == "strict-u1" and profile(app, victim)["email_verified"] is True
    assert profile(app, squatter)["email_verified"] is False
    second.stop()


@pytest.mark.parametrize("email, is_verified", [
    ("ann@example.org", True), ("Ann@EXAMPLE.ORG", True), ("ann@sub.example.org", False), ("ann@notexample.org", False),
    ("ann@example.org.evil.example", False), ("victim@example.org@evil", None), ("victim@evil@example.org", None),
    # No address has other letters than ASCII: neither a sign that looks the same, nor one with equal folding.
    ("ann@e\u0301xample.org", None), ("ann@\u0435xample.org", None), ("ann@example.or\u0261", None),
    ("ann@example\uff0eorg", None), ("ann@example.org\u0301", None), ("ann@example.org\u200d", None),
    ("ann@example.org ", None), ("ann@example.org.", None), ("ann@example.org\0.evil", None), ("@example.org", None),
])
def test_a_provider_verifies_only_its_domains(site, issuer, email, is_verified):
    app = App(site, corporate=issuer.declaration(linked_domains=["Example.org"]))
    login = app.log_in("corporate", id_token=issuer.token(email=email)).json()
    known = profile(app, login)
    if is_verified is None:
        # What is no address is not kept. If it is kept, it is not verified.
        assert known.get("email_verified", False) is False
    else:
        assert (known["email"], known["email_verified"]) == (email, is_verified)


def test_a_domain_is_compared_by_its_bytes(site, issuer):
    """U+212A is canonically equal to K."""
    app = App(site, corporate=issuer.declaration(linked_domains=["\u212ael.example"]))
    login = app.log_in("corporate", id_token=issuer.token(email="ann@Kel.example")).json()
    assert profile(app, login)["email_verified"] is False


def test_a_provider_does_not_take_the_address_of_another_account(site, issuer):
    second = Issuer()
    app = App(site, one=issuer.declaration(), two=second.declaration())
    assert app.name("two", id_token=second.token(sub="thief", email="thief@example.org")) == "two-thief"
    assert app.name("one", id_token=issuer.token()) == "one-u1"
    # Later its user has the address of the other account. That account is still found by it.
    login = app.log_in("two", id_token=second.token(sub="thief")).json()
    profile = requests.get(f"{app.url}/users/two-thief", timeout=30, headers={
        "Authorization": "Bearer " + login["access_token"]}).json()["profile"]
    assert profile == {"display_name": "Ann", "email": "ann@example.org", "email_verified": False}
    assert app.name("two", id_token=second.token(sub="new")) == "one-u1"
    second.stop()


def test_roles_of_microsoft_need_one_tenant(site):
    for issuer, status in [(None, 400), ("https://login.microsoftonline.com/t1/v2.0", 201)]:
        answer = site.request("PUT", f"/_apps/tenants{status}", json={"providers": {"microsoft": {
            "client_id": "a", "roles_claim": "roles", "roles": {"x": "analyst"}, **({"issuer": issuer} if issuer else {})}}})
        assert answer.status_code == status


def test_long_texts_of_a_provider_are_left_out(site, issuer):
    app = App(site, corporate=issuer.declaration())
    login = app.log_in("corporate", id_token=issuer.token(name="x" * 201, picture="y" * 2_049, email="ä@x.org")).json()
    profile = requests.get(f"{app.url}/users/{login['name']}", timeout=30, headers={
        "Authorization": "Bearer " + login["access_token"]}).json()["profile"]
    assert profile == {}
    assert app.log_in("corporate", id_token=issuer.token(), version="1" * 65).status_code == 400


def test_roles_come_from_claims(site, issuer):
    app = App(site, corporate=issuer.declaration(roles_claim="groups", roles={"staff": "analyst"}))

    def roles(**claims):
        token = app.log_in("corporate", id_token=issuer.token(**claims)).json()["access_token"]
        session = requests.get(site.url + "/_session", headers={"Authorization": "Bearer " + token}, timeout=30)
        return session.json()["userCtx"]["roles"]

    assert roles(groups=["staff", "_admin", "others"]) == [f"{app.id}/user", f"{app.id}/analyst"]
    assert roles(groups=["others"]) == [f"{app.id}/user"]


def test_only_administrators_create_accounts_where_the_declaration_says_so(site, issuer):
    app = App(site)
    app.declare({"corporate": issuer.declaration()}, registration="administrators")
    assert error(app.log_in("corporate", id_token=issuer.token())) == (403, "forbidden")


def test_secrets_are_kept_and_not_shown(site, issuer):
    app = App(site, corporate=issuer.declaration())
    shown = site.json("GET", f"/_apps/{app.id}")
    assert "issuer's secret" not in json.dumps(shown)
    site.json("PUT", f"/_apps/{app.id}", json=shown)
    browser, verifier, page = app.begin("corporate")
    assert "code" in app.finish(browser, callback(app, issuer, browser, page))


def test_a_token_of_one_application_is_not_one_of_another(site, issuer):
    app, other = App(site, corporate=issuer.declaration()), App(site, corporate=issuer.declaration())
    login = app.log_in("corporate", id_token=issuer.token()).json()
    other.log_in("corporate", id_token=issuer.token())
    token = {"Authorization": "Bearer " + login["access_token"]}
    assert requests.get(f"{other.url}/users/{login['name']}", headers=token, timeout=30).status_code == 404
    refreshed = requests.post(f"{other.url}/refresh", json={"refresh_token": login["refresh_token"]}, timeout=30)
    assert refreshed.status_code == 401
    # The published keys verify the token, and only those of its application.
    keys = jwt.PyJWKSet.from_dict(requests.get(f"{app.url}/jwks", timeout=30).json())
    kid = jwt.get_unverified_header(login["access_token"])["kid"]
    claims = jwt.decode(login["access_token"], keys[kid].key, algorithms=["ES256"], audience=app.id)
    assert claims["sub"] == f"{app.id}/{login['name']}" and claims["iss"] == f"/_apps/{app.id}"
    others = requests.get(f"{other.url}/jwks", timeout=30).json()["keys"]
    assert kid not in [key["kid"] for key in others] and all("d" not in key for key in others)


def test_one_address_cannot_make_the_server_ask_without_end(site, issuer):
    app = App(site, corporate=issuer.declaration())
    answers = [app.log_in("corporate", code="x", redirect_uri=REDIRECT) for _ in range(62)]
    assert [answer.status_code for answer in answers[:60]] == [401] * 60
    assert error(answers[-1]) == (429, "too_many_requests") and issuer.count("/token") == 60


# Providers without OpenID Connect

def test_facebook_checks_the_app_of_a_token_with_an_imitation(site):
    graph = Graph()
    app = App(site, facebook=graph.declaration())
    assert app.name("facebook", access_token="good") == "facebook-7"
    assert graph.proofs[-1]
    assert error(app.log_in("facebook", access_token="foreign")) == (401, "login_refused")
    assert error(app.log_in("facebook", access_token="invented")) == (401, "login_refused")
    assert app.name("facebook", code="graph code", redirect_uri=REDIRECT) == "facebook-7"
    wrong = App(site, facebook=graph.declaration(client_secret="wrong"))
    assert error(wrong.log_in("facebook", access_token="good")) == (500, "provider_misconfigured")
    graph.stop()


def test_facebook_limited_login_with_an_imitation(site, issuer):
    app = App(site, facebook={"kind": "facebook", "client_id": "app", "issuer": issuer.url})
    proof = {"id_token": issuer.token(nonce="n"), "nonce": "n"}
    assert app.name("facebook", **proof) == "facebook-u1"


def test_github_with_an_imitation(site):
    hub = GitHub()
    app = App(site, github=hub.declaration())
    login = app.log_in("github", code="hub code", redirect_uri=REDIRECT).json()
    assert login["name"] == "github-42"
    profile = requests.get(f"{app.url}/users/github-42", timeout=30, headers={
        "Authorization": "Bearer " + login["access_token"]}).json()["profile"]
    assert (profile["email"], profile["email_verified"], profile["display_name"]) == ("hugh@example.org", True, "hugh")
    assert app.name("github", access_token="hub token") == "github-42"
    assert error(app.log_in("github", access_token="of another app")) == (401, "login_refused")
    assert error(app.log_in("github", code="wrong", redirect_uri=REDIRECT)) == (401, "login_refused")
    hub.stop()


def test_apple_gets_a_signed_secret_and_sends_the_name_once_with_an_imitation(site):
    apple = Apple()
    apple.user = {"sub": "a1", "email": "a@privaterelay.appleid.com", "email_verified": "true"}
    app = App(site, apple=apple.declaration())
    name = json.dumps({"name": {"firstName": "Ada", "lastName": "L"}})
    for user in [name, None]:
        browser, verifier, page = app.begin("apple")
        query = parse_qs(urlsplit(page.headers["Location"]).query)
        assert query["response_mode"] == ["form_post"]
        to = browser.get(page.headers["Location"], allow_redirects=False, timeout=30).headers["Location"]
        form = {key: values[0] for key, values in parse_qs(urlsplit(to).query).items()}
        answer = browser.post(
            to.split("?")[0], data={**form, **({"user": user} if user else {})}, allow_redirects=False, timeout=30)
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        login = app.log_in("apple", code=code, code_verifier=verifier).json()
        profile = requests.get(f"{app.url}/users/{login['name']}", timeout=30, headers={
            "Authorization": "Bearer " + login["access_token"]}).json()["profile"]
        assert profile["display_name"] == "Ada L" and profile["email_verified"] is True
    assert len(apple.secrets) == 2
    apple.stop()


def test_microsoft_names_the_tenant_in_the_issuer_with_an_imitation(site, issuer):
    issuer.metadata = lambda *_: (200, {
        "issuer": issuer.url + "/{tenantid}/v2.0", "jwks_uri": issuer.url + "/jwks",
        "authorization_endpoint": issuer.url + "/authorize", "token_endpoint": issuer.url + "/token"})
    app = App(site, microsoft={"client_id": "app", "issuer": issuer.url})
    token = issuer.token(iss=issuer.url + "/t1/v2.0", tid="t1")
    login = app.log_in("microsoft", id_token=token).json()
    profile = requests.get(f"{app.url}/users/{login['name']}", timeout=30, headers={
        "Authorization": "Bearer " + login["access_token"]}).json()["profile"]
    # The tenant's administrator sets the address.
    assert profile["email_verified"] is False
    wrong = issuer.token(iss=issuer.url + "/t2/v2.0", tid="t1")
    assert error(app.log_in("microsoft", id_token=wrong)) == (401, "login_refused")
