"""The page of a geospatial index in a browser: results, drawn and typed shapes, clusters, tiles; and its routes."""

import gzip
import json
import os
import sqlite3
import struct
import zlib

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import accessibility
import browser as browsers
from browser import SIZES
from conftest import CLIENTS, ROOT, Server, godwit

INDEX = {"index": "function(doc){if(doc.geometry&&doc.geometry.coordinates){st_index(doc.geometry);}}"}
FILES = {
    "cities": CLIENTS / "Data/populated-places.geojson", "peaks": CLIENTS / "Data/elevation-points.geojson",
    "countries": ROOT / "Tests/GodwitPlacesTests/Geometry/Data/countries.json"}


def picture(red, green, blue):
    """A PNG of one colour, 256 pixels wide and high."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([red, green, blue]) * 256) * 256
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tile_file(path, form="png", **metadata):
    """An MBTiles file of the zooms 0 to 2, each tile in a different colour, except the one in the south-east."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    database.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    names = {"name": "Plain", "format": form, "minzoom": "0", "maxzoom": "2", **metadata}
    database.executemany("INSERT INTO metadata VALUES (?, ?)", names.items())
    for zoom in range(3):
        for column in range(1 << zoom):
            for row in range(1 << zoom):
                if (zoom, column, row) != (2, 3, 3):
                    south = (1 << zoom) - 1 - row
                    tile = picture(60 * zoom, 60 * column, 60 * row)
                    database.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (zoom, column, south, tile))
    database.commit()
    database.close()
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A server with cities, peaks and countries, each with an index."""
    server = Server(tmp_path_factory.mktemp("map") / "data")
    for name, file in FILES.items():
        run = godwit("import", file, server.database(name), "--create-target")
        assert "new documents" in run.stdout, run.stderr
        server.json("PUT", f"/{name}/_design/geo", json={"st_indexes": {"places": INDEX}})
        server.json("GET", f"/{name}/_design/geo/_geo/places?bbox=0,0,1,1")
    yield server
    server.stop()


class Page:
    def __init__(self, browser, width, height):
        self.browser = browser
        self.width = width
        browsers.resize(browser, width, height)

    def open(self, url):
        self.browser.get("about:blank")
        self.browser.get(url)
        self.settle()

    def settle(self, *, differs=None):
        """Waits for a result, and returns its text."""
        def settled():
            words = self["status"].text
            return words and "…" not in words and words != differs and words
        return browsers.until(self.browser, settled)

    def __getitem__(self, name):
        return self.browser.find_element(By.ID, name)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def shown(self):
        """The ids of the listed results."""
        return self.browser.execute_script("return [...document.querySelectorAll('.results .id')].map(e => e.title)")

    def choose(self, tool):
        self.browser.find_element(By.CSS_SELECTOR, f"input[value={tool}]").click()

    def search(self, text):
        """Types a shape and searches it."""
        before = self.url()
        self["shape"].clear()
        self["shape"].send_keys(text, Keys.ENTER)
        browsers.until(self.browser, lambda: self.url() != before)
        return self.settle()

    def url(self):
        return self.browser.execute_script("return document.getElementById('url').href")

    def picture(self, name):
        if folder := os.environ.get("GODWIT_PICTURES"):
            self.browser.save_screenshot(f"{folder}/{name}-{self.width}.png")

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture(scope="module")
def chromium():
    browser = browsers.chromium()
    yield browser
    browser.quit()


@pytest.fixture(params=SIZES, ids=lambda size: str(size[0]))
def page(request, chromium, world):
    """A page with a session."""
    page = Page(chromium, *request.param)
    chromium.get(world.url + "/_up")
    chromium.delete_all_cookies()
    session = requests.post(world.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=10)
    chromium.add_cookie({"name": "AuthSession", "value": session.cookies["AuthSession"]})
    page.complaints()
    yield page
    assert page.complaints() == []


def address(world, name, index="places"):
    return f"{world.url}/{name}/_design/geo/_geo/{index}?format=html"


def test_all_of_a_small_index_is_there_and_nothing_is_refused_by_the_policy(page, world):
    page.open(address(world, "countries"))
    assert "results" in page.settle()
    everything = world.json("GET", "/countries/_all_docs")["total_rows"] - 1
    assert everything - 12 <= len(page.shown()) <= everything
    assert len(page.all("path.hit-area")) == len(page.shown())
    assert page.browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert "Natural Earth" in page["credits"].text
    page.picture("countries")


def test_the_first_look_at_the_world_shows_every_place(page, world):
    page.open(address(world, "cities"))
    browsers.until(page.browser, lambda: page["status"].text.startswith("7,343 results, all of them."))
    page.picture("cities")


def test_dense_points_are_drawn_together_and_are_all_counted(page, world):
    page.open(address(world, "cities"))
    page.choose("box")
    words = page.search("-30, 0, 60, 70")
    within = sum(
        -30 <= feature["geometry"]["coordinates"][0] <= 60 and 0 <= feature["geometry"]["coordinates"][1] <= 70
        for feature in json.loads(FILES["cities"].read_text())["features"])
    assert words == f"{within:,} results, all of them. The nearest 500 are listed."
    together = sum(int(cluster.text) for cluster in page.all(".cluster"))
    assert 1000 < together + len(page.all("path.hit")) <= within and len(page.shown()) == 500
    page.picture("clusters")


def test_what_is_listed_is_what_the_index_answers(page, world):
    page.open(address(world, "peaks"))
    page.choose("circle")
    page.search("46.5, 8, 200000")
    answer = world.json("GET", "/peaks/_design/geo/_geo/places?lat=46.5&lon=8&radius=200000&limit=200")
    assert page.shown() == [row["id"] for row in answer["rows"]] and len(page.shown()) > 3
    assert len(page.all("path.hit")) == len(page.shown()) and len(page.all("path.searched")) == 1
    assert all(element.text.endswith("m away") for element in page.all(".results .far")[:3])
    Select(page["relation"]).select_by_visible_text("lie outside of it")
    words = page.settle(differs=page["status"].text)
    peaks = world.json("GET", "/peaks/_design/geo/_geo_info/places")["geo_index"]["geometry_count"]
    assert words == f"{peaks - len(answer['rows'])} results, all of them. The nearest 500 are listed."
    assert len(page.shown()) == 500
    assert "relation=disjoint" in page.url()
    Select(page["relation"]).select_by_visible_text("(default)")
    page.choose("polygon")
    page.search("POLYGON((6 45, 10 45, 10 48, 6 48, 6 45))")
    answer = world.json("GET", "/peaks/_design/geo/_geo/places", params={
        "g": "POLYGON((6 45, 10 45, 10 48, 6 48, 6 45))", "limit": 200})
    assert page.shown() == [row["id"] for row in answer["rows"]]
    # The address with the answer is that of the query.
    page.browser.execute_script("document.getElementById('json').open = true")
    shown = json.loads(page["answer"].text)
    assert shown == requests.get(page.url(), auth=("admin", "secret"), timeout=10).json()
    page.picture("polygon")


def test_shapes_are_drawn_on_the_map(page, world):
    page.open(address(world, "countries"))
    area = page["map"]

    def drag(tool):
        page.choose(tool)
        assert not page["hint"].get_attribute("hidden")
        before = page.url()
        page.browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", area)
        ActionChains(page.browser, duration=20).move_to_element(area).click_and_hold().move_by_offset(
            60, 50).release().perform()
        browsers.until(page.browser, lambda: page.url() != before)
        page.settle()

    drag("box")
    west, south, east, north = (float(part) for part in page["shape"].get_attribute("value").split(","))
    assert -180 <= west < east <= 180 and -90 <= south < north <= 90 and "bbox=" in page.url()
    page.picture("box")
    drag("circle")
    assert "radius=" in page.url() and len(page.all("path.searched")) == 1
    page.picture("circle")
    page.choose("polygon")
    page.browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", area)
    before = page.url()
    actions = ActionChains(page.browser, duration=20)
    for x, y in [(-60, -50), (60, -40), (50, 60)]:
        actions.move_to_element_with_offset(area, x, y).click()
    actions.send_keys(Keys.ENTER).perform()
    browsers.until(page.browser, lambda: page.url() != before)
    page.settle()
    assert page["shape"].get_attribute("value").startswith("POLYGON((") and "g=POLYGON" in page.url()
    assert page["hint"].get_attribute("hidden")
    # Escape ends a drawing, and the map moves again.
    page.choose("circle")
    ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
    assert page["hint"].get_attribute("hidden") and not page.all(".map.drawing")


def test_the_nearest_come_from_the_whole_index(page, world):
    page.open(address(world, "countries"))
    page.choose("circle")
    page.search("47, 8, 1000")
    assert page.shown() == ["CHE"]
    page["nearest"].click()
    page.settle(differs="1 result.")
    assert len(page.shown()) == world.json("GET", "/countries/_all_docs")["total_rows"] - 1
    assert page.shown()[0] == "CHE" and page.shown().index("AUT") < page.shown().index("JPN")


def test_a_box_across_the_antimeridian(page, world):
    page.open(address(world, "countries"))
    page.choose("box")
    page.search("170, -50, -175, -10")
    assert "wrap=true" in page.url() and {"FJI", "NZL"} <= set(page.shown()) and "BRA" not in page.shown()


def test_a_result_leads_to_its_place_and_its_document(page, world):
    page.open(address(world, "countries"))
    page.choose("box")
    page.search("5, 45, 12, 49")
    row = next(row for row in page.all(".results li") if row.find_element(By.CSS_SELECTOR, ".id").get_attribute("title") == "CHE")
    browsers.until(page.browser, lambda: "Switzerland" in row.text)
    row.find_element(By.CSS_SELECTOR, ".go").send_keys(Keys.ENTER)
    browsers.until(page.browser, lambda: page.all(".leaflet-popup"))
    assert "chosen" in row.get_attribute("class") and len(page.all("path.hit-chosen")) == 1
    assert len(page.shown()) > 3, "the results stay while the map goes to one of them"
    page.picture("chosen")
    row.find_element(By.CSS_SELECTOR, ".see").send_keys(Keys.ENTER)
    browsers.until(page.browser, lambda: "Switzerland" in page["document-text"].text)
    page.picture("document")
    ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
    assert not page["document"].get_attribute("open")


def test_what_is_wrong_is_said(page, world):
    page.open(address(world, "countries"))
    page.choose("circle")
    for text, words in [("47, 8", "a radius in meters"), ("95, 8, 10", "")]:
        page["shape"].clear()
        page["shape"].send_keys(text, Keys.ENTER)
        browsers.until(page.browser, lambda: page.all(".notice") and words in page.all(".notice")[0].text)
    assert len([line for line in page.complaints() if "400" in line]) == 1
    page.search("47, 8, 10")
    assert not page.all(".notice")


def test_contrast_names_and_targets(page, world):
    page.open(address(world, "countries"))
    page.choose("box")
    assert accessibility.findings(page.browser) == []


def test_the_map_in_the_dark(page, world):
    page.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.open(address(world, "peaks"))
    ground = page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(19, 27, 33)"
    page.choose("box")
    assert accessibility.findings(page.browser) == []
    page.picture("dark")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_who_has_no_session_logs_in_on_the_page(chromium, world):
    page = Page(chromium, *SIZES[1])
    chromium.get(world.url + "/_up")
    chromium.delete_all_cookies()
    chromium.get(f"{world.url}/_map#/countries/_design/geo/_geo/places")
    browsers.until(chromium, lambda: page["login"].is_displayed())
    page["name"].send_keys("admin")
    page["password"].send_keys("secret", Keys.ENTER)
    browsers.until(chromium, lambda: page.shown())
    page.complaints()


def test_a_browser_without_a_session_is_sent_to_the_login(chromium, world):
    page = Page(chromium, *SIZES[0])
    chromium.get(world.url + "/_up")
    chromium.delete_all_cookies()
    chromium.get(address(world, "countries"))
    browsers.until(chromium, lambda: page["login"].is_displayed())
    page.picture("login")
    page["name"].send_keys("admin")
    page["password"].send_keys("secret", Keys.ENTER)
    browsers.until(chromium, lambda: page.shown())
    page.complaints()
    path, browser = "/countries/_design/geo/_geo/places?format=html", {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}
    answer = requests.get(world.url + path, headers=browser, allow_redirects=False, timeout=10)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/_map#/countries/_design/geo/_geo/places")
    # A query is not redirected.
    query = path.replace("format=html", "bbox=0,0,1,1")
    assert requests.get(world.url + query, headers=browser, allow_redirects=False, timeout=10).status_code == 401


# ---- The routes

def test_the_page_is_for_those_who_may_read_and_for_an_index_that_is_there(world):
    path = "/countries/_design/geo/_geo/{}?format=html"
    answer = world.request("GET", path.format("places"))
    assert answer.headers["Content-Type"].startswith("text/html")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "<script>" not in answer.text
    assert world.request("GET", path.format("none")).status_code == 404
    assert requests.get(world.url + path.format("places"), timeout=10).status_code == 401
    for file in ["map.css", "map.js", "drawing.js", "leaflet/leaflet.js", "leaflet/MarkerCluster.css"]:
        assert requests.get(f"{world.url}/_map/{file}", timeout=10).status_code == 200
    for file in ["map.html", "none.js", "leaflet/%2e%2e/%2e%2e/x.js", "leaflet/../../../etc/passwd", "leaflet/none.js"]:
        assert requests.get(f"{world.url}/_map/{file}", timeout=10).status_code in (401, 404)


def test_tiles(tmp_path):
    path = tile_file(tmp_path / "plain.mbtiles", bounds="-180, -85, 180, 85", attribution="<a href='x'>Some &amp; one</a>")
    server = Server(tmp_path / "data", environment={"GODWIT_TILES": str(path)})
    assert server.json("GET", "/_tiles") == {
        "available": True, "format": "png", "name": "Plain", "attribution": "<a href='x'>Some &amp; one</a>", "minzoom": 0, "maxzoom": 2,
        "bounds": [-180.0, -85.0, 180.0, 85.0]}
    for zoom, column, row in [(0, 0, 0), (1, 0, 1), (2, 1, 0), (2, 3, 2)]:
        tile = server.request("GET", f"/_tiles/{zoom}/{column}/{row}")
        assert tile.content == picture(60 * zoom, 60 * column, 60 * row)
        assert tile.headers["Content-Type"] == "image/png" and "max-age=86400" in tile.headers["Cache-Control"]
        again = server.request("GET", f"/_tiles/{zoom}/{column}/{row}.png", headers={"If-None-Match": tile.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    for wrong, status in [("2/3/3", 404), ("3/0/0", 404), ("1/2/0", 400), ("x/0/0", 400), ("-1/0/0", 400), ("99/0/0", 400)]:
        assert server.request("GET", f"/_tiles/{wrong}").status_code == status
    server.stop()


def test_a_tile_whose_view_never_ends_is_interrupted(tmp_path):
    path = tmp_path / "endless.mbtiles"
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE VIEW tiles AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i + 100 AS zoom_level, 0 AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n;
        """)
    database.close()
    server = Server(tmp_path / "data", arguments=["--tiles", str(path)])
    for _ in range(3):
        answer = server.request("GET", "/_tiles/5/0/31")
        assert answer.status_code == 500 and answer.json()["error"] == "tile_too_costly", answer.text
    assert server.request("GET", "/_up").ok
    server.stop()


VECTOR = b"\x1a\x10" + b"x" * 2000
JPEG = b"\xff\xd8\xff\xe0" + bytes(40)
WEBP = b"RIFF\x20\0\0\0WEBPVP8 " + bytes(40)


def tile_rows(path, rows, **metadata):
    """An MBTiles file of given tiles; without `metadata` it has no such table."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", rows)
    if metadata:
        database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
    database.commit()
    database.close()
    return path


def raw_tile(server, path, **headers):
    """A tile as it is sent, with its headers."""
    answer = server.session.get(server.url + path, headers=headers, stream=True, timeout=10)
    return answer, answer.raw.read(decode_content=False)


def test_vector_tiles_are_served_with_their_compression(tmp_path):
    packed = gzip.compress(VECTOR, mtime=0)
    layers = {"vector_layers": [{"id": "water", "fields": {}}]}
    path = tile_rows(
        tmp_path / "v.mbtiles", [(0, 0, 0, packed), (1, 0, 1, VECTOR), (1, 1, 1, packed[:-9])],
        format="pbf", name="Vector", json=json.dumps(layers))
    server = Server(tmp_path / "data", arguments=["--tiles", str(path)])
    assert server.json("GET", "/_tiles") == {
        "available": True, "format": "pbf", "name": "Vector", "minzoom": 0, "maxzoom": 1, **layers}
    kind = "application/vnd.mapbox-vector-tile"
    answer, body = raw_tile(server, "/_tiles/0/0/0.pbf", **{"Accept-Encoding": "gzip"})
    assert (answer.headers["Content-Type"], answer.headers["Content-Encoding"], body) == (kind, "gzip", packed)
    assert "Accept-Encoding" in answer.headers["Vary"]
    # A client without gzip, and a tile that is not compressed.
    for row, accepted in [("0/0/0", "identity"), ("1/0/0", "gzip"), ("1/0/0", "identity")]:
        answer, body = raw_tile(server, f"/_tiles/{row}", **{"Accept-Encoding": accepted})
        assert (answer.headers["Content-Type"], "Content-Encoding" in answer.headers, body) == (kind, False, VECTOR)
    answer, body = raw_tile(server, "/_tiles/1/1/0", **{"Accept-Encoding": "identity"})
    assert answer.status_code == 500 and json.loads(body)["error"] == "tile_damaged"
    server.stop()


@pytest.mark.parametrize("name, tile, told, kind", [
    ("PNG", picture(1, 2, 3), "png", "image/png"), ("image/png", picture(1, 2, 3), "png", "image/png"),
    ("jpeg", JPEG, "jpg", "image/jpeg"), (" JPG ", JPEG, "jpg", "image/jpeg"), ("image/webp", WEBP, "webp", "image/webp"),
    ("application/x-protobuf", VECTOR, "pbf", "application/vnd.mapbox-vector-tile"),
    # The bytes decide, also without a format and without metadata.
    ("png", JPEG, "jpg", "image/jpeg"), ("", WEBP, "webp", "image/webp"), ("bmp", JPEG, "jpg", "image/jpeg"),
    (None, picture(1, 2, 3), "png", "image/png"), (None, gzip.compress(VECTOR, mtime=0), "pbf", "application/vnd.mapbox-vector-tile")])
def test_the_format_of_tiles_is_recognized(tmp_path, name, tile, told, kind):
    metadata = {} if name is None else {"format": name} if name else {"name": "Plain"}
    path = tile_rows(tmp_path / "x.mbtiles", [(3, 1, 7 - 2, tile), (5, 1, 1, tile)], **metadata)
    server = Server(tmp_path / "data", arguments=["--tiles", str(path)])
    described = server.json("GET", "/_tiles")
    assert (described["format"], described["minzoom"], described["maxzoom"]) == (told, 3, 5)
    answer = server.request("GET", "/_tiles/3/1/2")
    assert answer.headers["Content-Type"] == kind
    assert answer.content == (VECTOR if told == "pbf" else tile)
    server.stop()


def test_tiles_of_two_formats_in_one_file(tmp_path):
    path = tile_rows(tmp_path / "x.mbtiles", [(0, 0, 0, picture(1, 2, 3)), (1, 0, 0, JPEG)], format="png")
    server = Server(tmp_path / "data", arguments=["--tiles", str(path)])
    kinds = [server.request("GET", f"/_tiles/{tile}").headers["Content-Type"] for tile in ["0/0/0", "1/0/1"]]
    assert kinds == ["image/png", "image/jpeg"]
    server.stop()


def test_the_map_says_that_it_cannot_draw_vector_tiles(chromium, tmp_path):
    path = tile_rows(tmp_path / "v.mbtiles", [(0, 0, 0, gzip.compress(VECTOR, mtime=0))], format="pbf", attribution="Some one")
    server = Server(tmp_path / "data", arguments=["--tiles", str(path)])
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"geometry": {"type": "Point", "coordinates": [8, 47]}})
    server.json("PUT", "/db/_design/geo", json={"st_indexes": {"places": INDEX}})
    page = Page(chromium, *SIZES[0])
    chromium.get(server.url + "/_up")
    session = requests.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=10)
    chromium.add_cookie({"name": "AuthSession", "value": session.cookies["AuthSession"]})
    page.complaints()
    page.open(f"{server.url}/db/_design/geo/_geo/places?format=html")
    browsers.until(chromium, lambda: "vector tiles, which this map cannot draw" in page["credits"].text)
    assert "Natural Earth" in page["credits"].text and page.shown() == ["a"]
    assert not page.all(".leaflet-tile") and page.complaints() == []
    server.stop()


def test_a_server_without_tiles_says_so(world):
    assert world.json("GET", "/_tiles") == {"available": False}
    answer = world.request("GET", "/_tiles/0/0/0")
    assert answer.status_code == 404 and "--tiles" in answer.json()["reason"]


@pytest.mark.parametrize("make, words", [
    (lambda path: tile_rows(path, [(0, 0, 0, b"BM unknown")], format="bmp"), "bmp"), (lambda path: path.write_text("no database"), "cannot be read"),
    (lambda path: path.write_bytes(b""), "cannot be read"), (lambda path: None, "cannot be read")])
def test_a_file_that_is_no_base_map_is_refused_at_the_start(tmp_path, make, words):
    make(tmp_path / "x.mbtiles")
    run = godwit("serve", "--data", tmp_path / "data", "--port", "0", "--tiles", tmp_path / "x.mbtiles")
    assert run.returncode == 1 and words in run.stderr and "x.mbtiles" in run.stderr


def test_the_map_shows_the_tiles(chromium, tmp_path):
    path = tile_file(tmp_path / "plain.mbtiles", attribution="<a href='x'>Some &amp; one</a>")
    server = Server(tmp_path / "data", environment={"GODWIT_TILES": str(path)})
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"geometry": {"type": "Point", "coordinates": [8, 47]}})
    server.json("PUT", "/db/_design/geo", json={"st_indexes": {"places": INDEX}})
    page = Page(chromium, *SIZES[0])
    chromium.get(server.url + "/_up")
    session = requests.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=10)
    chromium.add_cookie({"name": "AuthSession", "value": session.cookies["AuthSession"]})
    page.complaints()
    page.open(f"{server.url}/db/_design/geo/_geo/places?format=html")
    browsers.until(chromium, lambda: page.all(".leaflet-tile-loaded"))
    assert "Some & one" in page["credits"].text and page.shown() == ["a"]
    page.picture("tiles")
    # One tile is not in the file: the map works without it.
    assert all("/_tiles/2/3/3" in line for line in page.complaints())
    server.stop()
