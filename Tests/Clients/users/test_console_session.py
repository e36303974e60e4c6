"""The sessions of the web console: a cookie and a token of their own, and who may use the pages."""

import json
import re
import socket

import pytest
import requests

from conftest import ROOT, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("console"))
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"n": 1})
    server.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "type": "user", "roles": [], "password": "a long password"})
    yield server
    server.stop()


def log_in(server, name="admin", password="secret"):
    """A browser with a session of the console, and its token."""
    browser = requests.Session()
    answer = browser.post(server.url + "/_utils/session", json={"name": name, "password": password}, timeout=30)
    assert answer.status_code == 200, answer.text
    return browser, answer.json()["token"]


def test_a_session_has_its_own_strict_cookie(server):
    answer = requests.post(server.url + "/_utils/session", json={"name": "admin", "password": "secret"}, timeout=30)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("GodwitConsole=") and "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    assert answer.headers["Cache-Control"] == "no-store" and answer.json()["roles"] == ["_admin"]
    browser, token = log_in(server)
    known = browser.get(server.url + "/_utils/session", timeout=30).json()
    assert (known["name"], known["token"]) == ("admin", token)
    assert requests.get(server.url + "/_utils/session", timeout=30).json()["name"] is None
    # It is no session of CouchDB's, and no such session is one of the console.
    assert "AuthSession" not in browser.cookies
    couch = requests.Session()
    couch.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=30)
    assert couch.get(server.url + "/_utils/session", timeout=30).json()["name"] is None
    stolen = {"Cookie": "AuthSession=" + browser.cookies["GodwitConsole"]}
    assert requests.get(server.url + "/_all_dbs", headers=stolen, timeout=30).status_code == 401


def test_what_changes_something_needs_the_token(server):
    browser, token = log_in(server)
    assert browser.get(server.url + "/db/a", timeout=30).status_code == 200
    changes = [
        ("PUT", "/other", None), ("DELETE", "/db", None), ("POST", "/db", {"n": 2}), ("POST", "/db/_find", {"selector": {}}),
        ("PUT", "/_node/_local/_config/log/level", "debug"), ("POST", "/_replicate", {"source": "db", "target": "x"})]
    _, foreign = log_in(server, "mia", "a long password")
    for method, path, body in changes:
        for headers in [{}, {"X-Godwit-CSRF": ""}, {"X-Godwit-CSRF": "1"}, {"X-Godwit-CSRF": foreign}]:
            answer = browser.request(method, server.url + path, json=body, headers=headers, timeout=30)
            assert answer.status_code == 403 and "X-Godwit-CSRF" in answer.json()["reason"], (path, headers, answer.text)
    found = browser.post(server.url + "/db/_find", json={"selector": {}}, headers={"X-Godwit-CSRF": token}, timeout=30)
    assert found.status_code == 200 and len(found.json()["docs"]) == 1
    assert server.json("GET", "/_all_dbs") == ["_replicator", "_users", "db"]


def test_a_request_with_the_token_is_never_that_of_another_user(server):
    browser, token = log_in(server, "mia", "a long password")
    # Another page of the server has an administrator's session in the same browser.
    browser.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=30)
    session = browser.get(server.url + "/_session", headers={"X-Godwit-CSRF": token}, timeout=30).json()
    assert session["userCtx"]["name"] == "mia"
    assert browser.get(server.url + "/_session", timeout=30).json()["userCtx"]["name"] == "admin"
    # Without its cookie the token is nothing, and other credentials do not replace it.
    answer = requests.get(server.url + "/db/a", headers={"X-Godwit-CSRF": token}, auth=("admin", "secret"), timeout=30)
    assert answer.status_code == 401 and "ended" in answer.json()["reason"]


def test_a_page_of_another_port_or_subdomain_cannot_use_the_session(server):
    browser, token = log_in(server)
    # The settings allow such pages to read responses; `SameSite` does not tell them apart.
    server.json("PUT", "/_node/_local/_config/chttpd/enable_cors", json="true")
    server.json("PUT", "/_node/_local/_config/cors/origins", json="http://127.0.0.1:3000")
    server.json("PUT", "/_node/_local/_config/cors/credentials", json="true")
    foreign = [{"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://127.0.0.1:3000"}]
    for headers in foreign:
        assert browser.get(server.url + "/_utils/session", headers=headers, timeout=30).json()["name"] is None
        assert browser.get(server.url + "/_all_dbs", headers=headers, timeout=30).status_code == 401
        answer = browser.post(server.url + "/db", json={}, headers={**headers, "X-Godwit-CSRF": token}, timeout=30)
        assert answer.status_code == 401
    for headers in [{"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": server.url}]:
        assert browser.get(server.url + "/_all_dbs", headers=headers, timeout=30).status_code == 200
    server.json("PUT", "/_node/_local/_config/chttpd/enable_cors", json="false")


def test_a_download_is_the_consoles_also_with_another_session(server):
    browser, _ = log_in(server)
    server.json("PUT", "/_users/org.couchdb.user:ann", json={
        "name": "ann", "type": "user", "roles": [], "password": "a long password"})
    browser.post(server.url + "/_session", json={"name": "ann", "password": "a long password"}, timeout=30)
    assert browser.get(server.url + "/db/a", timeout=30).status_code == 403
    assert browser.get(server.url + "/db/a?console=download", timeout=30).status_code == 200
    assert browser.post(server.url + "/db?console=download", json={}, timeout=30).status_code == 403


def test_a_proxy_on_this_machine_needs_the_flag(server):
    for header in ["X-Forwarded-For", "Forwarded", "Via"]:
        answer = requests.get(server.url + "/_utils", headers={header: "192.0.2.1"}, timeout=30)
        assert answer.status_code == 403 and "--console" in answer.json()["reason"]


def test_the_log_is_for_administrators(server):
    browser, token = log_in(server)
    requests.post(server.url + "/_session", json={"name": "admin", "password": "wrong"}, timeout=30)
    answer = browser.get(server.url + "/_utils/log", headers={"X-Godwit-CSRF": token}, timeout=30).json()
    assert any("login" in line["message"] for line in answer["lines"]) and answer["newest"] >= len(answer["lines"])
    assert not [line for line in answer["lines"] if "wrong" in line["details"] or "secret" in line["details"]]
    after = browser.get(f"{server.url}/_utils/log?after={answer['newest']}", headers={"X-Godwit-CSRF": token}, timeout=30).json()
    assert after["lines"] == []
    mia, token = log_in(server, "mia", "a long password")
    assert mia.get(server.url + "/_utils/log", headers={"X-Godwit-CSRF": token}, timeout=30).status_code == 401


def test_a_session_ends_with_the_password_and_with_the_logout(server):
    server.json("PUT", "/_users/org.couchdb.user:tom", json={
        "name": "tom", "type": "user", "roles": [], "password": "a long password"})
    browser, token = log_in(server, "tom", "a long password")
    document = server.json("GET", "/_users/org.couchdb.user:tom")
    server.json("PUT", "/_users/org.couchdb.user:tom", json={**document, "password": "another password"})
    assert browser.get(server.url + "/_session", headers={"X-Godwit-CSRF": token}, timeout=30).status_code == 401
    browser, token = log_in(server)
    answer = browser.delete(server.url + "/_utils/session", timeout=30)
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    assert "GodwitConsole" not in browser.cookies


def test_wrong_logins_are_refused_and_counted(server):
    for body in [{}, {"name": "admin"}, [], {"name": 1, "password": 2}]:
        assert requests.post(server.url + "/_utils/session", json=body, timeout=30).status_code == 400
    names = set()
    for name in ["mia", "nobody-of-this-name"]:
        answer = requests.post(server.url + "/_utils/session", json={"name": name, "password": "wrong"}, timeout=30)
        names.add((answer.status_code, answer.text))
        assert "Set-Cookie" not in answer.headers
    assert len(names) == 1 and names.pop()[0] == 401
    # A web page cannot send JSON to another site without its permission.
    form = requests.post(server.url + "/_utils/session", data={"name": "admin", "password": "secret"}, timeout=30)
    assert form.status_code == 415


def raw(server, *headers, method="GET", path="/_utils"):
    """The status of a request with exactly these headers."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        head = "".join(f"{header}\r\n" for header in headers)
        connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        return int(connection.recv(4096).split()[1])


def test_a_foreign_name_of_this_machine_gets_no_page(server):
    port = server.url.rsplit(":", 1)[1]
    for host in ["localhost", "127.0.0.1", "[::1]"]:
        assert raw(server, f"Host: {host}:{port}") == 200
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example"]:
        for path in ["/_utils", "/_utils/app.js", "/_utils/session"]:
            assert raw(server, f"Host: {host}", path=path) == 403


def test_pages_have_a_strict_policy_and_are_cached(server):
    page = requests.get(server.url + "/_utils", timeout=30)
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert page.headers["X-Frame-Options"] == "DENY" and "<script>" not in page.text and "style=" not in page.text
    for file in ["app.js", "view.js", "console.css", "pages/databases.js"]:
        answer = requests.get(f"{server.url}/_utils/{file}", timeout=30)
        assert answer.status_code == 200 and answer.headers["X-Content-Type-Options"] == "nosniff"
        again = requests.get(f"{server.url}/_utils/{file}", headers={"If-None-Match": answer.headers["ETag"]}, timeout=30)
        assert (again.status_code, again.content) == (304, b"")
    # Each file of the sources is embedded as it is. The page has a nonce for its scripts in addition.
    folder = ROOT / "Sources/C/CPages/Console"
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert len(files) > 40
    for file in files:
        sent = requests.get(f"{server.url}/_utils/{file.relative_to(folder)}", timeout=30).content
        assert re.sub(rb'<script nonce="[\w-]+" ', b"<script ", sent) == file.read_bytes(), file
    for file in ["none.js", "../app.js", "lib/leaflet/../../../etc/passwd", "lib/none/x.js", "lib/codemirror/%2e%2e/x.js"]:
        assert requests.get(f"{server.url}/_utils/{file}", timeout=30).status_code in (400, 401, 404)


def test_a_browser_gets_to_the_console_and_other_clients_to_the_welcome(server):
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Upgrade-Insecure-Requests": "1"}
    answer = requests.get(server.url, headers=browser, allow_redirects=False, timeout=30)
    assert (answer.status_code, answer.headers["Location"], answer.headers["Vary"]) == (302, "/_utils", "Accept")
    for accept in [
            "application/json", "*/*", "application/json, text/html", None,
            # The defaults of Java's HttpURLConnection and of curl with a browser's type.
            "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "text/html"]:
        welcome = requests.get(server.url, headers={"Accept": accept}, timeout=30)
        assert json.loads(welcome.text)["couchdb"] == "Welcome"


@pytest.mark.parametrize("arguments, environment, host, status", [
    (("--no-console",), {}, "localhost", 401), ((), {"GODWIT_CONSOLE": "false"}, "localhost", 401),
    (("--console",), {}, "db.example.org", 200), ((), {"GODWIT_CONSOLE": "true"}, "db.example.org", 200)])
def test_the_console_is_a_choice(tmp_path, arguments, environment, host, status):
    server = Server(tmp_path, arguments=arguments, environment=environment)
    assert raw(server, f"Host: {host}") == status
    assert server.json("GET", "/")["couchdb"] == "Welcome"
    server.stop()
