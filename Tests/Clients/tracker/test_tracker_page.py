"""The Location Tracker's map in a browser: a user's own locations, all locations for an analyst, live, by keyboard too."""

import time

import pytest
import requests
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import browser as browsers
from test_demo import Demo, key

PIN = ".pin-location"
# Places of the example are within the circle around it.
AT = [-122.03, 37.33]

SEEN = """
const map = document.querySelector('.leaflet-container').getBoundingClientRect();
const inside = element => {
    const box = element.getBoundingClientRect();
    return box.left >= map.left && box.right <= map.right && box.top >= map.top && box.bottom <= map.bottom;
};
const pins = [...document.querySelectorAll('.pin-location')];
const circle = document.querySelector('path.radius');
return {
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    map: [map.width, map.height], pins: pins.length, pinsOutside: pins.filter(pin => !inside(pin)).length,
    owners: [...new Set(pins.map(pin => pin.dataset.owner))].sort(),
    places: [...document.querySelectorAll('.pin-place')].reduce((sum, place) => sum + Number(place.dataset.count), 0),
    metres: circle && Number(circle.dataset.metres),
    circles: [...document.querySelectorAll('path.radius')].filter(inside).length,
    lines: document.querySelectorAll('path.journey-line').length, text: document.body.innerText,
    hosts: [...new Set(performance.getEntriesByType('resource').map(entry => new URL(entry.name).host))],
};
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo"))
    yield demo
    demo.stop()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    chromium = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    yield chromium
    chromium.quit()


class Page:
    def __init__(self, browser, demo):
        self.browser, self.demo = browser, demo

    def __getitem__(self, name):
        return self.browser.find_element(By.ID, name)

    def until(self, condition):
        # The page may draw again while it is read.
        return browsers.until(
            self.browser, condition, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])

    def open(self):
        self.browser.get(self.demo.url + "/tracker")

    def log_in(self, name, *, analyst=False, password=None):
        self.until(self["login"].is_displayed)
        if analyst:
            self["as-analyst"].click()
        self["name"].clear()
        self["name"].send_keys(name)
        self["password"].send_keys(password or self.demo.logins[name], Keys.ENTER)

    def enter(self, name, **options):
        self.open()
        self.log_in(name, **options)
        self.ready(name)

    def ready(self, name):
        self.until(lambda: self.browser.execute_script("return document.body.dataset.ready") == name)

    def seen(self):
        return self.browser.execute_script(SEEN)

    def pins(self):
        return len(self.browser.find_elements(By.CSS_SELECTOR, PIN))

    def notices(self):
        return self["notices"].text

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]

    def picture(self, name):
        browsers.picture(self.browser, f"tracker-{name}")


@pytest.fixture(params=browsers.SIZES, ids=lambda size: str(size[0]))
def page(request, chromium, demo):
    browsers.resize(chromium, *request.param)
    chromium.get(demo.url + "/_up")
    chromium.delete_all_cookies()
    page = Page(chromium, demo)
    page.complaints()
    return page


class Traveller:
    """A user whose phone is simulated by this test."""

    number = 0

    def __init__(self, demo):
        Traveller.number += 1
        self.demo, self.name = demo, f"traveller{Traveller.number}"
        answer = requests.put(f"{demo.url}/api/users/{self.name}", json={"password": "on the road"}, timeout=30)
        assert answer.status_code == 201, answer.text
        self.login = requests.post(
            f"{demo.url}/api/login", json={"username": self.name, "password": "on the road"}, timeout=30).json()

    def send(self, count, *, session="a way", start=0):
        now = int(time.time() * 1000)
        documents = [{
            "_id": f"{session}-{i:04}", "type": "Feature", "created_at": now + i * 1000,
            "geometry": {"type": "Point", "coordinates": [AT[0] + i * 0.001, AT[1]]},
            "properties": {"username": self.name, "session_id": session, "timestamp": now, "background": False},
        } for i in range(start, start + count)]
        self.ask("POST", "/_bulk_docs", json={"docs": documents})

    def ask(self, method, path, **options):
        answer = requests.request(
            method, f"{self.demo.url}/{self.login['location_db_name']}{path}",
            auth=(self.login["api_key"], self.login["api_password"]), timeout=30, **options)
        assert answer.ok, answer.text
        return answer.json()


def test_a_user_sees_their_own_locations_the_circle_and_the_places_in_it(page, demo):
    page.enter("ana")
    page.until(lambda: page.seen()["places"])
    seen = page.seen()
    page.picture("user")
    assert (seen["pins"], seen["pinsOutside"], seen["owners"]) == (99, 0, ["ana"])
    assert seen["circles"] == 1 and seen["metres"] == 4023.35 and seen["lines"] == 1
    last = page.browser.execute_script("return JSON.parse(document.querySelector('path.radius').dataset.at)")
    rows = requests.get(
        f"{demo.url}/api/places", timeout=30,
        params={"lat": last[0], "lon": last[1], "radius": 4023.35, "relation": "contains", "nearest": "true"}).json()["rows"]
    assert seen["places"] == len(rows) > 0
    assert "made up" in seen["text"].lower() and "99 locations" in seen["text"]
    assert seen["overflow"] <= 0 and min(seen["map"]) >= 300
    assert seen["hosts"] == [demo.url.removeprefix("http://")]
    assert page.complaints() == []


def test_a_real_trace_is_not_called_made_up(page):
    page.enter("ben")
    seen = page.seen()
    page.picture("real")
    assert seen["pins"] == 17 and seen["owners"] == ["ben"] and "made up" not in seen["text"].lower()


def test_locations_appear_as_they_arrive_and_the_newest_hundred_are_drawn(page, demo):
    traveller = Traveller(demo)
    page.enter(traveller.name, password="on the road")
    assert page.pins() == 0 and "There are no locations yet." in page.notices()
    traveller.send(1)
    page.until(lambda: page.pins() == 1)
    assert page.notices() == ""
    traveller.send(109, start=1)
    page.until(lambda: page.pins() == 100)
    assert "Only the newest 100 of each user are drawn" in page["caption"].text
    traveller.send(2, session="another way", start=200)
    page.until(lambda: page.seen()["lines"] == 2)
    Select(page["journey"]).select_by_visible_text("Another way")
    page.until(lambda: page.pins() == 2)
    document = traveller.ask("GET", "/another way-0200")
    traveller.ask("DELETE", f"/another way-0200?rev={document['_rev']}")
    page.until(lambda: page.pins() == 1)
    page.picture("live")
    assert page.complaints() == []


def test_an_analyst_sees_everybody_live_and_chooses_whom(page, demo):
    page.enter("analyst", analyst=True)
    page.until(lambda: {"ana", "ben"} <= set(page.seen()["owners"]))
    before = page.seen()
    assert "made up" in before["text"].lower() and before["metres"] is None and before["overflow"] <= 0
    page.picture("analyst")
    traveller = Traveller(demo)
    traveller.send(3)
    page.until(lambda: traveller.name in page.seen()["owners"])
    page.until(lambda: page.pins() == before["pins"] + 3)
    page["hide-all"].click()
    page.until(lambda: page.pins() == 0)
    page.browser.find_element(By.CSS_SELECTOR, "li[data-user=ana] input").send_keys(Keys.SPACE)
    page.until(lambda: page.pins() == 99)
    assert page.seen()["owners"] == ["ana"]
    page.browser.find_element(By.CSS_SELECTOR, "li[data-user=ben] input").send_keys(Keys.SPACE)
    page.until(lambda: page.pins() == 116)
    colours = page.browser.execute_script(
        "return ['ana', 'ben'].map(o => getComputedStyle(document.querySelector(`[data-owner=${o}] .pin-body`)).fill)")
    assert colours[0] != colours[1]
    page.picture("chosen")
    assert page.complaints() == []


def names(page):
    """The names of the base map that are on the map."""
    return page.browser.execute_async_script("""
        const done = arguments[arguments.length - 1]
        import('/tracker/map.js').then(map => done(map.baseMap.shownNames().map(name => name.toLowerCase())))""")


def test_nobody_is_logged_in_before_a_map_of_the_world(page):
    page.open()
    page.until(page["login"].is_displayed)
    page.until(lambda: {"algeria", "brazil"} <= set(names(page)))
    page.picture("world")
    assert "antarctica" not in names(page) and page.complaints() == []


def test_who_logs_out_leaves_nothing_and_who_comes_back_is_known(page):
    page.enter("ben")
    page.open()
    page.ready("ben")
    page["logout"].click()
    page.until(page["login"].is_displayed)
    page.picture("login")
    # The map does not stay at their location either.
    assert "croatia" not in names(page)
    assert page.pins() == 0 and page.browser.get_cookie("AuthSession")["value"] == ""
    page.open()
    page.until(page["login"].is_displayed)
    assert page.complaints() == []


def test_a_session_that_ended_leads_back_to_the_login(page, demo):
    traveller = Traveller(demo)
    page.enter(traveller.name, password="on the road")
    traveller.send(1)
    page.until(lambda: page.pins() == 1)
    page.browser.delete_all_cookies()
    traveller.send(1, start=1)
    page.until(page["login"].is_displayed)
    assert "Your session has ended. Log in again." in page.notices() and page.pins() == 0
    page.log_in(traveller.name, password="on the road")
    page.ready(traveller.name)
    page.until(lambda: page.pins() == 2)


def test_what_is_wrong_is_said_in_words(page, demo):
    page.open()
    page.log_in("ana", password="wrong")
    page.until(lambda: "Wrong name or password. An analyst chooses" in page.notices())
    page.log_in("ana", analyst=True)
    page.until(lambda: "Wrong name or password. A user chooses" in page.notices())
    page.picture("refused")


def test_who_is_refused_on_the_wrong_side_is_told_of_the_other(page, demo):
    page.open()
    page.log_in("nobody", password="wrong")
    page.until(lambda: "An analyst chooses “everybody’s (analysts)” above." in page.notices())
    refusal = page.notices()
    page.open()
    page.log_in("analyst")
    # The message does not reveal whether the account exists.
    page.until(lambda: page.notices() == refusal)
    page["as-analyst"].click()
    page["submit"].click()
    page.ready("analyst")
    page["logout"].click()
    page.log_in("ana", analyst=True)
    page.until(lambda: "A user chooses “my own locations” above." in page.notices())
    page["as-user"].click()
    page["submit"].click()
    page.ready("ana")


def test_the_keyboard_goes_from_pin_to_pin(page):
    page.enter("ben")
    first = page.browser.find_element(By.CSS_SELECTOR, f"{PIN}[tabindex='0']")
    first.send_keys(Keys.ARROW_RIGHT)
    assert page.browser.switch_to.active_element.get_attribute("data-number") == "2"
    page.until(lambda: "Location 2 of 17" in page.browser.find_element(By.CSS_SELECTOR, ".leaflet-tooltip").text)
    page.browser.switch_to.active_element.send_keys(Keys.END)
    assert page.browser.switch_to.active_element.get_attribute("data-number") == "17"


def test_the_page_loads_what_is_its_own_and_nothing_else(demo):
    page = requests.get(demo.url + "/tracker", timeout=30)
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "<script>" not in page.text
    for file in ["tracker.css", "start.js", "tracker.js", "map.js", "locator.js", "leaflet/leaflet.js"]:
        assert requests.get(f"{demo.url}/tracker/{file}", timeout=30).status_code == 200
    for file in ["journeys", "places", "index.html", "leaflet/../../../../etc/passwd", "leaflet/%2e%2e%2fx.js"]:
        assert requests.get(f"{demo.url}/tracker/{file}", timeout=30).status_code in (401, 404)


def test_a_user_reads_nothing_through_the_page_that_is_somebody_elses(demo):
    session = requests.Session()
    session.post(
        f"{demo.url}/_apps/locationtracker/login", json={"name": "ben", "password": demo.logins["ben"]}, timeout=30)
    for path in [
            "/lt_locations_all/_changes", "/lt_locations_all/_design/users/_view/newest", "/lt_locations_user_ana/_changes",
            "/lt_users/_all_docs"]:
        assert session.get(demo.url + path, timeout=30).status_code == 403
    assert key(demo, "ben") != key(demo, "ana")
