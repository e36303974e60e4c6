"""Passkeys of administrators: with Chromium's virtual authenticator, and with an authenticator of these tests whose answers
can be wrong in each way."""

import base64
import hashlib
import json
import os
import struct

import pytest
import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import browser as browsers
from conftest import ADMIN, Server

PATH = "/_godwit/passkeys"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("passkeys"), arguments=("--passkey-domain", "sync.example.org"))
    server.local = f"http://localhost:{server.port}"
    yield server
    server.stop()


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(value):
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))


def cbor(value):
    """Writes the subset of CBOR that authenticators use."""
    def head(major, number):
        if number < 24:
            return bytes([major << 5 | number])
        return bytes([major << 5 | 25]) + struct.pack(">H", number)
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value)) + value.encode()
    return head(5, len(value)) + b"".join(cbor(key) + cbor(member) for key, member in value.items())


class Authenticator:
    """A key with which challenges are answered; each part of an answer can be changed."""

    def __init__(self, site, host="localhost", user="admin"):
        self.id, self.count, self.user = os.urandom(16), 0, user
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.domain = "localhost" if host == "localhost" else "sync.example.org"
        self.base = f"http://127.0.0.1:{site.port}"
        self.host = f"localhost:{site.port}" if host == "localhost" else host
        self.origin = f"http://{self.host}" if host == "localhost" else f"https://{host}"

    def ask(self, method, path, body, auth=None):
        return requests.request(
            method, self.base + PATH + path, json=body, auth=auth, headers={"Host": self.host}, timeout=30)

    def client_data(self, kind, options, changed):
        members = {
            "type": f"webauthn.{kind}", "challenge": options["publicKey"]["challenge"], "origin": self.origin,
            "crossOrigin": False, **changed,
        }
        return json.dumps(members).encode()

    def data(self, flags, domain=None, attested=b""):
        self.count += 1
        return (hashlib.sha256((domain or self.domain).encode()).digest() + bytes([flags])
                + struct.pack(">I", self.count) + attested)

    def register(self, *, auth=ADMIN, flags=0x45, algorithm=-7, domain=None, attestation=None, options=None, **client):
        if options is None:
            begun = self.ask("POST", "/registration", {"password": auth[1]}, auth)
            if begun.status_code != 200:
                return begun
            options = begun.json()
        numbers = self.key.public_key().public_numbers()
        key = cbor({1: 2, 3: algorithm, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + key
        whole = attestation if attestation is not None else cbor({"fmt": "none", "attStmt": {}, "authData": self.data(flags, domain, attested)})
        response = {
            "clientDataJSON": text(self.client_data("create", options, client)),
            "attestationObject": text(whole),
        }
        credential = {"id": text(self.id), "type": "public-key", "response": response}
        body = {"state": options["state"], "name": "test", "credential": credential}
        return self.ask("PUT", "/registration", body, auth)

    def log_in(self, *, flags=0x05, domain=None, key=None, options=None, id=None, user=None, **client):
        options = options or self.ask("POST", "/login", {}).json()
        data = self.data(flags, domain)
        client_data = self.client_data("get", options, client)
        signature = (key or self.key).sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": text(client_data), "authenticatorData": text(data), "signature": text(signature),
            "userHandle": text(hashlib.sha256((user or self.user).encode()).digest()),
        }
        credential = {"id": text(id or self.id), "type": "public-key", "response": response}
        return self.ask("PUT", "/login", {"state": options["state"], "credential": credential})


@pytest.fixture
def known(site):
    authenticator = Authenticator(site)
    answer = authenticator.register()
    assert answer.status_code == 201, answer.text
    return authenticator


def test_an_administrator_registers_a_passkey_in_chromium_and_logs_in(site, tmp_path):
    browser = browsers.chromium()
    try:
        browser.get(site.local + "/")
        options = VirtualAuthenticatorOptions(
            transport="internal", has_resident_key=True, has_user_verification=True, is_user_verified=True)
        browser.add_virtual_authenticator(options)

        def run(script, *arguments):
            return browser.execute_async_script(
                f"""const [done, ...values] = [arguments[arguments.length - 1], ...arguments]
                import("{PATH}/passkeys.js").then(async passkeys => {{ {script} }})
                  .then(done, error => done({{ message: error.message, code: error.code }}))""", *arguments)

        assert run("return passkeys.isAvailable()") is True
        assert run("return passkeys.register('secret', 'x')")["code"] == "unauthorized"
        run("""await fetch("/_session", { method: "POST", headers: { "Content-Type": "application/json" },
               body: JSON.stringify({ name: "admin", password: "secret" }) })""")
        assert run("return passkeys.register('wrong', 'x')")["code"] == "unauthorized"
        made = run("return passkeys.register('secret', 'my laptop')")
        assert (made["name"], made["user"], made["domain"]) == ("my laptop", "admin", "localhost"), made
        # The authenticator has the passkey already.
        assert run("return passkeys.register('secret', 'again')")["code"] == "InvalidStateError"

        run("await fetch('/_session', { method: 'DELETE' })")
        session = "return (await (await fetch('/_session')).json()).userCtx"
        assert run(session)["name"] is None
        assert run("return passkeys.logIn()") == {"ok": True, "name": "admin", "roles": ["_admin"]}
        assert run(session) == {"name": "admin", "roles": ["_admin"]}

        # The console has a separate session, begun with the same passkey.
        browser.delete_all_cookies()
        browser.get(site.local + "/_utils")
        find = lambda: [b for b in browser.find_elements("css selector", "form.login button") if b.text == "Use a passkey"]
        browsers.until(browser, find)[0].click()
        browsers.until(browser, lambda: browser.execute_script("return document.querySelector('h1')?.textContent") == "Overview")
        assert [cookie["name"] for cookie in browser.get_cookies()] == ["GodwitConsole"]

        assert site.json("DELETE", f"{PATH}/{made['id']}") == {"ok": True}
        assert run("return passkeys.logIn()")["code"] == "unauthorized"
        browser.get(f"http://127.0.0.1:{site.port}/")
        assert run("return passkeys.isAvailable()") is False
    finally:
        browser.quit()


def test_an_address_has_no_passkeys_and_the_error_says_where_they_are(site):
    answer = requests.post(f"{site.url}{PATH}/login", json={}, timeout=30)
    assert answer.status_code == 400 and answer.json()["error"] == "passkeys_unavailable"
    assert answer.json()["url"] == "https://sync.example.org"


def test_a_passkey_logs_in_and_is_listed(site, known):
    answer = known.log_in()
    assert answer.status_code == 200 and answer.json()["name"] == "admin", answer.text
    cookie = {"Cookie": "AuthSession=" + answer.cookies["AuthSession"]}
    assert requests.get(f"{site.url}/_session", headers=cookie, timeout=30).json()["userCtx"]["roles"] == ["_admin"]
    listed = {passkey["id"]: passkey for passkey in site.json("GET", PATH)["passkeys"]}
    assert set(listed[text(known.id)]) == {"id", "name", "user", "domain", "created", "used"}
    assert known.log_in().status_code == 200


def test_a_configured_domain_has_passkeys_of_its_own(site):
    authenticator = Authenticator(site, "sync.example.org")
    assert authenticator.register().status_code == 201
    assert authenticator.log_in().status_code == 200
    # A passkey of the domain is none of localhost.
    other = Authenticator(site)
    (other.id, other.key) = (authenticator.id, authenticator.key)
    assert other.log_in().status_code == 401
    # The client chooses `Host`: pages of subdomains, of other domains and of other ports are other sites.
    for host in ("a.sync.example.org", "evilsync.example.org", "sync.example.org:1", "localhost:1", "localhost:"):
        authenticator.host = host
        assert authenticator.ask("POST", "/login", {}).status_code == 400


@pytest.mark.parametrize("changed", [
    {"flags": 0x04}, {"flags": 0x01}, {"domain": "example.org"}, {"origin": "http://localhost:1"},
    {"crossOrigin": True}, {"challenge": text(bytes(32))}, {"type": "webauthn.create"},
    {"key": ec.generate_private_key(ec.SECP256R1())}, {"id": b"unknown passkey."}, {"user": "eve"},
], ids=lambda changed: next(iter(changed)))
def test_wrong_answers_are_refused_at_login(site, known, changed):
    answer = known.log_in(**changed)
    assert answer.status_code == 401 and "AuthSession" not in answer.cookies, answer.text
    # The answer does not tell whether the passkey exists.
    assert answer.json()["reason"] == "Name or password is incorrect."
    assert known.log_in().status_code == 200


@pytest.mark.parametrize("changed", [
    {"flags": 0x44}, {"flags": 0x41}, {"flags": 0x05}, {"domain": "example.org"}, {"origin": "http://localhost:1"},
    {"challenge": text(bytes(32))}, {"type": "webauthn.get"}, {"algorithm": -257}, {"attestation": b""},
    {"attestation": b"\xbf" * 100}, {"attestation": b"\x9b" + b"\xff" * 8}, {"attestation": b"\x81" * 100},
    {"attestation": cbor({"authData": bytes(36)})},
    {"attestation": cbor({"authData": bytes(32) + b"\x45" + bytes(30)})},
], ids=lambda changed: next(iter(changed)))
def test_wrong_answers_are_refused_at_registration(site, changed):
    answer = Authenticator(site).register(**changed)
    assert answer.status_code == 401 and answer.json()["error"] == "login_refused", answer.text


def test_a_challenge_is_used_once(site, known):
    options = known.ask("POST", "/login", {}).json()
    assert known.log_in(options=options).status_code == 200
    assert known.log_in(options=options).status_code == 401
    begun = known.ask("POST", "/registration", {"password": "secret"}, ADMIN).json()
    assert Authenticator(site).log_in(options=begun).status_code == 401
    assert Authenticator(site).register(options=begun).status_code == 201
    assert Authenticator(site).register(options=begun).status_code == 401


def test_a_copied_passkey_is_noticed_by_its_counter(known):
    assert known.log_in().status_code == 200
    known.count = 0
    answer = known.log_in()
    assert answer.status_code == 401


def test_a_passkey_is_registered_once(known):
    assert known.register().status_code == 409


def test_only_administrators_with_their_password_register(site):
    site.json("PUT", "/_users/org.couchdb.user:bob", json={
        "name": "bob", "type": "user", "roles": [], "password": "his password"})
    authenticator = Authenticator(site)
    assert authenticator.register(auth=("bob", "his password")).status_code == 401
    assert authenticator.ask("POST", "/registration", {"password": "secret"}).status_code == 401
    assert authenticator.ask("POST", "/registration", {"password": "wrong"}, ADMIN).status_code == 401
    assert authenticator.ask("GET", "", None, ("bob", "his password")).status_code == 401


def test_passkeys_of_a_removed_administrator_are_refused(site):
    site.json("PUT", "/_node/_local/_config/admins/eve", json="her password")
    authenticator = Authenticator(site, user="eve")
    assert authenticator.register(auth=("eve", "her password")).status_code == 201
    assert authenticator.log_in().json()["name"] == "eve"
    site.json("DELETE", "/_node/_local/_config/admins/eve")
    # A user of the same name is another person.
    site.json("PUT", "/_users/org.couchdb.user:eve", json={
        "name": "eve", "type": "user", "roles": [], "password": "another password"})
    assert authenticator.log_in().status_code == 401


def test_a_new_administrator_does_not_inherit_the_passkeys_of_a_former_one(site):
    site.json("PUT", "/_node/_local/_config/admins/una", json="her password")
    authenticator = Authenticator(site, user="una")
    assert authenticator.register(auth=("una", "her password")).status_code == 201
    # A new password leaves the passkeys.
    site.json("PUT", "/_node/_local/_config/admins/una", json="her new password")
    assert authenticator.log_in().status_code == 200
    site.json("DELETE", "/_node/_local/_config/admins/una")
    assert "una" not in {passkey["user"] for passkey in site.json("GET", PATH)["passkeys"]}
    site.json("PUT", "/_node/_local/_config/admins/una", json="the password of another person")
    assert authenticator.log_in().status_code == 401
