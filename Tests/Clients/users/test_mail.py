"""Mail of applications, sent to a real SMTP server (`aiosmtpd`), with and without TLS."""

import email
import email.policy
import re
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
import requests
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from selenium.webdriver.common.by import By

import browser as browsers
from applications import soon
from conftest import Server
from issuers import Issuer

USER, PASSWORD = "trips", "smtp password"


class Mailbox:
    """An SMTP server that keeps what it gets; `refusals` are the replies to the next messages."""

    def __init__(self, tls=None, needs_login=False):
        self.messages, self.refusals, self.attempts = [], [], 0
        mailbox = self

        class Handler:
            async def handle_DATA(self, server, session, envelope):
                mailbox.attempts += 1
                if mailbox.refusals:
                    return mailbox.refusals.pop(0)
                message = email.message_from_bytes(envelope.content, policy=email.policy.default)
                mailbox.messages.append((envelope, message, session.ssl is not None))
                return "250 OK"

        def login(server, session, envelope, mechanism, data):
            return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()))

        self.controller = Controller(
            Handler(), hostname="127.0.0.1", port=0, tls_context=tls, require_starttls=tls is not None,
            authenticator=login if needs_login else None, auth_required=needs_login)
        # aiosmtpd cannot say which free port it got before it begins.
        import socket
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.controller.port = free.getsockname()[1]
        self.controller.start()
        self.url = f"smtp://127.0.0.1:{self.controller.port}"

    def next(self):
        """The next message, as its text."""
        found = soon(lambda: self.messages)
        assert found, "no mail came"
        return self.messages.pop(0)[1]

    def token(self):
        return re.search(r"#(\S+)", self.next().get_body(("plain",)).get_content())[1]

    def stop(self):
        self.controller.stop()


@pytest.fixture(scope="module")
def mailbox():
    mailbox = Mailbox()
    yield mailbox
    mailbox.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("mail") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield site
    site.stop()


class App:
    number = 0

    def __init__(self, site, mailbox, **members):
        App.number += 1
        self.site, self.path = site, f"/_apps/mail{App.number}"
        self.url = site.url + self.path
        self.declare(mailbox, **members)

    def declare(self, mailbox, *, mail=None, **members):
        settings = {"server": mailbox.url, "from": "no-reply@example.org", "from_name": "Trips", **(mail or {})}
        self.site.json("PUT", self.path, json={
            "url": self.site.url, "mail": settings, "registrations_per_minute": 1000, **members})

    def post(self, path, **body):
        token = body.pop("token_", None)
        headers = {"Authorization": "Bearer " + token} if token else {}
        return requests.post(f"{self.url}{path}", json=body, headers=headers, timeout=30)

    def register(self, name, address=None, verified_in=None):
        body = {"password": f"{name}'s password", **({"email": address} if address else {})}
        answer = requests.put(f"{self.url}/users/{name}", json=body, timeout=30)
        assert answer.status_code == 201, answer.text
        if verified_in:
            assert self.post("/confirm", token=verified_in.token()).status_code == 200
        return self.post("/login", name=name, password=body["password"]).json()["access_token"]

    def profile(self, name, token):
        answer = requests.get(f"{self.url}/users/{name}", headers={"Authorization": "Bearer " + token}, timeout=30)
        return answer.json()["profile"]


def error(answer):
    return answer.status_code, answer.json()["error"]


def test_an_address_is_verified_by_the_link_of_a_mail(site, mailbox):
    app = App(site, mailbox)
    token = app.register("ann", "ann@example.org")
    message = mailbox.next()
    assert message["From"] == "Trips <no-reply@example.org>" and message["To"] == "ann@example.org"
    assert message["Subject"] == "Confirm your e-mail address"
    plain, html = (message.get_body((kind,)).get_content() for kind in ["plain", "html"])
    link = re.search(r"http\S+", plain)[0]
    assert link.startswith(f"{app.url}/confirm#verification.") and link in html
    assert app.profile("ann", token) == {"email": "ann@example.org", "email_verified": False}
    secret = link.split("#")[1]
    assert error(app.post("/confirm", token=secret + "x")) == (401, "login_refused")
    assert app.post("/confirm", token=secret).status_code == 200
    assert app.profile("ann", token)["email_verified"] is True
    assert error(app.post("/confirm", token=secret)) == (401, "login_refused")
    assert app.post("/login", email="Ann@Example.org", password="ann's password").status_code == 200
    assert app.post("/login", email="ann@example.org", password="wrong").status_code == 401


def test_a_forgotten_password_is_replaced(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    old = app.post("/login", name="ann", password="ann's password").json()
    first = (app.post("/mail/reset", email="ann@example.org"), mailbox.token())[1]
    second = (app.post("/mail/reset", email="ann@example.org"), mailbox.token())[1]
    new = {"new_password": "a longer password"}
    # A link is invalid after a newer one.
    assert error(app.post("/confirm", token=first, **new)) == (401, "login_refused")
    # A password that breaks a rule does not use it up.
    assert error(app.post("/confirm", token=second, new_password="short")) == (400, "invalid_password")
    assert error(app.post("/confirm", token=second)) == (400, "invalid_password")
    assert app.post("/confirm", token=second, **new).status_code == 200
    assert error(app.post("/confirm", token=second, **new)) == (401, "login_refused")
    assert app.post("/login", name="ann", password="ann's password").status_code == 401
    assert app.post("/login", name="ann", password="a longer password").status_code == 200
    # All sessions and the old key end.
    assert app.post("/refresh", refresh_token=old["refresh_token"]).status_code == 401
    key = (old["api_key"], old["api_password"])
    assert requests.get(f"{site.url}/{old['database']}", auth=key, timeout=30).status_code == 401


def test_a_code_logs_in(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    assert app.post("/mail/login", email="ann@example.org").status_code == 202
    code = re.search(r"\d{8}", mailbox.next()["Subject"])[0]
    wrong = {"email": "ann@example.org", "login_code": "00000000" if code != "00000000" else "1"}
    assert app.post("/login", **wrong).status_code == 401
    login = app.post("/login", email="ann@example.org", login_code=code)
    assert login.status_code == 200 and login.json()["name"] == "ann"
    body = login.json()
    key = (body["api_key"], body["api_password"])
    assert requests.get(f"{site.url}/{body['database']}", auth=key, timeout=30).status_code == 200
    assert app.post("/login", email="ann@example.org", login_code=code).status_code == 401


def test_five_wrong_codes_lock_an_address(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    app.post("/mail/login", email="ann@example.org")
    code = re.search(r"\d{8}", mailbox.next()["Subject"])[0]
    wrong = str((int(code) + 1) % 10**8).zfill(8)
    for _ in range(4):
        assert app.post("/login", email="ann@example.org", login_code=wrong).status_code == 401
    # The fifth failure locks the logins with this address for the client.
    assert app.post("/login", email="ann@example.org", login_code=wrong).status_code == 401
    assert app.post("/login", email="ann@example.org", login_code=code).status_code == 403
    # Logins with a password by the address are locked too, whether or not an account has the address.
    assert app.post("/login", email="ann@example.org", password="ann's password").status_code == 403
    for _ in range(5):
        app.post("/login", email="nobody@example.org", login_code=wrong)
    assert app.post("/login", email="nobody@example.org", password="x").status_code == 403


def test_an_address_is_changed_with_the_password_and_the_old_one_is_told(site, mailbox):
    app = App(site, mailbox)
    token = app.register("ann", "ann@example.org", verified_in=mailbox)
    change = {"token_": token, "email": "new@example.org"}
    assert app.post("/mail/change", **change).status_code == 400
    assert app.post("/mail/change", password="wrong", **change).status_code == 401
    assert app.post("/mail/change", password="ann's password", **change).status_code == 202
    secret = mailbox.token()
    assert app.profile("ann", token)["email"] == "ann@example.org"
    assert app.post("/confirm", token=secret).status_code == 200
    assert app.profile("ann", token) == {"email": "new@example.org", "email_verified": True}
    told = mailbox.next()
    assert told["To"] == "ann@example.org" and "new@example.org" in told.get_content()


def test_a_session_alone_changes_no_address(site, mailbox):
    app = App(site, mailbox)
    token = app.register("ann")
    assert app.post("/mail/verification", token_=token, email="thief@example.org").status_code == 400
    wrong = app.post("/mail/verification", token_=token, email="thief@example.org", password="wrong")
    assert wrong.status_code == 401
    right = app.post("/mail/verification", token_=token, email="ann@example.org", password="ann's password")
    assert right.status_code == 202
    assert app.post("/confirm", token=mailbox.token()).status_code == 200


def test_a_new_password_ends_links_that_were_sent_before(site, mailbox):
    app = App(site, mailbox)
    token = app.register("ann", "ann@example.org", verified_in=mailbox)
    app.post("/mail/change", token_=token, email="thief@example.org", password="ann's password")
    prepared = mailbox.token()
    app.post("/mail/reset", email="ann@example.org")
    assert app.post("/confirm", token=mailbox.token(), new_password="a longer password").status_code == 200
    assert error(app.post("/confirm", token=prepared)) == (401, "login_refused")


def test_wrong_tokens_do_not_end_the_right_one(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    app.post("/mail/reset", email="ann@example.org")
    token = mailbox.token()
    for _ in range(8):
        assert app.post("/confirm", token=token[:-3] + "xyz", new_password="a longer password").status_code == 401
    assert app.post("/confirm", token=token, new_password="a longer password").status_code == 200


def test_two_accounts_do_not_verify_one_address(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    app.register("eve", "ann@example.org")
    assert error(app.post("/confirm", token=mailbox.token())) == (409, "address_taken")
    # An unverified address gets no mail that gives access to an account.
    app.register("bob", "bob@example.org")
    mailbox.next()
    app.post("/mail/reset", email="bob@example.org")
    app.post("/mail/login", email="bob@example.org")
    time.sleep(1)
    assert not mailbox.messages


def test_answers_do_not_tell_whether_an_address_is_known(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    for path in ["/mail/reset", "/mail/login"]:
        answers = [app.post(path, email=address) for address in ["ann@example.org", "nobody@example.org"]]
        assert [(answer.status_code, answer.text) for answer in answers] == [(202, '{"ok":true}\n')] * 2
        assert mailbox.next()["To"] == "ann@example.org"
    unknown = [app.post("/login", email=address, **proof) for address in ["ann@example.org", "nobody@example.org"]
               for proof in [{"password": "wrong"}, {"login_code": "1"}]]
    assert len({(answer.status_code, answer.text) for answer in unknown}) == 1
    time.sleep(0.5)
    assert not mailbox.messages


def test_mails_are_limited_by_address_and_by_account(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    statuses = [app.post("/mail/reset", email="ann@example.org").status_code for _ in range(12)]
    # The registration asked for one too.
    assert statuses == [202] * 9 + [429] * 3
    time.sleep(1)
    # Five an hour, with the one that asked to verify.
    assert len(mailbox.messages) == 4
    mailbox.messages.clear()


def test_concurrent_uses_of_a_link_succeed_once(site, mailbox):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org")
    secret = mailbox.token()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: app.post("/confirm", token=secret).status_code, range(8)))
    assert sorted(answers) == [200] + [401] * 7


def test_templates_and_links_are_the_apps(site, mailbox):
    app = App(site, mailbox, mail={
        "links": {"verification": "com.example.trips:/verify?token={{token}}"},
        "templates": {"verification": {
            "subject": "Hallo {{name}}", "text": "{{{link}}} & {{email}}", "html": "<b>{{name}}</b>"}}})
    app.register("a<b>", "ann@example.org")
    message = mailbox.next()
    assert message["Subject"] == "Hallo a<b>"
    assert message.get_body(("plain",)).get_content().startswith("com.example.trips:/verify?token=verification.")
    assert message.get_body(("html",)).get_content().strip() == "<b>a&lt;b&gt;</b>"


def test_a_users_name_is_never_a_link_and_never_markup(site, mailbox):
    app = App(site, mailbox, mail={"templates": {"verification": {
        "subject": "Hallo {{name}}", "text": "{{name}}", "html": "{{{name}}} {{name}} {{{link}}}"}}})
    app.register("www.evil.example \u0600<img src=x>\"\u0301", "ann@example.org")
    message = mailbox.next()
    plain, html = (message.get_body((kind,)).get_content() for kind in ["plain", "html"])
    assert "evil.example" not in message["Subject"] and "www. evil. example" in message["Subject"]
    assert "evil.example" not in plain and "evil.example" not in html
    assert html.count("\u0600&lt;img src=x&gt;&quot;\u0301") == 2 and "<img" not in html


@pytest.mark.parametrize("mail, reason", [
    ({"server": "http://x"}, "mail.server"), ({"server": "smtp://a:b@x"}, "mail.server"), ({"from": "x"}, "mail.from"),
    ({"color": 1}, "unknown member color"), ({"links": {"verification": "https://x"}}, "{{token}}"),
    ({"templates": {"reset": {"subject": "{{#a}}", "text": ""}}}, "template"), ({"templates": {"x": {}}}, "no kind x"),
])
def test_declarations_that_cannot_be(site, mailbox, mail, reason):
    settings = {"server": mailbox.url, "from": "a@example.org", **mail}
    answer = site.request("PUT", "/_apps/wrong", json={"url": site.url, "mail": settings})
    assert error(answer) == (400, "invalid_application") and reason in answer.json()["reason"]


def test_without_mail_the_routes_say_so(site, mailbox):
    site.json("PUT", "/_apps/silent", json={})
    for path in ["/mail/reset", "/mail/login"]:
        answer = requests.post(f"{site.url}/_apps/silent{path}", json={"email": "a@example.org"}, timeout=30)
        assert error(answer) == (501, "mail_not_configured")
    assert error(App(site, mailbox).post("/mail/reset", email="not an address")) == (400, "invalid_address")
    answer = site.request("PUT", "/_apps/nolink", json={"mail": {"server": mailbox.url, "from": "a@example.org"}})
    assert answer.status_code == 400 and "mail needs url" in answer.json()["reason"]


def test_a_provider_does_not_log_in_to_an_account_whose_address_was_not_verified(site, mailbox):
    """Account take-over: the attacker registers the victim's address and waits for the victim's login with a provider."""
    issuer = Issuer()
    app = App(site, mailbox, providers={"corporate": issuer.declaration()})
    app.register("attacker", "ann@example.org")
    mailbox.next()
    login = app.post("/login", provider="corporate", id_token=issuer.token()).json()
    assert login["name"] == "corporate-u1"
    issuer.stop()


def test_the_page_of_a_link_asks_before_it_uses_the_token(site, mailbox, tmp_path):
    app = App(site, mailbox)
    app.register("ann", "ann@example.org", verified_in=mailbox)
    app.post("/mail/reset", email="ann@example.org")
    page = browsers.chromium()
    try:
        page.get(f"{app.url}/confirm#{mailbox.token()}")
        field = lambda name: page.find_element(By.ID, name)
        assert soon(lambda: field("title").text == "Set a new password")
        # The token is in no address any more.
        assert "#" not in page.current_url
        field("new").send_keys("short")
        field("button").click()
        assert soon(lambda: "fewer than 8 characters" in field("message").text)
        field("new").clear()
        field("new").send_keys("a longer password")
        field("button").click()
        assert soon(lambda: field("message").text == "The password is set. Log in with it in the app.")
        # The short password was refused with 400, which the browser logs.
        errors = [line["message"] for line in page.get_log("browser") if line["level"] == "SEVERE"]
        assert all("400" in error for error in errors)
    finally:
        page.quit()
    assert app.post("/login", name="ann", password="a longer password").status_code == 200


def certificate(directory, name):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(timezone.utc)
    import ipaddress
    made = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
            .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name), x509.IPAddress(
                ipaddress.ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256()))
    (directory / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (directory / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(directory / "cert.pem", directory / "key.pem")
    return context


def test_a_server_with_starttls_and_a_login(site, tmp_path):
    mailbox = Mailbox(tls=certificate(tmp_path, "localhost"), needs_login=True)
    mail = {"user": USER, "password": PASSWORD, "ca_file": str(tmp_path / "cert.pem")}
    app = App(site, mailbox, mail=mail)
    assert PASSWORD not in site.request("GET", app.path).text
    app.register("ann", "ann@example.org")
    assert soon(lambda: mailbox.messages) and mailbox.messages[0][2]
    # The stored password remains when a declaration that was read is written back.
    site.json("PUT", app.path, json=site.json("GET", app.path))
    app.register("bob", "bob@example.org")
    assert soon(lambda: len(mailbox.messages) == 2)
    # A server whose certificate cannot be verified gets neither the password nor the message.
    strict = App(site, mailbox, mail={"user": USER, "password": PASSWORD})
    strict.register("eve", "eve@example.org")
    time.sleep(2)
    assert len(mailbox.messages) == 2
    mailbox.stop()


def test_a_mail_that_is_refused_for_now_is_sent_again_and_the_log_has_no_password(tmp_path):
    mailbox = Mailbox()
    site = Server(tmp_path / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    app = App(site, mailbox, mail={"user": "x", "password": "not to be logged"})
    mailbox.refusals = ["451 Try later", "550 No such user"]
    app.declare(mailbox)
    app.register("ann", "ann@example.org")
    assert soon(lambda: mailbox.attempts == 1)
    assert soon(lambda: mailbox.attempts == 2, seconds=20)
    complaints = site.stop()
    assert "refuses the message for now (451)" in complaints and "refuses the message (550)" in complaints
    assert "not to be logged" not in complaints and "ann@example.org" not in complaints
    mailbox.stop()
