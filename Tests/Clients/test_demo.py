"""The demo tells its story twice, and its map is looked at in a browser."""

import json
import re
import signal
import subprocess

import pytest
import requests
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from conftest import GODWIT

SIZES = [(390, 844), (1440, 900)]
JOURNEYS = [("drive-past-the-places", 99), ("around-visnjan-with-car", 17)]


class Demo:
    def __init__(self, data):
        self.data = str(data)
        self.process = subprocess.Popen(
            [GODWIT, "demo", "--port", "0", "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        while not self.lines or not self.lines[-1].startswith("Serving"):
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.lines.append(line)
        self.story = "".join(self.lines)
        self.url = re.search(r"http://127\.0\.0\.1:\d+", self.story)[0]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=10)
        assert self.process.returncode == 0


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo"))
    yield demo
    demo.stop()


def test_story_twice(tmp_path):
    first = Demo(tmp_path)
    first.stop()
    assert "drive-past-the-places (made up): offline, recorded 99 locations of 406 readings" in first.story
    assert "around-visnjan-with-car (a real trace): offline, recorded 17 locations of 104 readings" in first.story
    assert "50 loaded" in first.story and "116 documents" in first.story
    assert re.search(r"Progress +116/116", first.story)
    second = Demo(tmp_path)
    second.stop()
    assert second.story.count("recorded nothing twice") == 2
    assert "none loaded twice" in second.story and "nothing sent twice" in second.story
    for story, generation in [(first.story, 2), (second.story, 4)]:
        assert re.search(rf"winner {generation}-\w+… .*, conflict {generation}-", story), story
        assert re.search(rf"Resolved +{generation + 1}-", story)
        assert "pushed the resolution: 2 revisions of one document, both branches." in story
    winner, conflict = (re.search(rf"{word} 4-(\w+)", second.story)[1] for word in ["winner", "conflict"])
    assert winner != conflict
    assert len(first.story.splitlines()) < 20


def test_a_second_one_is_told_how_to_run_beside_the_first(demo, tmp_path):
    port = demo.url.rsplit(":", 1)[1]
    for data, says in [(demo.data, "another demo runs on the data in"), (tmp_path, f"port {port} is in use.")]:
        run = subprocess.run([GODWIT, "demo", "--port", port, "--data", data], capture_output=True, text=True, timeout=30)
        assert run.returncode == 1 and len(run.stderr.splitlines()) == 1
        assert says in run.stderr and "--port 598" in run.stderr and f"--port {port}" not in run.stderr


def test_databases_of_the_demo(demo):
    journeys = requests.get(demo.url + "/tracker/journeys", timeout=10).json()["journeys"]
    assert [(entry["name"], entry["locations"], entry["made_up"]) for entry in journeys] == [
        ("drive-past-the-places", 99, True), ("around-visnjan-with-car", 17, False)]
    journey = requests.get(demo.url + "/tracker/journeys/around-visnjan-with-car", timeout=10).json()
    location = journey["locations"][0]
    assert location["type"] == "Feature" and location["geometry"]["type"] == "Point"
    assert location["properties"] == {
        "username": "demo", "session_id": "around-visnjan-with-car", "timestamp": location["created_at"], "background": False}
    assert len(requests.get(demo.url + "/tracker/places", timeout=10).json()["places"]) == 50
    assert requests.get(demo.url + "/lt_places", timeout=10).status_code == 401
    foreign = requests.get(demo.url + "/tracker/places", headers={"Host": "evil.example"}, timeout=10)
    assert foreign.status_code == 403
    for path in ["/tracker/leaflet/../../../../etc/passwd", "/tracker/leaflet/%2e%2e%2fx.js", "/tracker/journeys/none"]:
        assert requests.get(demo.url + path, timeout=10).status_code in (401, 404)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    flags = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
        --disable-component-update --disable-sync --disable-dev-shm-usage"""
    for flag in [*flags.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield browser
    browser.quit()


SEEN = """
const map = document.querySelector('.leaflet-container').getBoundingClientRect();
const inside = element => {
    const box = element.getBoundingClientRect();
    return box.left >= map.left && box.right <= map.right && box.top >= map.top && box.bottom <= map.bottom;
};
const pins = [...document.querySelectorAll('.pin-location')];
const places = [...document.querySelectorAll('.pin-place')];
const radius = document.querySelector('path.radius').getBoundingClientRect();
return {
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    pins: pins.length, pinsOutside: pins.filter(pin => !inside(pin)).length,
    places: places.reduce((sum, place) => sum + Number(place.dataset.count), 0),
    placesInside: places.filter(inside).length, placePoints: places.length,
    circle: radius.width > 20 && inside(document.querySelector('path.radius')),
    meters: window.tracker.circle.getRadius(), line: document.querySelectorAll('path.journey-line').length,
    scale: document.querySelectorAll('.leaflet-control-scale').length, text: document.body.innerText,
    hosts: [...new Set(performance.getEntriesByType('resource').map(entry => new URL(entry.name).host))],
};
"""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("name,count", JOURNEYS)
def test_map(demo, browser, tmp_path, size, name, count):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
    browser.get("about:blank")
    browser.get(f"{demo.url}/tracker#{name}")
    WebDriverWait(browser, 30).until(lambda page: page.execute_script("return document.body.dataset.ready") == name)
    seen = browser.execute_script(SEEN)
    (tmp_path / "map.png").write_bytes(browser.get_screenshot_as_png())
    assert seen["overflow"] <= 0
    assert (seen["pins"], seen["pinsOutside"]) == (count, 0)
    assert seen["circle"] and seen["meters"] == 4023.35
    assert seen["line"] >= 1 and seen["scale"] == 1
    assert seen["places"] == 50
    made_up = name == "drive-past-the-places"
    assert seen["placesInside"] == (seen["placePoints"] if made_up else 0)
    assert ("made-up" in seen["text"].lower() or "made up" in seen["text"].lower()) or not made_up
    assert all(host == demo.url.removeprefix("http://") for host in seen["hosts"])
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors, json.dumps(errors)
