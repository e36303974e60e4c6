"""The first steps on an empty server: an application, an API key that may only read, a document, a place on the map."""

import re

import pytest
import requests

from conftest import Server
from consoles import chromium, console  # noqa: F401

KEEPS_SESSION = True
IN_SIGHT = """
const box = document.querySelector('godwit-map')?.getBoundingClientRect()
return box && box.top >= 0 && box.top < innerHeight / 2 && document.querySelectorAll('godwit-map .hit, godwit-map .leaflet-interactive').length > 0
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("start") / "data")
    yield server
    server.stop()


def step(console, words):
    console.visit("")
    link = console.until(lambda: [a for a in console.all(".start a") if a.text == words])[0]
    link.click()


def done(console):
    return [row.text.split(":")[1].split("\n")[0].strip() for row in console.all(".start li") if row.text.startswith("✓ Done:")]


def test_the_four_steps_are_offered_until_they_are_done(console, server):
    console.visit("")
    console.until(lambda: len(console.all(".start li")) == 4)
    assert done(console) == []

    step(console, "Create an application")
    console.until(lambda: [field for field in console.all("main input") if field.is_displayed()])[0].send_keys("Trip Notes")
    for _ in range(4):
        heading = console.one("main h2").text
        console.press("Next")
        console.until(lambda: console.one("main h2").text != heading)
    console.press("Create an application")
    console.until(lambda: "was created" in console.text())
    assert server.json("GET", "/_apps") != []

    step(console, "Make an API key")
    console.write(console.labelled("For the database"), "trips")
    console.press("Make a key")
    console.until(lambda: [b for b in console.all("button") if "make the key" in b.text])
    console.press([b for b in console.all("button") if "make the key" in b.text][0].text)
    shown = console.until(lambda: re.search(r"apikey-\w+", console.text()))
    key, password = shown[0], console.until(lambda: re.search(r"-u '?apikey-\w+:([^'@\s]+)", console.text()))[1]
    assert requests.get(f"{server.url}/trips", auth=(key, password), timeout=30).json()["godwit"]["rights"] == ["read"]
    console.press("Done")
    console.until(lambda: "✓" in console.text() or console.all(".data-table tbody tr"))

    step(console, "Put places on a map")
    console.until(lambda: console.all("dialog[open] .primary"))[0].click()
    console.until(lambda: console.browser.execute_script(IN_SIGHT))

    console.visit("document/trips/")
    console.until(lambda: console.all("main summary"))
    [summary for summary in console.all("main summary") if "example" in summary.text][0].click()
    console.press("Use this text")
    console.press("Create")
    console.until(lambda: server.json("GET", "/trips")["doc_count"] == 1)

    # All four are done, so that the steps are not shown any more.
    console.visit("")
    console.until(lambda: console.all(".card .figure") and not console.all(".start"))
    assert console.complaints() == []


def test_the_steps_are_hidden_on_request(console, server):
    for key in server.json("GET", "/_godwit/keys")["keys"]:
        server.json("DELETE", f"/_godwit/keys/{key['name']}")
    console.visit("")
    console.until(lambda: done(console) == ["Create an application", "Create a database", "Put places on a map"])
    console.press("Hide")
    console.until(lambda: not console.all(".start"))
    console.visit("databases")
    console.visit("")
    console.until(lambda: console.all(".cards a[href='#/databases']"))
    assert console.all(".start") == []
