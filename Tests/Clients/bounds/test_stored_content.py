"""Content that users stored is never run by a browser with the origin of the server."""

import re

import pytest
import requests

import browser as browsers
from conftest import ADMIN, Server

# A file of each type that a browser may run. Each of them, if it ran with the server's origin, would set a mark.
MARK = "document.documentElement.dataset.ran = 'yes'; try { parent.document.documentElement.dataset.ran = 'yes' } catch (e) {}"
ACTIVE = {
    "page.html": ("text/html", f"<!doctype html><title>page</title><script>{MARK}</script><script src='script.js'></script>"),
    "page.xhtml": ("application/xhtml+xml", f"<html xmlns='http://www.w3.org/1999/xhtml'><body><script>{MARK}</script></body></html>"),
    "picture.svg": ("image/svg+xml", f"<svg xmlns='http://www.w3.org/2000/svg'><script>{MARK}</script></svg>"),
    "page.xml": ("text/xml", f"<x xmlns:h='http://www.w3.org/1999/xhtml'><h:script>{MARK}</h:script></x>"),
    "script.js": ("text/javascript", MARK),
    "old.js": ("application/x-javascript", MARK),
    "module.mjs": ("application/javascript", MARK),
    "style.css": ("text/css", "html { --ran: yes }"),
    "worker.js": ("text/javascript", "self.postMessage('ran')"),
    "untyped": ("application/octet-stream", f"<script>{MARK}</script>"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    server = Server(folder / "data", arguments=["--objects"])
    server.json("PUT", "/site")
    server.json("PUT", "/site/_security", json={"members": {"names": ["bob"], "roles": []}, "admins": {"names": [], "roles": []}})
    server.json("PUT", "/_users/org.couchdb.user:bob", json={
        "name": "bob", "password": "bobs password", "roles": [], "type": "user"})
    bob = requests.Session()
    bob.auth = ("bob", "bobs password")
    revision = bob.put(f"{server.url}/site/files", json={}, timeout=30).json()["rev"]
    for name, (kind, text) in ACTIVE.items():
        answer = bob.put(f"{server.url}/site/files/{name}", params={"rev": revision}, data=text.encode(),
                         headers={"Content-Type": kind}, timeout=30)
        assert answer.status_code == 201, answer.text
        revision = answer.json()["rev"]
    server.json("PUT", "/site/_design/d", json={
        "shows": {kind: "function (doc, req) { return { body: %s, headers: { 'Content-Type': '%s', "
                        "'X-Content-Type-Options': 'x', 'Content-Security-Policy': 'script-src *' } } }" % (repr(text), ACTIVE[name][0])
                  for kind, name, text in [("html", "page.html", ACTIVE["page.html"][1]), ("js", "script.js", MARK)]}})
    browser = browsers.chromium()
    browser.get(server.url + "/_utils")
    browsers.until(browser, lambda: browser.find_elements("css selector", "form"))
    # The browser has a session of an administrator, as a visitor of a hostile page would.
    assert browser.execute_async_script("""
        const done = arguments[0]
        fetch('/_session', { method: 'POST', headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'admin', password: 'secret' }) }).then(a => done(a.status))""") == 200
    yield server, browser
    browser.quit()
    server.stop()


def stored(server):
    return [f"/site/files/{name}" for name in ACTIVE] + ["/site/_design/d/_show/html", "/site/_design/d/_show/js"]


def test_each_stored_file_has_the_headers_of_stored_content(world):
    server, _ = world
    for path in stored(server):
        for auth in (ADMIN, ("bob", "bobs password")):
            answer = requests.get(server.url + path, auth=auth, timeout=30)
            assert answer.status_code == 200, path
            assert answer.headers["Content-Security-Policy"].startswith("sandbox"), path
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            if "/_show/" not in path:
                assert answer.headers["Cross-Origin-Resource-Policy"] == "same-site", path
        for destination in ("script", "style", "worker", "sharedworker", "serviceworker", "xslt"):
            headers = {"Sec-Fetch-Dest": destination, "Sec-Fetch-Site": "same-origin"}
            refused = requests.get(server.url + path, auth=ADMIN, headers=headers, timeout=30)
            assert refused.status_code == 403, path
        headers = {"Sec-Fetch-Dest": "script", "Sec-Fetch-Site": "cross-site"}
        assert requests.get(server.url + path, auth=ADMIN, headers=headers, timeout=30).status_code == 200


def test_a_cache_does_not_answer_for_another_purpose(world):
    server, _ = world
    assert "Sec-Fetch-Dest" in requests.get(server.url + "/site/files/script.js", auth=ADMIN, timeout=30).headers["Vary"]


def test_no_stored_page_runs_a_script_when_it_is_opened(world):
    server, browser = world
    for path in stored(server):
        browser.get(server.url + path)
        assert browser.execute_script("return document.documentElement.dataset && document.documentElement.dataset.ran || null") is None, path


def test_a_page_of_the_server_runs_no_stored_script_even_if_it_names_one(world):
    server, browser = world
    for page in ("/_utils", "/"):
        browser.get(server.url + page)
        for path in stored(server):
            ran = browser.execute_async_script("""
                const [path, done] = arguments
                delete document.documentElement.dataset.ran
                const attempts = []
                const loaded = element => new Promise(resolve => { element.onload = () => resolve('load'); element.onerror = () => resolve('error');
                  (document.head || document.documentElement).append(element) })
                const make = (tag, members) => Object.assign(document.createElement(tag), members)
                attempts.push(loaded(make('script', { src: path })))
                attempts.push(loaded(make('script', { src: path, type: 'module' })))
                attempts.push(loaded(make('link', { href: path, rel: 'stylesheet' })))
                attempts.push(import(path).catch(() => 'error'))
                attempts.push(new Promise(resolve => { try {
                  const worker = new Worker(path); worker.onmessage = () => { document.documentElement.dataset.ran = 'worker'; resolve() }
                  worker.onerror = resolve; setTimeout(resolve, 500) } catch (e) { resolve() } }))
                attempts.push(isSecureContext && origin !== 'null' ? navigator.serviceWorker.register(path).then(() => { document.documentElement.dataset.ran = 'service' }, () => {}) : null)
                Promise.all(attempts).then(() => done([document.documentElement.dataset.ran || null,
                  getComputedStyle(document.documentElement).getPropertyValue('--ran')]))""", path)
            assert ran[0] is None and ran[1].strip() == "", (page, path)


def test_markup_in_a_page_of_the_server_runs_no_script(world):
    """If markup ever escaped its escaping, its scripts would lack the nonce, which is new in each response."""
    server, browser = world
    policies = {requests.get(server.url + "/_utils", timeout=30).headers["Content-Security-Policy"] for _ in range(3)}
    nonces = {re.search(r"script-src 'nonce-([\w-]{20,})' 'strict-dynamic'", policy)[1] for policy in policies}
    assert len(nonces) == 3 and all("script-src 'self'" not in policy and "unsafe" not in policy for policy in policies)
    browser.get(server.url + "/_utils")
    for markup in ("<script>%s</script>" % MARK, "<script src='/site/files/script.js'></script>", "<img src=x onerror=\"%s\">" % MARK,
                   "<iframe srcdoc=\"<script>parent.document.documentElement.dataset.ran='yes'</script>\"></iframe>"):
        browser.execute_script("document.write(arguments[0])", markup)
        assert browser.execute_script("return document.documentElement.dataset.ran || null") is None, markup


@pytest.mark.parametrize("path,body,kind", [
    ("/_node/_local/_config/_reload", None, None), ("/site/_sync_shards", None, None),
    ("/site/_design/d/_update/u", "x=1", "application/x-www-form-urlencoded"),
    ("/site/files", "x", "multipart/form-data; boundary=x"), ("/_session", "name=a&password=b", "application/x-www-form-urlencoded"),
])
def test_no_page_of_another_site_sends_what_changes_something(world, path, body, kind):
    server, _ = world
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:1"},
                    {"Origin": "https://evil.example"}, {"Origin": "null"}):
        headers = {**headers, **({"Content-Type": kind} if kind else {})}
        answer = requests.post(server.url + path, data=body, headers=headers, auth=ADMIN, timeout=30)
        # 415 is the answer of a route that takes only JSON.
        assert answer.status_code in (403, 415), (path, headers, answer.status_code)
