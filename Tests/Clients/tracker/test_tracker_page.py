"""The Location Tracker's map in a browser: a user's own locations, all locations for an analyst, live, by keyboard too."""

import time

import pytest
import requests
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import accessibility
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
const count = icons => icons.reduce((sum, icon) => sum + Number(icon.dataset.count), 0);
const circle = document.querySelector('path.radius');
return {
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    map: [map.width, map.height], pins: count(pins), pinsOutside: pins.filter(pin => !inside(pin)).length,
    owners: [...new Set(pins.flatMap(pin => JSON.parse(pin.dataset.owners)))].sort(),
    places: count([...document.querySelectorAll('.pin-place')]),
    metres: circle && Number(circle.dataset.metres),
    circles: [...document.querySelectorAll('path.radius')].filter(inside).length,
    lines: document.querySelectorAll('path.journey-line').length, text: document.body.innerText,
    hosts: [...new Set(performance.getEntriesByType('resource').map(entry => new URL(entry.name).host))],
};
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo"), "--still")
    yield demo
    demo.stop()


@pytest.fixture(scope="module")
def chromium():
    chromium = browsers.chromium()
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

    def log_in(self, name, *, password=None):
        self.until(self["login"].is_displayed)
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
        return self.seen()["pins"]

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
    page.enter("analyst")
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


def test_an_analyst_goes_to_a_user_by_name(page, demo):
    traveller = Traveller(demo)
    traveller.send(3)
    page.enter("analyst")
    page.until(lambda: traveller.name in page.seen()["owners"])
    page.browser.find_element(By.CSS_SELECTOR, "li[data-user=ben] .user-go").click()
    page.until(lambda: page.seen()["pinsOutside"] > 0 and inside(page, "ben"))
    page.picture("gone-to-ben")
    # A user who is hidden is shown, and typing a name finds it.
    page["hide-all"].click()
    page["user-name"].send_keys(traveller.name[:-1])
    suggested = "return [...document.querySelectorAll('#user-matches option')].map(option => option.value)"
    page.until(lambda: traveller.name in page.browser.execute_script(suggested))
    page["user-name"].send_keys(traveller.name[-1], Keys.ENTER)
    page.until(lambda: page.seen()["owners"] == [traveller.name] and inside(page, traveller.name))
    page["user-name"].clear()
    page["user-name"].send_keys("nobody", Keys.ENTER)
    page.until(lambda: "There are no locations of nobody." in page.notices())
    assert page.complaints() == []


def inside(page, owner):
    return page.browser.execute_script(INSIDE, owner)


INSIDE = """
const map = document.querySelector('.leaflet-container').getBoundingClientRect();
const pins = [...document.querySelectorAll('.pin-location')].filter(pin => pin.dataset.owner === arguments[0]);
return pins.length > 0 && pins.every(pin => {
    const box = pin.getBoundingClientRect();
    return box.left >= map.left && box.right <= map.right && box.top >= map.top && box.bottom <= map.bottom;
});
"""

# The pins whose visible middle is covered by another pin, and those that are smaller than a finger needs.
FINGERS = """
const bodies = [...document.querySelectorAll('.pin .pin-body')];
const heads = bodies.map(body => {
    const box = body.getBoundingClientRect(), round = body.tagName === 'circle';
    return { body, x: box.left + box.width / 2, y: round ? box.top + box.height / 2 : box.top + box.width / 2, width: box.width };
});
return {
    small: heads.filter(head => head.width < 24).length,
    close: heads.filter((head, i) => heads.some((other, j) => j < i && kind(head) === kind(other) &&
        Math.hypot(head.x - other.x, head.y - other.y) < 24)).length,
    wrong: heads.filter(head => {
        const top = document.elementFromPoint(head.x, head.y);
        return !top || !top.closest('.pin, .leaflet-control');
    }).length,
};
function kind(head) { return head.body.closest('.pin').className.match(/pin-(place|last|location)/)[1] }
"""


def test_pins_are_large_enough_for_a_finger_and_groups_open(page):
    page.enter("ana")
    page.until(lambda: page.seen()["places"])
    assert page.browser.execute_script(FINGERS) == {"small": 0, "close": 0, "wrong": 0}
    before = len(page.browser.find_elements(By.CSS_SELECTOR, PIN))
    assert before < 99
    # A click on a group shows its locations apart; the focus of the keyboard stays at them.
    group = page.browser.find_elements(By.CSS_SELECTOR, ".pin-many")[0]
    location = group.get_attribute("data-location")
    page.browser.execute_script("arguments[0].focus()", group)
    page.browser.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.browser.switch_to.active_element.get_attribute("data-count") == "1")
    assert page.browser.switch_to.active_element.get_attribute("data-location") == location
    assert page.seen()["pins"] == 99
    page.picture("apart")


def test_the_pin_under_the_pointer_opens(page):
    page.enter("ana")
    page.until(lambda: page.seen()["places"])
    open_pin(page, ".pin-last")
    # Several places or locations are shown apart, until one is left.
    for kind in [".pin-place", ".pin-location:not(.pin-last)"]:
        for _ in range(10):
            if open_pin(page, kind)["count"] == 1:
                break
        else:
            assert False, kind


def open_pin(page, kind):
    """Clicks at the middle of the first pin of a kind that is not covered there."""
    pin = page.until(lambda: page.browser.execute_script(UNCOVERED, kind))
    page.browser.execute_script("document.activeElement.blur()")
    browsers.click_at(page.browser, pin["x"], pin["y"])
    if pin["count"] == 1 or kind == ".pin-last":
        tip = page.until(lambda: page.browser.find_element(By.CSS_SELECTOR, ".leaflet-tooltip .tip-name").text)
        assert tip in pin["label"], (tip, pin["label"])
    else:
        page.until(lambda: page.browser.execute_script(UNCOVERED, kind) != pin)
    return pin


# The first pin of a kind that is under the pointer at the middle of its head.
UNCOVERED = """
for (const pin of document.querySelectorAll(arguments[0])) {
    const box = pin.querySelector('.pin-body').getBoundingClientRect();
    const x = Math.round(box.left + box.width / 2), y = Math.round(box.top + 13);
    const top = document.elementFromPoint(x, y);
    if (top && top.closest('.pin') === pin) return { x, y, label: pin.getAttribute('aria-label'), count: Number(pin.dataset.count) };
}
return null;
"""


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
    sizes = page.browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.encodedBodySize)")
    assert 60_000 < sum(sizes) < 150_000, sum(sizes)


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
    page.until(lambda: page.notices() == "Wrong name or password.")
    page.picture("refused")
    # The message does not reveal whether the account exists.
    page.open()
    page.log_in("nobody", password="wrong")
    page.until(lambda: page.notices() == "Wrong name or password.")


def test_the_role_decides_what_is_shown(page, demo):
    page.open()
    page.log_in("analyst")
    page.ready("analyst")
    assert page["who"].text.startswith("analyst everybody’s locations")
    page["logout"].click()
    page.log_in("ana")
    page.ready("ana")
    assert page["who"].text.startswith("ana your own locations")


def test_the_focus_is_where_a_reader_expects_it(page):
    def focused():
        return page.browser.switch_to.active_element.get_attribute("id")

    page.open()
    page.until(lambda: focused() == "name")
    page.log_in("ben")
    page.ready("ben")
    # The page says who is logged in; the Tab key leads to the button.
    page.until(lambda: focused() == "who-is")
    page.browser.switch_to.active_element.send_keys(Keys.TAB)
    assert focused() == "logout"
    page.browser.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: focused() == "password")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_names_and_targets(page, scheme):
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    page.open()
    page.until(page["login"].is_displayed)
    assert accessibility.findings(page.browser) == []
    page.log_in("analyst")
    page.ready("analyst")
    assert accessibility.findings(page.browser) == []
    page.picture(f"analyst-{scheme}")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_keyboard_goes_from_pin_to_pin(page):
    page.enter("ben")
    pins = page.browser.find_elements(By.CSS_SELECTOR, PIN)
    pins[0].send_keys(Keys.ARROW_RIGHT)
    second = page.browser.switch_to.active_element
    assert second.get_attribute("data-location") == pins[1].get_attribute("data-location")
    tip = page.until(lambda: page.browser.find_element(By.CSS_SELECTOR, ".leaflet-tooltip .tip-name").text)
    assert second.get_attribute("aria-label").startswith(tip)
    second.send_keys(Keys.END)
    assert page.browser.switch_to.active_element.get_attribute("data-number") == "17"
    page.until(lambda: "Location 17 of 17" in page.browser.find_element(By.CSS_SELECTOR, ".leaflet-tooltip").text)


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
