"""Maps and text searches in the console: areas that are drawn, documents on a map, counts and groups, numbers with all digits."""

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from conftest import Server
from consoles import HOSTILE, chromium, console  # noqa: F401

PLACES = [("Prague", 14.42, 50.09), ("Vienna", 16.37, 48.21), ("Berlin", 13.4, 52.52), ("Suva", 178.44, -18.14), (HOSTILE, 12.5, 41.9)]
BIG = 9007199254740993


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("maps") / "data")
    fill(server)
    yield server
    server.stop()


def fill(server):
    server.json("PUT", "/places")
    for name, longitude, latitude in PLACES:
        server.json("POST", "/places", json={
            "_id": name, "name": name, "kind": HOSTILE if name == HOSTILE else "city", "price": len(name),
            "geometry": {"type": "Point", "coordinates": [longitude, latitude]}})
    server.json("PUT", "/places/nowhere", json={"name": "nowhere"})
    server.json("POST", "/places/_index", json={"type": "geo", "ddoc": "places", "name": "places", "index": {"geometry": "geometry"}})
    server.json("POST", "/places/_index", json={"type": "text", "ddoc": "words", "name": "words", "index": {}})
    server.json("PUT", "/numbers")
    for number in range(5):
        server.request("PUT", f"/numbers/n{number}", data=f'{{"big": {BIG + number}}}')


def test_a_drawn_box_is_searched_and_its_results_are_on_the_map(console):
    console.enter("queries?db=places&kind=geo")
    console.press("Run")
    console.until(lambda: len(console.rows()) == 4)
    console.until(lambda: len(console.all("godwit-map path.hit")) == 4)
    west = console.labelled("West").get_attribute("value")
    console.press("Box")
    area = console.one(".map-place")
    ActionChains(console.browser).move_to_element_with_offset(area, -60, -60).click_and_hold().move_by_offset(60, 60).move_by_offset(60, 60).release().perform()
    console.until(lambda: console.labelled("West").get_attribute("value") != west)
    assert console.all("[aria-pressed=true]") == []
    assert console.complaints() == []


def test_a_result_is_chosen_in_the_list_and_on_the_map(console):
    console.enter("queries?db=places&kind=geo")
    console.press("Run")
    console.press("Prague")
    console.until(lambda: console.one(".map-popup").text.startswith("Prague"))
    console.until(lambda: console.one("tr[aria-current]").text.startswith("Prague"))
    # The map draws its features again while it moves.
    console.until(lambda: console.browser.execute_script("""
        const other = document.querySelector('godwit-map path.hit:not(.hit-chosen)')
        other?.dispatchEvent(new MouseEvent('click', { bubbles: true }))
        return other"""))
    console.until(lambda: not console.one("tr[aria-current]").text.startswith("Prague"))
    # The popup moves with the map, so that a click of the pointer could miss it.
    console.until(lambda: console.one(".map-popup a"))
    console.browser.execute_script("document.querySelector('.map-popup a').click()")
    console.until(lambda: "document/places/" in console.browser.current_url)
    assert console.complaints() == []


def test_a_box_across_the_antimeridian_has_its_results_in_it(console):
    console.enter("queries?db=places&kind=geo")
    for label, value in [("West", 170), ("East", -170), ("South", -30), ("North", 0)]:
        console.write(console.labelled(label), str(value))
    console.press("Run")
    console.until(lambda: len(console.rows()) == 1 and "Suva" in console.rows()[0])
    assert console.complaints() == []


def test_escape_ends_a_drawing(console):
    console.enter("queries?db=places&kind=geo")
    console.press("Polygon")
    console.until(lambda: console.all(".map-hint:not([hidden])"))
    ActionChains(console.browser).send_keys(Keys.ESCAPE).perform()
    console.until(lambda: not console.all(".map-hint:not([hidden])") and not console.all("[aria-pressed=true]"))


def test_documents_with_places_have_a_map(console):
    console.enter("database/places")
    choice = console.until(lambda: console.all(".switch input[value=map]"))[0]
    console.browser.execute_script("arguments[0].click()", choice)
    console.until(lambda: len(console.all("godwit-map path.hit")) == len(PLACES))
    assert "rows=map" in console.browser.current_url
    assert f"All {len(PLACES) + 1} documents of the list are shown. {len(PLACES)} of them have a place." in console.text()
    console.press(HOSTILE)
    console.until(lambda: HOSTILE in console.one(".map-popup").text)
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


def test_a_map_without_places_names_the_forms_of_places(console):
    console.enter("database/numbers?rows=map")
    console.until(lambda: len(console.rows()) == 5)
    assert "No document of this page has a place" in console.text() and "None has a place." in console.text()
    assert not console.all("godwit-map") and '"coordinates"' in console.one(".place-forms pre").text
    assert console.complaints() == []


def test_positions_and_numbers_as_texts_are_places(console, server):
    server.json("PUT", "/forms")
    for id, place in {"beside": {"type": "stop", "coordinates": [14.4, 50.1]}, "texts": {"lat": "50.2", "lng": " 14.3"}, "inner": {"at": {"type": "x", "coordinates": [14, 50, 7]}},
                      "none": {"coordinates": [1, 99]}, "words": {"lat": "north", "lon": "5"}}.items():
        server.json("PUT", f"/forms/{id}", json=place)
    console.enter("database/forms?rows=map")
    console.until(lambda: len(console.all("godwit-map path.hit")) == 3)
    assert "All 5 documents of the list are shown. 3 of them have a place." in console.text()


def test_the_map_says_how_many_of_all_documents_it_shows(console, server):
    server.json("PUT", "/many")
    server.json("POST", "/many/_bulk_docs", json={"docs": [{"lat": 1 + number / 100, "lon": 2} for number in range(130)]})
    server.json("PUT", "/many/_design/none", json={})
    console.enter("database/many?rows=map")
    console.until(lambda: "50 of 130 documents are shown: those of this page. All have a place." in console.text())


def test_impossible_coordinates_are_named(console, server):
    server.json("PUT", "/wrong")
    server.json("POST", "/wrong/_bulk_docs", json={"docs": [
        {"_id": "good", "lat": 50, "lon": 14}, {"_id": "none", "n": 1},
        {"_id": "geometry", "geometry": {"type": "Point", "coordinates": [14, -278.47]}}, {"_id": "members", "at": {"lat": 190, "lon": 1}}]})
    console.enter("database/wrong?rows=map")
    console.until(lambda: "2 documents have impossible coordinates" in console.text())
    assert console.complaints() == []


def test_values_are_counted_and_limit_the_results(console):
    console.enter("queries?db=places&kind=text")
    console.one("main details summary").click()
    console.write(console.labelled("Query"), "*:*")
    console.write(console.labelled("Count the values of"), "kind")
    console.write(console.labelled("Count ranges (JSON)"), '{"price": {"short": "[0 TO 6]"}}')
    console.press("Run")
    console.until(lambda: len(console.all(".bars")) == 2)
    assert console.all(".bars")[0].text.splitlines()[:2] == ["kind", "city 4"]
    console.all(".bars button")[1].click()
    console.until(lambda: len(console.rows()) == 1 + 2 or "1 found" in console.text())
    console.until(lambda: "Only results with" in console.text())
    console.write(console.labelled("Group by"), "kind")
    console.press("Run")
    console.until(lambda: console.all(".query-output h2"))
    assert HOSTILE in console.one(".query-output h2").text
    assert console.complaints() == []


def test_numbers_have_all_their_digits(console):
    console.enter("queries?db=numbers&kind=mango")
    console.until(lambda: console.all("textarea"))
    console.press("Run")
    console.until(lambda: len(console.rows()) == 5)
    assert all(str(BIG + number) in console.rows()[number] for number in range(5))
