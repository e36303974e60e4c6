"""A page of another origin that follows changes, in a browser."""

import functools
import http.server
import threading

import pytest

from browser import chromium, until

PAGE = """<!doctype html><title>Changes</title><ul id="changes"></ul><script>
const base = new URLSearchParams(location.search).get('server');
const show = text => {
    const item = document.createElement('li');
    item.textContent = text;
    document.getElementById('changes').append(item);
};
(async () => {
    const login = await fetch(base + '/_session', {
        method: 'POST', credentials: 'include', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({name: 'reader', password: 'secret'})});
    show('login ' + login.status);
    const session = await (await fetch(base + '/_session', {credentials: 'include'})).json();
    show('name ' + session.userCtx.name);
    const source = new EventSource(
        base + '/page/_changes?feed=eventsource&include_docs=true&heartbeat=500', {withCredentials: true});
    let beats = 0;
    source.addEventListener('heartbeat', () => document.body.dataset.beats = ++beats);
    source.onopen = () => show('open');
    source.onmessage = event => {
        const row = JSON.parse(event.data);
        show(`${row.id} ${row.deleted ? 'deleted' : row.doc.n}`);
    };
})().catch(error => show('failed ' + error));
</script>"""


@pytest.fixture
def page(tmp_path):
    """The address of a page from another server."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


@pytest.fixture
def browser(tmp_path):
    browser = chromium()
    yield browser
    browser.quit()


def items(browser):
    return browser.execute_script("return [...document.querySelectorAll('li')].map(item => item.textContent)")


def test_page_of_another_origin_follows_changes(server, page, browser):
    for section, key, value in [
        ("chttpd", "enable_cors", "true"), ("cors", "origins", page), ("cors", "credentials", "true"),
        ("chttpd_auth", "same_site", "lax"),
    ]:
        server.json("PUT", f"/_node/_local/_config/{section}/{key}", json=value)
    server.json("PUT", "/page")
    server.json("PUT", "/_users/org.couchdb.user:reader", json={
        "name": "reader", "password": "secret", "type": "user", "roles": []})
    server.json("PUT", "/page/_security", json={"members": {"names": ["reader"]}})
    server.json("PUT", "/page/before", json={"n": 0})

    def shows(*expected):
        until(browser, lambda: items(browser)[-len(expected):] == list(expected), f"{expected}: {items(browser)}")

    browser.get(f"{page}/?server={server.url}")
    shows("login 200", "name reader", "open", "before 0")
    for number in range(1, 6):
        server.json("PUT", f"/page/n{number}", json={"n": number})
        shows(f"n{number} {number}")
    server.json("DELETE", f"/page/before?rev={server.json('GET', '/page/before')['_rev']}")
    shows("before deleted")
    until(browser, lambda: int(browser.execute_script("return document.body.dataset.beats || 0")))
    # The server restarts: the browser sends the id of the last event, and misses no change.
    count = len(items(browser))
    server.kill()
    server.start()
    server.json("PUT", "/page/later", json={"n": "later"})
    shows("open", "later later")
    assert len(items(browser)) == count + 2, "nothing is shown twice"


def test_page_that_is_not_allowed_sees_nothing(server, page, browser):
    server.json("PUT", "/_node/_local/_config/chttpd/enable_cors", json="true")
    server.json("PUT", "/_node/_local/_config/cors/origins", json="http://elsewhere.example")
    browser.get(f"{page}/?server={server.url}")
    until(browser, lambda: any(item.startswith("failed") for item in items(browser)))
