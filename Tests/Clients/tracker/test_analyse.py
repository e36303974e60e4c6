"""The three queries of docs/analyse.md, sent by an analyst of two journeys, and compared with a plain computation."""

import collections
import json
import math
import os
import re
import subprocess
import urllib.parse

import pytest
import requests

from applications import soon
from conftest import ROOT, Server, godwit
from devices import program

PROGRAM = program("location-tracker")
PAGE = (ROOT / "docs/analyse.md").read_text()
TRACKS = {
    "ann": ROOT / "Examples/LocationTracker/Data/tracks/drive-past-the-places.gpx",
    "bob": ROOT / "Examples/LocationTracker/Data/tracks/around-visnjan-with-car.gpx"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("analyse")
    site = Server(directory / "server", program=PROGRAM)
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    site.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "type": "user", "roles": ["locationtracker/analyst"], "password": "secret"})
    for name, track in TRACKS.items():
        environment = {**os.environ, "LOCATION_TRACKER_SERVER": site.url, "LOCATION_TRACKER_PASSWORD": "a password",
                       "LOCATION_TRACKER_DATA": str(directory / name), "LOCATION_TRACKER_KEY": "07" * 32}
        for arguments in [["register", name], ["track", "--gpx", str(track), "--speed", "10000"]]:
            subprocess.run([PROGRAM, *arguments], env=environment, check=True, capture_output=True, timeout=60)
    assert soon(lambda: len(locations(site)) == 99 + 17)
    yield site
    site.stop()


def locations(site):
    rows = site.json("GET", "/lt_locations_all/_all_docs", params={"include_docs": "true"})["rows"]
    return [row["doc"] for row in rows if not row["id"].startswith("_design/")]


def ask(site, method, path, **options):
    answer = requests.request(method, f"{site.url}/lt_locations_all{path}", auth=("mia", "secret"), timeout=30, **options)
    assert answer.ok, answer.text
    return answer.json()


def meters(one, other):
    (west, south), (east, north) = ([math.radians(part) for part in point] for point in (one, other))
    half = (math.sin((north - south) / 2) ** 2
            + math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2)
    return 12_742_000 * math.asin(math.sqrt(half))


def length(points):
    return sum(meters(one, other) for one, other in zip(points, points[1:]))


def test_how_far_each_user_went_day_by_day(site):
    query = json.loads(re.search(r"_find .*?-d '(\{.*?\})'", PAGE, re.DOTALL)[1])
    documents = locations(site)
    for name in TRACKS:
        own = sorted((document for document in documents if document["_id"].startswith(f"{name}:")),
                     key=lambda document: document["created_at"])
        days = collections.defaultdict(list)
        for document in own:
            days[document["created_at"] // 86_400_000].append(document["geometry"]["coordinates"])
        for day, points in days.items():
            query["selector"] = {"created_at": {"$gte": day * 86_400_000, "$lt": (day + 1) * 86_400_000},
                                 "_id": {"$gte": f"{name}:", "$lt": f"{name};"}}
            found = ask(site, "POST", "/_find", json=query)["docs"]
            assert length([document["geometry"]["coordinates"] for document in found]) == length(points) > 1_000
            explained = ask(site, "POST", "/_explain", json=query)
            assert explained["index"]["ddoc"] == "_design/timestamps"


def test_which_cells_are_busiest(site):
    design = json.loads(re.search(r"_design/cells -d '(\{.*?\})'\n", PAGE, re.DOTALL)[1])
    site.json("PUT", "/lt_locations_all/_design/cells", json=design)
    rows = ask(site, "GET", "/_design/cells/_view/busy?group=true")["rows"]
    cells = collections.Counter(
        tuple(math.floor(part * 100) for part in document["geometry"]["coordinates"]) for document in locations(site))
    assert {tuple(row["key"]): row["value"] for row in rows} == dict(cells)


def test_who_passed_a_place(site):
    path = re.search(r'"\$ALL(/_design/points/\S+)"', PAGE)[1]
    query = urllib.parse.parse_qs(path.split("?")[1])
    place = [float(query["lon"][0]), float(query["lat"][0])]
    rows = ask(site, "GET", path)["rows"]
    near = {document["_id"] for document in locations(site)
            if meters(place, document["geometry"]["coordinates"]) <= 200}
    assert {row["id"] for row in rows} == near and {id.split(":")[0] for id in near} == {"ann"}


def test_one_user_is_exported(site, tmp_path):
    source = f"{site.url.replace('://', '://mia:secret@')}/lt_locations_all"
    file = tmp_path / "bob.geojson"
    answer = godwit("export", source, str(file), "--id-prefix", "bob:", "--json")
    assert answer.returncode == 0, answer.stderr
    features = json.loads(file.read_text())["features"]
    assert len(features) == 17 and {feature["properties"]["username"] for feature in features} == {"bob"}
