"""GeoPix's map and list in Chromium: clusters, the open photo, the time slider, live photos of two devices, and the
list without scripts."""

import urllib.parse

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import eventually
from geopixes import PHOTOS, Device, cloud, png
from geopix_screens import (
    ABSENT, ALPS, CUT, HOSTILE, OFFLINE, SIZES, Pages, Screen, chromium, servers, start, stored)  # noqa: F401

DUNES, VOLCANO = (next(path for path in PHOTOS if name in path.name) for name in ("dunes", "volcano"))
# The number of photos of the list that have no place besides the two of the examples; a page of the list has 24 photos.
MORE = 15

# The pins that are in the map: `[photo, count]`.
PINS = """
const map = document.querySelector('.leaflet-container').getBoundingClientRect()
return Array.from(document.querySelectorAll('.leaflet-photos-pane .pin')).filter(pin => {
    const box = pin.getBoundingClientRect()
    return box.right > map.left && box.left < map.right && box.bottom > map.top && box.top < map.bottom
}).map(pin => [pin.dataset.photo, Number(pin.dataset.count)])
"""
FOCUSED = "return document.activeElement.getAttribute(arguments[0])"


class Map(Pages):
    """The map in a window of Chromium."""

    def open(self, site, part=""):
        self.browser.get(f"{site.url}/map{part}")
        self.until(lambda: self.run("return document.body.dataset.ready") == "yes")
        return self

    def pins(self):
        return self.run(PINS)

    def count(self):
        """The number of photos in view."""
        return sum(count for _, count in self.pins())

    def has(self, id_):
        return id_ in [photo for photo, _ in self.pins()]

    def pin(self, id_):
        return self.one(f'.leaflet-photos-pane [data-photo="{id_}"]')

    def address(self):
        """The photo of the address."""
        return urllib.parse.unquote(self.run("return location.hash").removeprefix("#"))

    def full_is_open(self):
        return self.run("return document.querySelector('dialog.full').open")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server with the examples, of which ten have a place, and more photos without one. No test changes them."""
    folder = tmp_path_factory.mktemp("filled")
    site = cloud(folder)
    device = Device(folder / "device", site.url).register("ann")
    site.ids = {path: device.taken(path, source="file", caption=HOSTILE if path == DUNES else path.stem)
                for path in PHOTOS}
    for number in range(MORE):
        device.taken(png(16, 12), source="file", caption=f"number {number}")
    device.settled()
    device.stop()
    yield site
    site.stop()


@pytest.fixture
def site(servers):  # noqa: F811
    """A server of one test, which is the server of its devices."""
    return servers()


@pytest.fixture
def page(chromium, servers):  # noqa: F811
    page = Map(chromium).reset()
    browsers.resize(chromium, *SIZES[1])
    yield page
    complaints = page.complaints()
    chromium.get("about:blank")
    assert complaints == []


# ---- The map


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_clusters_open_and_the_view_is_fitted_again(page, filled, size):
    browsers.resize(page.browser, *size)
    page.open(filled)
    page.until(lambda: page.count() == 10)
    before = page.pins()
    photo, count = max(before, key=lambda pin: pin[1])
    assert count > 1
    for zoom in (page.pin(photo).click, lambda: page.press("Zoom in")):
        scale = page.one(".leaflet-control-scale").text
        zoom()
        page.until(lambda: page.one(".leaflet-control-scale").text != scale)
        page.until(lambda: max([0, *(number for _, number in page.pins())]) < count)
    page.press("Show all photos")
    page.until(lambda: sorted(page.pins()) == sorted(before))
    assert page.one("#counts").text.startswith("10 photos")
    assert page.one("#base-credit").text


def test_the_pins_by_keyboard(page, filled):
    page.open(filled)
    page.until(lambda: page.count() == 10)
    page.run("document.querySelector('.pin[tabindex=\"0\"]').focus()")
    page.keys(Keys.HOME)
    # The arrow keys lead from the newest photo to each pin.
    pins, known = [page.run(FOCUSED, "data-photo")], {photo for photo, _ in page.pins()}
    for pin in pins:
        for key in (Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN):
            page.run("arguments[0].focus()", page.pin(pin))
            page.keys(key)
            found = page.run(FOCUSED, "data-photo")
            pins += [found] if found not in pins else []
    assert set(pins) == known
    page.run("arguments[0].focus()", page.pin(filled.ids[VOLCANO]))
    page.keys(Keys.ENTER)
    page.says(VOLCANO.stem, "#photo")
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.all("#photo"))
    assert page.run(FOCUSED, "data-photo") == filled.ids[VOLCANO]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_a_photo_opens_with_its_caption_as_text(page, filled, size):
    browsers.resize(page.browser, *size)
    page.open(filled)
    page.until(lambda: page.count() == 10)
    page.pin(filled.ids[DUNES]).click()
    page.says(HOSTILE, "#photo-title")
    assert page.address() == filled.ids[DUNES] and HOSTILE in page.browser.title
    assert page.run("return getComputedStyle(document.querySelector('#photo-title')).direction") == "rtl"
    assert page.run("return document.querySelectorAll('#photo script, img[src=x]').length") == 0
    page.until(lambda: page.run("return document.querySelector('.photo-picture img').naturalWidth") > 320)
    facts = page.one(".photo-facts").text
    assert "24.73490° S, 15.35120° E" in facts and "640 m" in facts and "ann" in facts
    page.press("Full screen")
    page.until(page.full_is_open)
    assert HOSTILE in page.one(".full-caption").text
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.full_is_open())
    assert page.address() == filled.ids[DUNES]
    page.browser.back()
    page.until(lambda: not page.all("#photo"))
    assert page.address() == "" and page.browser.title == "GeoPix: map"


def test_the_buttons_of_an_open_photo_go_through_the_time(page, filled):
    page.open(filled, "#" + urllib.parse.quote(filled.ids[ALPS]))
    page.says(ALPS.stem, "#photo-title")
    ids = [row[0] for row in filled.request("GET", "/photos/map").json()["photos"]]
    place = ids.index(filled.ids[ALPS])
    for index in range(place + 1, len(ids)):
        page.press("Older photo", "#photo button")
        page.until(lambda: page.address() == ids[index])
    page.says("1 of 10", ".photo-position")
    assert page.one('#photo [aria-label="Older photo"]').get_attribute("aria-disabled") == "true"
    for index in range(len(ids) - 2, -1, -1):
        page.keys(Keys.ARROW_RIGHT)
        page.until(lambda: page.address() == ids[index])
    page.says("10 of 10", ".photo-position")


def test_the_address_of_a_photo_opens_it(page, filled):
    page.open(filled, "#" + urllib.parse.quote(filled.ids[ALPS], safe=""))
    page.says(ALPS.stem, "#photo-title")
    assert ALPS.stem in page.browser.title
    # The map shows the place.
    page.until(lambda: page.run("return Boolean(document.querySelector('.leaflet-open-pane .pin'))"))
    page.press("Close", "#photo button")
    page.until(lambda: not page.all("#photo"))
    assert page.address() == ""


def test_the_address_of_no_photo_says_so(page, filled):
    page.expected.append("status of 404")
    page.open(filled, "#ann%3Anothing")
    page.says("There is no such photo: perhaps it was deleted.")
    page.until(lambda: page.address() == "" and page.count() == 10)


def test_the_time_slider_by_keyboard(page, filled):
    page.open(filled)
    page.until(lambda: page.count() == 10)

    def shows(count, text):
        page.until(lambda: page.one("#counts").text.startswith(text), text)
        page.until(lambda: page.count() == count)

    sorts = [row[1] for row in filled.request("GET", "/photos/map").json()["photos"]]
    first, last = min(sorts), max(sorts)
    handle = page.one(".times-from")
    assert [handle.get_attribute(f"aria-{name}") for name in ("label", "valuemin", "valuemax", "valuenow")] == [
        "From", "0", "100", "0"]
    before = handle.get_attribute("aria-valuetext")
    handle.send_keys(Keys.END)
    shows(1, "1 of 10 photos")
    assert handle.get_attribute("aria-valuenow") == "100" and handle.get_attribute("aria-valuetext") != before
    handle.send_keys(Keys.HOME)
    shows(10, "10 photos")
    handle.send_keys(Keys.PAGE_UP, Keys.ARROW_RIGHT)
    later = sum(sort >= first + 0.11 * (last - first) for sort in sorts)
    shows(later, f"{later} of 10 photos")
    page.one(".times-to").send_keys(Keys.ARROW_LEFT)
    both = sum(first + 0.11 * (last - first) <= sort <= first + 0.99 * (last - first) for sort in sorts)
    assert 0 < both < later < 10
    shows(both, f"{both} of 10 photos")
    page.press("All times")
    shows(10, "10 photos")
    assert page.run(FOCUSED, "aria-label") == "From"


def test_the_large_photo_moves_with_the_orientation_unless_motion_is_reduced(page, filled):
    page.turn(beta=0, gamma=0)
    page.open(filled, "#" + urllib.parse.quote(filled.ids[VOLCANO]))
    page.says(VOLCANO.stem, "#photo-title")
    page.press("Full screen", "#photo button")
    page.until(page.full_is_open)
    page.press("Fill the screen")

    def place():
        return page.run("return document.querySelector('.full-background').style.backgroundPosition")

    still = "calc(50% - 0px) calc(50% - 0px)"
    page.until(lambda: place() == still)
    page.tilt(beta=60, gamma=30)
    page.until(lambda: place() == "calc(50% - 5px) calc(50% - 10px)")
    page.media(motion="reduce")
    page.until(lambda: place() == still)
    page.tilt(beta=40, gamma=20)
    assert place() == still
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.full_is_open())


# ---- The list


def test_the_list_without_scripts(page, filled):
    page.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.browser.get(f"{filled.url}/list")
        seen = []
        while True:
            seen += [caption.text for caption in page.browser.find_elements(By.CSS_SELECTOR, ".caption")]
            older = page.browser.find_elements(By.CSS_SELECTOR, "a[rel=next]")
            if not older:
                break
            page.browser.get(older[0].get_attribute("href"))
        assert len(seen) == len(PHOTOS) + MORE
        assert set(seen) == {HOSTILE, *(f"number {number}" for number in range(MORE)),
                             *(path.stem for path in PHOTOS if path != DUNES)}
        page.browser.find_element(By.CSS_SELECTOR, "a[rel=first]").click()
        page.browser.get(f"{filled.url}/map")
        page.says("The map needs JavaScript.")
    finally:
        page.command("Emulation.setScriptExecutionDisabled", value=False)


def test_the_list_leads_to_the_photo_on_the_map(page, filled):
    page.browser.get(f"{filled.url}/list")
    page.one("nav.pages:last-of-type a[rel=next]").click()
    page.until(lambda: "before=" in page.browser.current_url)
    page.run("for (const image of document.images) image.loading = 'eager'")
    page.until(lambda: page.run(
        "return Array.from(document.images).every(image => image.complete && image.naturalWidth > 0)"))
    link = page.run("return document.querySelector('a[href^=\"/map#\"]')")
    id_ = urllib.parse.unquote(link.get_attribute("href").split("#")[1])
    page.run("arguments[0].click()", link)
    page.until(lambda: page.all("#photo"))
    assert page.address() == id_


# ---- Live


def test_two_devices_and_three_browsers(page, chromium, site, start, tmp_path):
    maps = [page.open(site)]
    page.says("There are no photos yet.")
    others = [browsers.chromium_with_media() for _ in range(2)]
    try:
        screens = [Screen(browser).reset() for browser in others]
        devices = [start(), start()]
        # The first device's browser has a second window with the map.
        others[0].switch_to.new_window("window")
        maps.append(Map(others[0]).open(site))
        map_window, screen_window = others[0].current_window_handle, others[0].window_handles[0]
        others[0].switch_to.window(screen_window)
        screens[0].locate(47.1, 8.5)
        screens[0].open(devices[0], "#/camera")
        eventually(lambda: devices[0].state()["location"], 60)
        screens[0].shoot("From the first")
        first = stored(devices[0], 1)["id"]
        others[0].switch_to.window(map_window)
        for one in maps:
            one.until(lambda: one.has(first))
        page.says(f"New photo by {devices[0].name}")
        screens[1].open(devices[1], "#/camera")
        screens[1].until(lambda: screens[1].one(".shutter").is_enabled())
        screens[1].choose(VOLCANO)
        second = stored(devices[1], 1)["id"]
        for one in maps:
            # The view is fitted to both.
            one.until(lambda: one.has(first) and one.has(second))
        # The first device shows everybody's photos.
        others[0].switch_to.window(screen_window)
        screens[0].show("#/gallery/server")
        screens[0].until(lambda: len(screens[0].all(".tile.is-loaded")) == 2)
        # An open photo that is deleted elsewhere closes.
        page.pin(first).click()
        page.says("From the first", "#photo-title")
        screens[0].show("#/gallery")
        screens[0].named("From the first", ".tile").click()
        screens[0].press("Delete photo")
        screens[0].press("Delete", "dialog button")
        page.says("The photo that was open has been deleted.")
        others[0].switch_to.window(map_window)
        for one in maps:
            one.until(lambda: not one.has(first) and one.has(second))
            assert not one.all("#photo")
        assert [one.complaints() for one in [*maps, screens[1]]] == [[], [], []]
    finally:
        for browser in others:
            browser.quit()


def test_a_new_photo_is_highlighted_and_its_message_opens_it(page, site, start):
    device = start()
    device.taken(ALPS, source="file")
    device.settled()
    page.open(site)
    page.until(lambda: page.count() == 1)
    # Whether a pin was highlighted is remembered: the highlight ends by itself.
    page.run("""
        new MutationObserver(() => { if (document.querySelector('.pin.fresh')) document.body.dataset.fresh = 'yes' })
            .observe(document.body, { attributes: true, attributeFilter: ['class'], subtree: true })""")
    device.locate(-33.9, 151.2)
    id_ = device.taken(PHOTOS[0], source="camera", caption="Far away")
    page.until(lambda: page.has(id_) and page.run("return document.body.dataset.fresh") == "yes")
    page.press(f"New photo by {device.name}")
    page.says("Far away", "#photo-title")
    device.done("caption", id=id_, caption="Another caption")
    page.says("Another caption", "#photo-title")
    device.done("delete", id=id_)
    page.says("The photo that was open has been deleted.")
    page.until(lambda: page.count() == 1)


def test_the_web_socket_of_the_original(page, site, start):
    page.open(site)
    page.run("""
        window.events = []
        const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/photos/socket`)
        socket.onopen = () => { window.events.push('open') }
        socket.onmessage = message => { window.events.push(JSON.parse(message.data)) }
        socket.onclose = close => { window.events.push(close.wasClean) }
        window.closeSocket = () => socket.close()""")
    page.until(lambda: page.run("return events") == ["open"])
    id_ = start().taken(ALPS, source="file")
    page.until(lambda: [event["data"]["id"] for event in page.run("return events.slice(1)")] == [id_])
    page.run("closeSocket()")
    page.until(lambda: page.run("return events.at(-1)") is True)


def test_the_map_without_a_connection(page, site, start):
    page.expected += [OFFLINE, ABSENT, *CUT, "ERR_NETWORK_CHANGED"]
    device = start()
    device.taken(ALPS, source="file")
    device.settled()
    page.open(site)
    page.until(lambda: page.count() == 1)
    page.connect(False)
    page.says("This device is offline.")
    device.taken(VOLCANO, source="file")
    device.settled()
    page.connect(True)
    page.until(lambda: page.count() == 2 and not page.all(".notice-wait"))
    site.kill()
    page.says("No connection to the server.")
    site.start()
    page.until(lambda: not page.all(".notice-wait"))
    assert page.count() == 2


# ---- Accessibility


def test_each_page_is_accessible(page, filled, site):
    found = []
    page.expected += [ABSENT, *CUT]
    page.open(site)
    page.says("There are no photos yet.")
    page.check("empty", found)
    site.kill()
    page.says("No connection to the server.")
    page.check("lost", found)
    browsers.resize(page.browser, *SIZES[1])
    page.open(filled)
    page.until(lambda: page.count() == 10)
    page.check("map", found)
    page.pin(filled.ids[VOLCANO]).click()
    page.says(VOLCANO.stem, "#photo-title")
    page.until(lambda: page.run("return document.querySelector('#photo').getAttribute('aria-busy')") == "false")
    page.check("photo", found)
    page.press("Full screen", "#photo button")
    page.until(page.full_is_open)
    page.check("large", found)
    page.browser.get(f"{filled.url}/list")
    page.check("list", found)
    assert "\n".join(found) == ""
