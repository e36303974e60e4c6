"""The web console in Chromium: login, overview, databases, keys, roles; sizes of windows, light and dark."""

import pytest
import requests
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import Server

# Things that must not be wider than the window, and texts that are not readable for a reader of the screen.
OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"
NAMELESS = """
return [...document.querySelectorAll('button, a[href], input, select, textarea')].filter(e => e.offsetParent)
    .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.length || e.closest('.CodeMirror')))
    .map(e => e.outerHTML)
"""


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


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    chromium = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    yield chromium
    chromium.quit()


class Console:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def until(self, condition):
        return browsers.until(self.browser, condition, ignored_exceptions=[StaleElementReferenceException], poll_frequency=0.1)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.until(lambda: self.all(selector))[0]

    def button(self, text):
        return self.until(lambda: [b for b in self.all("button") if b.text == text or b.get_attribute("aria-label") == text])[0]

    def press(self, text):
        """Presses a button, also one that is drawn again meanwhile."""
        self.until(lambda: self.button(text).click() or True)

    def open(self, page=""):
        self.browser.get(f"{self.server.url}/_utils#/{page}")

    def log_in(self, name="admin", password="secret"):
        self.until(lambda: self.all("form.login"))
        name_field, password_field = self.all("form.login input")
        name_field.clear()
        name_field.send_keys(name)
        password_field.clear()
        password_field.send_keys(password, Keys.ENTER)

    def enter(self, page="", **options):
        self.open(page)
        self.log_in(**options)
        self.until(lambda: self.all(".page h1"))

    def heading(self):
        headings = self.all("h1")
        return headings[0].text if headings else ""

    def text(self):
        return self.one("main").text

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def console(chromium, server):
    browsers.resize(chromium, *browsers.SIZES[0])
    chromium.get(server.url + "/_up")
    chromium.delete_all_cookies()
    console = Console(chromium, server)
    console.complaints()
    return console


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
