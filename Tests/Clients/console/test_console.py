"""The web console in Chromium: login, overview, databases, keys, roles; sizes of windows, light and dark."""

import pytest
import requests
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import Server
from consoles import NAMELESS, OVERFLOW, chromium, console  # noqa: F401

@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("console") / "data")
    server.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "type": "user", "roles": [], "password": "a long password"})
    for number in range(120):
        server.json("PUT", f"/many-{number:03}")
    server.json("PUT", "/trips")
    for number in range(3):
        server.json("PUT", f"/trips/trip-{number}", json={"type": "trip", "km": number, "driver": "<script>alert(1)</script>"})
    server.json("PUT", "/trips/_security", json={"members": {"names": ["mia"], "roles": []}})
    yield server
    server.stop()


def test_an_administrator_begins_with_the_overview(console, server):
    console.browser.get(server.url)
    console.log_in(password="wrong")
    console.until(lambda: console.one(".refusal").text == "Wrong name or password.")
    console.complaints()
    console.log_in()
    console.until(lambda: console.heading() == "Overview")
    figures = console.until(lambda: len(console.all("#cards .figure")) == 8 and [e.text for e in console.all("#cards .figure")])
    assert figures[0] == "0.1.0" and "MB" in figures[4]
    console.until(lambda: console.all("#cards .figure")[2].text.endswith(" ms"))
    sizes = console.browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.encodedBodySize)")
    assert sum(sizes) < 300_000
    urls = console.browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert all(url.startswith((server.url, "data:")) for url in urls), urls
    assert console.browser.title == "Overview · Godwit" and console.complaints() == []


def test_databases_are_found_created_and_deleted(console, server):
    console.enter("databases")
    console.until(lambda: len(console.all(".data-table tbody tr")) == 50)
    console.button("Show more").click()
    console.until(lambda: len(console.all(".data-table tbody tr")) == 100)
    search = console.one("[data-search]")
    console.browser.find_element(By.TAG_NAME, "h1").click()
    console.one("body").send_keys("/")
    assert console.browser.switch_to.active_element == search
    search.send_keys("trip")
    console.until(lambda: [row.text.split()[0] for row in console.all(".data-table tbody tr")] == ["trips"])
    console.button("Create a database").click()
    name = console.one("dialog input")
    name.send_keys("New", Keys.ENTER)
    console.until(lambda: "ame" in console.one("dialog .refusal").text)
    name.clear()
    name.send_keys("new/one", Keys.ENTER)
    console.until(lambda: console.heading().startswith("new/one"))
    assert "new/one" in server.json("GET", "/_all_dbs")
    console.open("databases")
    console.one("[data-search]").send_keys("new")
    console.until(lambda: [row.text.split()[0] for row in console.all(".data-table tbody tr")] == ["new/one"])
    console.button("Delete new/one").click()
    submit = console.one("dialog .danger")
    assert not submit.is_enabled()
    console.one("dialog input").send_keys("new/one")
    assert submit.is_enabled()
    submit.click()
    console.until(lambda: "new/one" not in server.json("GET", "/_all_dbs"))
    console.until(lambda: "new/one was deleted." in console.one("#toasts").text)


def test_a_member_sees_what_a_member_may(console, server):
    console.enter("databases", name="mia", password="a long password")
    links = [link.text for link in console.all("#menu a")]
    assert links == ["Databases", "Queries", "Changes"]
    assert not [b for b in console.all("button") if b.text in ("Create a database", "Delete", "Compact")]
    console.one("[data-search]").send_keys("trips", Keys.ENTER)
    console.until(lambda: console.heading().startswith("trips"))
    console.until(lambda: "trip-2" in console.text())
    assert console.complaints() == []


def test_who_may_only_read_sees_no_button_that_writes(console, server):
    server.json("PUT", "/_users/org.couchdb.user:rea", json={"name": "rea", "type": "user", "roles": [], "password": "a long password"})
    server.json("PUT", "/read")
    server.json("PUT", "/read/doc", json={"n": 1})
    server.json("PUT", "/_api/v2/db/read/_security", json={"cloudant": {"rea": ["_reader"]}})
    console.enter("database/read", name="rea", password="a long password")
    console.until(lambda: "doc" in console.text())
    words = {element.text for element in console.all("main button, main a") if element.is_displayed()}
    assert not words & {"New document", "Import", "Compact", "Delete", "Change a field of all"}, words
    console.visit("document/read/doc")
    console.until(lambda: console.all(".CodeMirror-line, textarea"))
    words = {element.text for element in console.all("main button, main a") if element.is_displayed()}
    assert not words & {"Save", "Delete", "Duplicate", "Purge"}, words
    assert console.complaints() == []


def test_keys(console):
    console.enter()
    console.one("body").send_keys("?")
    console.until(lambda: "Go to the databases" in console.one("dialog").text)
    console.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    console.until(lambda: not console.all("dialog"))
    console.one("body").send_keys("g")
    console.one("body").send_keys("d")
    console.until(lambda: console.heading() == "Databases")


def test_the_page_of_a_module_gets_the_parts_after_its_name(console):
    console.enter()
    # A page that uses the parts of its address takes the place of a module's.
    console.browser.execute_async_script("""
        const done = arguments[0]
        import('/_utils/api.js').then(api => {
            api.session.pages.push({ id: 'weather', title: 'Weather', script: '/_utils/pages/security.js' })
            location.hash = '#/x/weather/keys'
            done()
        })""")
    console.until(lambda: console.heading() == "Security" and "Make a key" in console.text())


def test_a_session_that_ended_leads_to_the_login(console, server):
    console.enter("databases")
    console.browser.delete_all_cookies()
    console.one("[data-search]").send_keys("x")
    console.until(lambda: console.all(".refusal") and console.all(".refusal")[0].text == "Your session has ended. Log in again.")
    console.log_in()
    console.until(lambda: console.heading() == "Databases")
    console.button("Log out").click()
    console.until(lambda: console.all("form.login"))
    assert not [c for c in console.browser.get_cookies() if c["name"] == "GodwitConsole" and c["value"]]


PAGES = ["", "databases", "database/trips", "document/trips/trip-1", "queries", "changes", "replications", "applications", "security", "security/users", "settings", "log"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (2560, 1440)], ids=lambda size: str(size[0]))
def test_each_page_fits_its_window_and_can_be_read(console, size, scheme):
    browsers.resize(console.browser, *size)
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    console.open()
    console.log_in()
    for page in PAGES:
        console.browser.execute_script("location.hash = arguments[0]", f"#/{page}")
        console.until(lambda: console.all(".page h1") and not console.all(".page .state[role=status]"))
        assert console.browser.execute_script(OVERFLOW) <= 0, page
        assert console.browser.execute_script(NAMELESS) == [], page
        assert not console.all(".state-error"), page
        browsers.picture(console.browser, f"console-{page.replace('/', '-') or 'overview'}-{scheme}")
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert console.complaints() == []


def test_no_page_of_another_site_can_show_the_console_or_use_its_session(console, server):
    page = requests.get(server.url + "/_utils", timeout=30)
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    console.enter()
    # A request that the page of another origin could send: without the header, and with the cookie.
    answer = console.browser.execute_async_script("""
        const done = arguments[0]
        fetch('/trips', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }).then(a => done(a.status))""")
    assert answer == 403
