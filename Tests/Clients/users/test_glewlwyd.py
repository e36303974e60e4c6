"""Logins with a real issuer of OpenID Connect: Debian's `glewlwyd`, a program that others wrote for other clients."""

import os
import pathlib
import secrets
import shutil
import socket
import sqlite3
import subprocess
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
import requests

from conftest import Server, eventually
from issuers import RSA_KEYS, challenge, pem, public_pem
from test_providers import App, error, works

pytestmark = pytest.mark.skipif(
    not os.environ.get("GODWIT_GLEWLWYD") or not shutil.which("glewlwyd"),
    reason="takes Debian's glewlwyd: ./test --long, or install it and set GODWIT_GLEWLWYD=1")

TABLES = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
SECRET, PASSWORD = "the client's secret", "ann's own password"
SETTINGS = """
port = {port}
bind_address = "127.0.0.1"
external_url = "{url}"
login_url = "login.html"
api_prefix = "api"
log_mode = "file"
log_level = "INFO"
log_file = "{directory}/log"
hash_algorithm = "SHA512"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
database = {{ type = "sqlite3" path = "{directory}/glewlwyd.db" }};
"""


def parameters(address, part="query"):
    return {name: values[0] for name, values in parse_qs(getattr(urlsplit(address), part)).items()}


class Glewlwyd:
    """A glewlwyd in a directory, with the user Ann; it requires Proof Key for Code Exchange."""

    def __init__(self, directory):
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.issuer = self.url + "/api/oidc"
        database = sqlite3.connect(directory / "glewlwyd.db")
        database.executescript(TABLES.read_text())
        database.close()
        (directory / "settings").write_text(SETTINGS.format(port=self.port, url=self.url, directory=directory))
        self.process = None

    def start(self):
        # It ends with this process, even if that is killed.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "glewlwyd", "--config-file", str(self.directory / "settings")])
        eventually(self.answers)

    def answers(self):
        assert self.process.poll() is None, (self.directory / "log").read_text()
        try:
            return requests.get(self.url + "/config", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            finally:
                self.process.kill()

    def ask(self, session, method, path, **members):
        answer = session.request(method, f"{self.url}/api/{path}", json=members, timeout=30)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"

    def prepare(self):
        """Adds the issuer, its scopes and Ann as the administrator whom Debian's tables contain."""
        self.admin = requests.Session()
        self.ask(self.admin, "POST", "auth/", username="admin", password="password")
        users = self.admin.get(self.url + "/api/mod/user/database", timeout=30).json()
        users["parameters"]["data-format"]["email_verified"] = {"multiple": False, "read": True, "write": True}
        self.ask(self.admin, "PUT", "mod/user/database", **users)
        self.ask(self.admin, "PUT", "mod/user/database/reset")
        verified = {"name": "email_verified", "user-property": "email_verified", "scope": ["email"],
                    "type": "boolean", "boolean-value-true": "yes", "boolean-value-false": "no"}
        self.ask(self.admin, "POST", "mod/plugin/", module="oidc", name="oidc", display_name="Staff", parameters={
            "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": pem(RSA_KEYS[0]),
            "cert": public_pem(RSA_KEYS[0]), "jwks-show": True, "allowed-scope": ["openid", "profile", "email"],
            "code-duration": 600, "access-token-duration": 600, "refresh-token-duration": 600,
            "auth-type-code-enabled": True, "auth-type-implicit-enabled": True, "auth-type-password-enabled": False,
            "auth-type-client-enabled": False, "auth-type-refresh-enabled": False,
            "pkce-allowed": True, "pkce-required": True, "claims": [verified],
            "name-claim": "on-demand", "name-claim-scope": ["profile"],
            "email-claim": "on-demand", "email-claim-scope": ["email"]})
        for scope in ["profile", "email"]:
            self.ask(self.admin, "POST", "scope/", name=scope, display_name=scope)
        self.ask(self.admin, "POST", "user/", username="ann", password=PASSWORD, name="Ann of the staff",
                 email="ann@example.org", email_verified="yes", scope=["openid", "profile", "email"])

    def add_client(self, name, redirect):
        self.ask(self.admin, "POST", "client/", client_id=name, confidential=True, password=SECRET,
                 redirect_uri=[redirect], authorization_type=["code", "id_token"],
                 token_endpoint_auth_method=["client_secret_post"])

    def log_in(self, browser, page):
        """Does what glewlwyd's page of login does for Ann; returns the address to which the browser is sent then."""
        answer = browser.get(page, allow_redirects=False, timeout=30)
        assert answer.status_code == 302, answer.text
        assert answer.headers["Location"].startswith(self.url + "/login.html?")
        asked = parameters(answer.headers["Location"])
        self.ask(browser, "POST", "auth/", username="ann", password=PASSWORD)
        self.ask(browser, "PUT", f"auth/grant/{asked['client_id']}", scope=asked["scope"])
        answer = browser.get(asked["callback_url"] + "&g_continue", allow_redirects=False, timeout=30)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def authorize(self, app, **changed):
        """Logs Ann in for the library of a phone; returns the address to which the browser is sent."""
        query = {"client_id": app.id, "redirect_uri": app.callback, "scope": "openid profile email", **changed}
        return self.log_in(requests.Session(), f"{self.issuer}/auth?{urlencode(query)}")

    def token(self, app, nonce):
        return parameters(self.authorize(app, response_type="id_token", nonce=nonce), "fragment")["id_token"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("glewlwyd") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield site
    site.stop()


@pytest.fixture(scope="module")
def glewlwyd(tmp_path_factory):
    glewlwyd = Glewlwyd(tmp_path_factory.mktemp("glewlwyd"))
    try:
        glewlwyd.start()
        glewlwyd.prepare()
        yield glewlwyd
    finally:
        glewlwyd.stop()


@pytest.fixture
def app(site, glewlwyd):
    app = App(site)
    app.callback = f"{app.url}/login/staff/callback"
    glewlwyd.add_client(app.id, app.callback)
    app.declare({"staff": {
        "kind": "oidc", "issuer": glewlwyd.issuer, "client_id": app.id, "client_secret": SECRET}})
    return app


def profile(app, login):
    answer = requests.get(f"{app.url}/users/{login['name']}", timeout=30,
                          headers={"Authorization": "Bearer " + login["access_token"]})
    return answer.json()["profile"]


ANN = {"display_name": "Ann of the staff", "email": "ann@example.org", "email_verified": True}


def test_login_in_the_browser(site, glewlwyd, app):
    browser, verifier, page = app.begin("staff")
    assert page.status_code == 302 and page.headers["Location"].startswith(glewlwyd.issuer + "/auth?")
    answer = app.finish(browser, glewlwyd.log_in(browser, page.headers["Location"]))
    assert answer["state"] == "mine"
    login = app.log_in("staff", code=answer["code"], code_verifier=verifier)
    assert login.status_code == 200, login.text
    assert profile(app, login.json()) == ANN
    works(site, login.json())
    # The next login is that of the same account.
    assert app.name("staff", id_token=glewlwyd.token(app, "n"), nonce="n") == login.json()["name"]


def test_login_with_an_id_token_and_its_nonce(glewlwyd, app):
    nonce = secrets.token_urlsafe(16)
    token = glewlwyd.token(app, nonce)
    assert error(app.log_in("staff", id_token=token, nonce="another")) == (401, "login_refused")
    assert error(app.log_in("staff", id_token=token)) == (401, "login_refused")
    login = app.log_in("staff", id_token=token, nonce=nonce)
    assert login.status_code == 200, login.text
    subject = jwt.decode(token, options={"verify_signature": False})["sub"]
    assert login.json()["name"] == f"staff-{subject}" and profile(app, login.json()) == ANN


def test_while_the_issuer_is_stopped_only_id_tokens_log_in(glewlwyd, app):
    name = app.name("staff", id_token=glewlwyd.token(app, "first"), nonce="first")
    token, verifier = glewlwyd.token(app, "second"), secrets.token_urlsafe(48)
    code = parameters(glewlwyd.authorize(
        app, response_type="code", nonce="third", code_challenge=challenge(verifier),
        code_challenge_method="S256"))["code"]
    proof = {"code": code, "redirect_uri": app.callback, "code_verifier": verifier, "nonce": "third"}
    browser, _, page = app.begin("staff")
    back = glewlwyd.log_in(browser, page.headers["Location"])
    glewlwyd.stop()
    try:
        answer = app.log_in("staff", **proof)
        assert error(answer) == (503, "provider_unavailable") and int(answer.headers["Retry-After"]) > 0
        assert app.finish(browser, back)["error"] == "provider_unavailable"
        # The keys are in memory.
        assert app.name("staff", id_token=token, nonce="second") == name
    finally:
        glewlwyd.start()
    # The code was not used.
    assert app.name("staff", **proof) == name
