"""The program `location-tracker` on separate devices, with its real server."""

import os
import re
import signal
import subprocess
import time

import pytest
import requests

from conftest import ROOT, Server
from devices import program

PROGRAM = program("location-tracker")
DRIVE = ROOT / "Examples/LocationTracker/Data/tracks/drive-past-the-places.gpx"
PASSWORD = "correct horse battery"


class Device:
    """A device of one user, with a separate directory."""

    def __init__(self, folder, server):
        self.folder = folder
        self.environment = {
            **os.environ, "LOCATION_TRACKER_DATA": str(folder), "LOCATION_TRACKER_SERVER": server.url,
            "LOCATION_TRACKER_PASSWORD": PASSWORD}

    def start(self, *arguments, **changes):
        return subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**self.environment, **changes})

    def run(self, *arguments, status=0, **changes):
        process = self.start(*arguments, **changes)
        output, complaints = process.communicate(timeout=120)
        assert process.returncode == status, output + complaints
        return output + complaints

    def track(self, *arguments, **changes):
        return self.run("track", "--gpx", str(DRIVE), "--speed", "1e6", *arguments, **changes)


@pytest.fixture
def tracker(tmp_path):
    server = Server(tmp_path / "server", program=PROGRAM)
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def device(tracker, tmp_path):
    """Creates devices; the kernel's keys of them are removed at the end."""
    made = []

    def make(name):
        made.append(Device(tmp_path / name, tracker))
        return made[-1]

    yield make
    for device in made:
        device.run("logout")


def locations(server, user):
    """The locations in a user's database, by time."""
    login = requests.post(f"{server.url}/api/login", json={"username": user, "password": PASSWORD}, timeout=60).json()
    rows = requests.get(
        f"{server.url}/{login['location_db_name']}/_all_docs", params={"include_docs": "true"},
        auth=(login["api_key"], login["api_password"]), timeout=60).json()["rows"]
    found = [row["doc"] for row in rows if not row["id"].startswith("_design/")]
    return sorted(found, key=lambda document: document["created_at"])


def test_a_journey_is_in_the_users_own_database_and_on_their_other_device(tracker, device):
    ana, ben, other = device("ana"), device("ben"), device("other")
    assert "Registered and logged in as ana." in ana.run("register", "ana")
    ben.run("register", "ben")
    assert "Tracked 99 locations of 406 fixes, 99 of them pushed." in ana.track()
    found = locations(tracker, "ana")
    assert len(found) == 99
    assert all(
        place["type"] == "Feature" and place["geometry"]["type"] == "Point"
        and place["properties"]["username"] == "ana" and place["properties"]["background"] is False
        and place["properties"]["timestamp"] == place["created_at"] for place in found)
    assert len({place["properties"]["session_id"] for place in found}) == 1
    other.run("login", "ana")
    assert "Pushed 0 locations, pulled 99 locations.\n99 locations here." in other.run("sync")
    assert "0 locations here." in ben.run("sync")
    assert locations(tracker, "ben") == []


def test_without_the_server_everything_goes_on_and_is_pushed_later(tracker, device):
    ana = device("ana")
    ana.run("register", "ana")
    ana.track()
    online = ana.run("places").splitlines()
    assert online and all(re.fullmatch(r" *\d+ m  .+", line) for line in online)
    tracker.kill()
    text = ana.track("--background")
    kept = int(re.search(r"Tracked (\d+) locations of 406 fixes, 0 of them pushed\.", text)[1])
    assert f"{kept} are stored on this machine" in text
    offline = ana.run("places").splitlines()
    assert "cannot be reached" in "\n".join(offline) and set(online) <= set(offline)
    assert "The locations are stored on this device" in ana.run("sync", status=1)
    tracker.start()
    assert f"Pushed {kept} locations, pulled 0 locations.\n{99 + kept} locations here." in ana.run("sync")
    found = locations(tracker, "ana")
    assert len(found) == 99 + kept
    assert sum(place["properties"]["background"] for place in found) == kept


def test_a_server_that_is_gone_for_half_of_the_way(tracker, device):
    ana = device("ana")
    ana.run("register", "ana")
    process = ana.start("track", "--gpx", str(DRIVE), "--speed", "250")
    time.sleep(2)
    tracker.kill()
    time.sleep(2)
    tracker.start()
    output, complaints = process.communicate(timeout=120)
    assert process.returncode == 0 and "Tracked 99 locations of 406 fixes, 99 of them pushed." in output, output + complaints
    assert len(locations(tracker, "ana")) == 99


def test_into_the_background_in_the_middle_of_a_journey(tracker, device):
    ana = device("ana")
    ana.run("register", "ana")
    process = ana.start("track", "--gpx", str(DRIVE), "--speed", "400")
    time.sleep(2.5)
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=120)
    assert process.returncode == 0
    kinds = [place["properties"]["background"] for place in locations(tracker, "ana")]
    assert kinds == sorted(kinds) and set(kinds) == {False, True}


def test_what_is_stored_is_encrypted_and_goes_with_the_logout(tracker, device):
    ana = device("ana")
    ana.run("register", "ana-who-travels")
    ana.track()
    login = requests.post(
        f"{tracker.url}/api/login", json={"username": "ana-who-travels", "password": PASSWORD}, timeout=60).json()
    secrets = [PASSWORD, login["api_key"], login["api_password"], "ana-who-travels", "session_id", "Feature"]
    for path in ana.folder.rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o077 == 0 or "locationtracker" in path.parts, path
            content = path.read_bytes()
            assert [secret for secret in secrets if secret.encode() in content] == [], path
    assert ana.folder.stat().st_mode & 0o077 == 0
    ana.run("logout")
    assert list(ana.folder.iterdir()) == []
    assert "No user is logged in." in ana.run("track", "--gpx", str(DRIVE), status=1)
    ana.run("logout")


def test_refusals_in_words(tracker, device):
    ana, ben = device("ana"), device("ben")
    ana.run("register", "ana")
    assert "Error registering. User already exists." in ben.run("register", "ana", status=1)
    wrong = [
        ben.run("login", "ana", status=1, LOCATION_TRACKER_PASSWORD="wrong"), ben.run("login", "nobody", status=1)]
    assert wrong[0] == wrong[1] and "Wrong name or password." in wrong[0]
    assert "ana is logged in on this device. Log out first" in ana.run("login", "ben", status=1)
    assert ana.run("map") == f"{tracker.url}/tracker\n"
    assert "--server" in ben.run("login", "ana", status=2, LOCATION_TRACKER_SERVER="")
    assert "PASSWORD" in ben.run("login", "ana", status=1, LOCATION_TRACKER_PASSWORD="")


def test_a_password_as_a_line_of_standard_input(tracker, device):
    ana = device("ana")
    environment = {**ana.environment, "LOCATION_TRACKER_PASSWORD": ""}
    subprocess.run([PROGRAM, "register", "ana"], input=f"{PASSWORD}\n", text=True, env=environment, check=True, timeout=60)
    ana.run("sync")
