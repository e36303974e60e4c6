"""The base map of the pages: its tiles and scripts, and how Chromium draws it."""

import gzip
import os
import struct

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import browser as browsers
from browser import SIZES
from conftest import ROOT, Server

PACK = ROOT / "Sources/C/CPages/BaseMap/Data/base-map.pack"
SCRIPTS = ["base-map.js", "tile.js", "labels.js", "style.js"]
INDEX = {"index": "function(doc){if(doc.geometry&&doc.geometry.coordinates){st_index(doc.geometry);}}"}
# Views that a good atlas shows well: latitude, longitude, zoom, and a name that is on the map.
VIEWS = {
    "san-francisco-bay": (37.75, -122.3, 9, "San Francisco"),
    "istria": (45.2, 13.9, 9, "Pula"),
    "london": (51.5, -0.1, 8, "London"),
    "tokyo": (35.6, 139.8, 8, "Tokyo"),
    "fiji": (-17.5, 179.9, 7, "Suva"),
    "svalbard": (78.6, 16, 5.5, "Longyearbyen"),
    "world": (25, 10, 2, "Brazil"),
}


def entries():
    """The entries of the pack file: level, column, row, flag, offset, length."""
    data = PACK.read_bytes()
    assert data[:6] == b"GWBM1\n"
    count, = struct.unpack_from("<I", data, 6)
    return data, [struct.unpack_from("<BHHBII", data, 10 + 14 * number) for number in range(count)]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("base-map") / "data")
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"geometry": {"type": "Point", "coordinates": [13.9, 45.2]}})
    server.json("PUT", "/db/_design/geo", json={"st_indexes": {"places": INDEX}})
    yield server
    server.stop()


def tile(server, path, **headers):
    return requests.get(f"{server.url}/_base/{path}", headers=headers, timeout=30)


def test_each_tile_of_the_file_is_served(world):
    data, all = entries()
    assert PACK.stat().st_size < 6 << 20
    session = requests.Session()
    for level, column, row, flag, offset, length in all[::7]:
        answer = session.get(f"{world.url}/_base/{level}/{column}/{row}", timeout=30)
        assert answer.status_code == 200
        if flag == 0:
            assert answer.content == gzip.decompress(data[offset:offset + length])
        else:
            assert answer.content[0] == 1 and len(answer.content) < 20


def test_tiles_need_no_login_and_are_cached(world):
    answer = tile(world, "6/10/24", **{"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip" and "max-age=86400" in answer.headers["Cache-Control"]
    assert answer.headers["Vary"] == "Accept-Encoding"
    plain = tile(world, "6/10/24", **{"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers and plain.content == answer.content
    again = tile(world, "6/10/24", **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    # Open water without a name is not in the file, and has no content.
    known = {entry[:3] for entry in entries()[1]}
    row = next(row for row in range(64) if (6, 5, row) not in known)
    assert tile(world, f"6/5/{row}").content == b"" and tile(world, f"6/5/{row}").status_code == 200
    for wrong, status in [("6/64/0", 400), ("x/0/0", 400), ("-1/0/0", 400), ("99/0/0", 400), ("none.js", 404)]:
        assert tile(world, wrong).status_code == status
    for script in SCRIPTS:
        answer = tile(world, script)
        assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/javascript")


@pytest.fixture(scope="module")
def chromium():
    browser = browsers.chromium()
    yield browser
    browser.quit()


class Map:
    """The page of an index, with the base map behind one result."""

    def __init__(self, browser, server, size=SIZES[0], scheme="light"):
        self.browser, self.server = browser, server
        browsers.resize(browser, *size)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
        browser.get(server.url + "/_up")
        session = requests.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=10)
        browser.add_cookie({"name": "AuthSession", "value": session.cookies["AuthSession"]})
        browser.get(f"{server.url}/db/_design/geo/_geo/places?format=html")
        browsers.until(browser, lambda: browser.execute_script("return !!window.baseMap"))
        browser.get_log("browser")

    def show(self, latitude, longitude, zoom):
        self.browser.execute_script("indexMap.setView(arguments[0], arguments[1], { animate: false })", [latitude, longitude], zoom)

    def names(self):
        return self.browser.execute_script("return baseMap.shownNames()")

    def waits_for(self, name):
        browsers.until(self.browser, lambda: name in self.names(), f"{name} is not among {self.names()}")

    def colour(self, x, y):
        """The colour of the canvas at a pixel of the map."""
        return tuple(self.browser.execute_script("""
            const canvas = baseMap._container, ratio = canvas.width / canvas.clientWidth
            const offset = indexMap.containerPointToLayerPoint([arguments[0], arguments[1]]).subtract(baseMap._bounds.min)
            return [...canvas.getContext('2d').getImageData(offset.x * ratio, offset.y * ratio, 1, 1).data].slice(0, 3)""", x, y))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_the_views_have_their_names_and_nothing_comes_from_elsewhere(chromium, world, size, scheme):
    page = Map(chromium, world, size, scheme)
    for name, (latitude, longitude, zoom, shown) in VIEWS.items():
        page.show(latitude, longitude, zoom)
        page.waits_for(shown)
        if folder := os.environ.get("GODWIT_PICTURES"):
            chromium.save_screenshot(f"{folder}/base-{name}-{size[0]}-{scheme}.png")
    urls = chromium.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert all(url.startswith((world.url, "data:")) for url in urls), urls
    assert chromium.get_log("browser") == []


def test_names_do_not_collide_and_the_first_view_is_small(chromium, world):
    page = Map(chromium, world)
    page.show(50, 10, 6)
    page.waits_for("Berlin")
    assert len(set(page.names())) > 20
    page = Map(chromium, world)
    page.show(45.2, 13.9, 9)
    page.waits_for("Pula")
    sizes = chromium.execute_script("return performance.getEntriesByType('resource').map(entry => entry.encodedBodySize)")
    assert sum(sizes) < 150_000, sum(sizes)


def test_a_view_without_places_names_the_nearest_ones(chromium, world):
    page = Map(chromium, world)
    page.show(45.2767, 13.7226, 14)
    page.waits_for("Trieste")
    assert set(page.names()) == {"Trieste", "Rijeka"}
    # A view with a place names no others.
    page.show(44.87, 13.85, 11)
    page.waits_for("Pula")
    assert not {"Trieste", "Rijeka"} & set(page.names())


def test_islands_across_the_antimeridian_have_their_shapes(chromium, world):
    page = Map(chromium, world)
    page.show(-16.7, 179.9, 9)
    page.waits_for("Labasa")

    def at(latitude, longitude):
        point = chromium.execute_script(
            "const point = indexMap.latLngToContainerPoint([arguments[0], arguments[1]]); return [Math.round(point.x), Math.round(point.y)]", latitude, longitude)
        return page.colour(*point)

    # West of Taveuni's coast, where the margin of a tile would fill a corner; the island itself; the open sea.
    browsers.until(chromium, lambda: at(-16.85, 180.05) != at(-17.1, 179.98))
    assert at(-16.805, 179.922) == at(-17.1, 179.98)


def test_the_map_repeats_at_the_antimeridian_and_covers_fractions_of_zooms(chromium, world):
    page = Map(chromium, world)
    chromium.execute_script("indexMap.options.zoomSnap = 0")
    page.show(-17.8, 178, 6.3)
    page.waits_for("Suva")
    page.show(-17.8, 178 - 360, 6.7)
    page.waits_for("Suva")
    # Viti Levu is land in both worlds, and the sea west of it is water.
    chromium.execute_script("indexMap.setView([-17.8, 177.95], 8, { animate: false })")
    page.waits_for("Suva")
    middle = chromium.execute_script("return [indexMap.getSize().x / 2, indexMap.getSize().y / 2]")
    land = page.colour(*middle)
    chromium.execute_script("indexMap.setView([-17.8, 177.95 - 360], 8, { animate: false })")
    browsers.until(chromium, lambda: page.colour(*middle) == land)
    chromium.execute_script("indexMap.setView([-17.8, 174], 8, { animate: false })")
    browsers.until(chromium, lambda: page.colour(*middle) != land)


def test_the_keyboard_moves_and_zooms_and_the_end_of_the_detail_is_said_once(chromium, world):
    page = Map(chromium, world)
    page.show(45.2, 13.9, 9)
    page.waits_for("Pula")
    chromium.execute_script("document.getElementById('map').focus()")
    before = chromium.execute_script("return [indexMap.getCenter().lng, indexMap.getZoom()]")
    ActionChains(chromium).send_keys(Keys.ARROW_RIGHT).perform()
    browsers.until(chromium, lambda: chromium.execute_script(
        "return indexMap.getCenter().lng > arguments[0] && !indexMap._panAnim?._inProgress", before[0]))
    ActionChains(chromium).send_keys(Keys.ADD).perform()
    browsers.until(chromium, lambda: chromium.execute_script("return indexMap.getZoom() === arguments[0] + 1", before[1]))
    notice = "return [...document.querySelectorAll('.base-map-notice')].map(element => element.textContent)"
    assert chromium.execute_script(notice) == []
    for zoom in (12, 10, 13):
        page.show(45.2, 13.9, zoom)
    assert chromium.execute_script(notice) == ["The base map has no further detail here."]
    browsers.until(chromium, lambda: chromium.execute_script(notice) == [])
    page.show(45.2, 13.9, 14)
    assert chromium.execute_script(notice) == []


def test_a_tile_that_fails_is_requested_again_and_coarser_ones_are_shown_meanwhile(chromium, world):
    page = Map(chromium, world)
    page.show(25, 10, 2)
    page.waits_for("Brazil")
    chromium.execute_script("""
        const send = window.fetch
        window.fails = true
        window.fetch = (url, ...rest) => window.fails && String(url).includes('/_base/6/')
          ? Promise.reject(new Error('no network')) : send(url, ...rest)""")
    page.show(46, 2, 7)
    middle = chromium.execute_script("return [indexMap.getSize().x / 2, indexMap.getSize().y / 2]")
    # The middle of France is land of the coarser tiles.
    browsers.until(chromium, lambda: page.colour(*middle) == (0xf3, 0xf0, 0xe9))
    chromium.execute_script("window.fails = false")
    page.waits_for("Limoges")
