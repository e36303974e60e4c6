"""Each journey of the data, tracked on a device, is the same there, in the user's database and in the consolidated one, and
equals a plain computation of the filters."""

import datetime
import json
import math
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest
import requests

from applications import soon
from conftest import CLIENTS, ROOT, Server, godwit
from devices import program

PROGRAM = program("location-tracker")
TRACKS = sorted((ROOT / "Examples/LocationTracker/Data/tracks").glob("*.gpx")) + sorted(
    (CLIENTS / "Data/tracks").glob("*.gpx"))
PASSWORD = "correct horse battery"
KEY = "07" * 32
# By background or foreground: the required accuracy of a reading and its minimum distance, in meters.
MODES = {False: (25, 15), True: (100, 100)}
# The start of GPS time; an earlier time is invalid.
EARLIEST = 315_964_800_000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("journeys") / "server", program=PROGRAM)
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    application = site.json("GET", "/_apps/locationtracker")
    site.json("PUT", "/_apps/locationtracker", json={**application, "registrations_per_minute": 1_000})
    yield site
    site.stop()


def inner(element, name):
    return [child for child in element.iter() if child.tag.split("}")[-1] == name]


def milliseconds(point):
    for time in inner(point, "time"):
        return round(datetime.datetime.fromisoformat(time.text).timestamp() * 1_000)


def times(segment):
    """The times of a segment; `None` if they are unusable."""
    found = [milliseconds(point) for point in segment]
    return found if None not in found and found[0] >= EARLIEST and found == sorted(found) else None


def readings(track):
    """The time, the position and the accuracy of each point. If times are missing there is a point per second."""
    segments = [inner(segment, "trkpt") for segment in inner(xml.parse(track).getroot(), "trkseg")]
    segments = [segment for segment in segments if segment]
    last = None
    for number, segment in enumerate(segments):
        known = times(segment)
        if known is None:
            later = next((start[0] for start in map(times, segments[number + 1:]) if start), None)
            start = later - len(segment) * 1_000 if later else last + 1_000 if last else 0
            known = [start + second * 1_000 for second in range(len(segment))]
        for time, point in zip(known, segment):
            dilution = [float(value.text) for value in inner(point, "hdop")] or [1]
            yield time, (float(point.get("lon")), float(point.get("lat"))), dilution[0] * 5
        last = known[-1]


def meters(one, other):
    (west, south), (east, north) = ([math.radians(part) for part in point] for point in (one, other))
    half = (math.sin((north - south) / 2) ** 2
            + math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2)
    return 2 * 6_371_008.8 * math.asin(math.sqrt(half))


def taken(track, accuracy_max, distance_min):
    found = []
    for time, place, accuracy in readings(track):
        if accuracy <= accuracy_max and (
                not found or meters(found[-1][1], place) >= distance_min and time - found[-1][0] > 15_000):
            found.append((time, place))
    return found


def documents(lines, prefix=""):
    """Documents by id, without revisions."""
    return {document["_id"].removeprefix(prefix): {
        name: value for name, value in document.items() if name not in ("_id", "_rev")}
        for document in lines if not document["_id"].startswith("_design/") and document["_id"].startswith(prefix)}


def stored(site, database, prefix=""):
    rows = site.json("GET", f"/{database}/_all_docs", params={"include_docs": "true"})["rows"]
    return documents((row["doc"] for row in rows), prefix)


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.stem)
def test_a_journey_is_the_same_everywhere(site, tmp_path, track):
    user = f"user-{track.stem.lower()}"
    environment = {**os.environ, "LOCATION_TRACKER_SERVER": site.url, "LOCATION_TRACKER_PASSWORD": PASSWORD,
                   "LOCATION_TRACKER_DATA": str(tmp_path / "device"), "LOCATION_TRACKER_KEY": KEY}
    journey = ["track", "--gpx", str(track), "--speed", "1e9"]
    for arguments in [["register", user], journey, [*journey, "--background"]]:
        run = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stdout + run.stderr
    run = godwit("export", str(tmp_path / "device/locationtracker/locations"), "-", "--format", "jsonl",
                 env={**os.environ, "GODWIT_ENCRYPTION_KEY": KEY})
    assert run.returncode == 0, run.stderr
    on_phone = documents(map(json.loads, run.stdout.splitlines()))
    for is_background, limits in MODES.items():
        found = sorted((place["created_at"], tuple(place["geometry"]["coordinates"])) for place in on_phone.values()
                       if place["properties"]["background"] is is_background)
        assert found == taken(track, *limits) and found
    login = requests.post(
        f"{site.url}/api/login", json={"username": user, "password": PASSWORD}, timeout=60).json()
    assert stored(site, login["location_db_name"]) == on_phone
    assert soon(lambda: stored(site, "lt_locations_all", f"{user}:") == on_phone, 60)


def test_all_journeys_of_the_data_are_there():
    assert len(TRACKS) == 5
