"""The demo runs twice on the same data, and its output is true."""

import re
import signal
import subprocess
import time

import pytest
import requests

from applications import soon
from devices import program

PROGRAM = program("location-tracker")
LOGIN = re.compile(r"^Login +(\w+), password (\S+)$", re.M)
COUNTS = {"ana": 99, "ben": 17}


class Demo:
    def __init__(self, data, *arguments, waits=True):
        self.data = str(data)
        self.process = subprocess.Popen(
            [PROGRAM, "demo", "--port", "0", "--data", str(data), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        if waits:
            self.read_until("Serving")

    def read_until(self, beginning):
        while not self.lines or not self.lines[-1].startswith(beginning):
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.lines.append(line)

    @property
    def story(self):
        return "".join(self.lines)

    @property
    def url(self):
        return re.search(r"http://127\.0\.0\.1:\d+", self.story)[0]

    @property
    def logins(self):
        return dict(LOGIN.findall(self.story))

    def count(self, path, login):
        """The number of locations that the user of a login can read."""
        answer = requests.get(f"{self.url}/{path}/_all_docs", auth=login, timeout=30)
        assert answer.ok, answer.text
        return len([row for row in answer.json()["rows"] if not row["id"].startswith("_design/")])

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        _, complaints = self.process.communicate(timeout=10)
        assert (self.process.returncode, complaints) == (0, "")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo"), "--still")
    yield demo
    demo.stop()


def key(demo, user):
    answer = requests.post(
        f"{demo.url}/api/login", json={"username": user, "password": demo.logins[user]}, timeout=30)
    assert answer.ok, answer.text
    return (answer.json()["api_key"], answer.json()["api_password"])


def test_one_is_cut_off_for_half_of_the_way_and_loses_nothing(demo):
    assert "ana drives drive-past-the-places (made up)" in demo.story
    assert "ben drives around-visnjan-with-car (a real trace)" in demo.story
    before = int(re.search(r"ana is offline after (\d+) locations", demo.story)[1])
    back, pushed = map(int, re.search(r"ana is back: (\d+) locations recorded, (\d+) of them pushed", demo.story).groups())
    assert 0 < pushed <= before < back < 99
    assert "ana arrived: 99 locations of 406 readings, all of them pushed" in demo.story
    assert "ben arrived: 17 locations of 104 readings, all of them pushed" in demo.story
    assert "50 points of interest" in demo.story and len(demo.story.splitlines()) < 28


def test_the_map_and_the_passwords_are_told_before_the_story(demo):
    told = [line.split()[0] for line in demo.lines]
    assert told.index("Map") < told.index("Login") < told.index("Phone") and told[-1] == "Serving"
    assert f"Map       {demo.url}/tracker\n" in demo.story


def test_each_reads_their_own_and_the_analyst_everybodys(demo):
    analyst = ("analyst", demo.logins["analyst"])
    assert demo.count("lt_locations_all", analyst) == 116
    assert "17 of ben in lt_locations_all" in demo.story and "99 of ana" in demo.story
    for user, other in [("ana", "ben"), ("ben", "ana")]:
        assert demo.count(f"lt_locations_user_{user}", key(demo, user)) == COUNTS[user]
        for database in [f"lt_locations_user_{other}", "lt_locations_all"]:
            answer = requests.get(f"{demo.url}/{database}/_all_docs", auth=key(demo, user), timeout=30)
            assert answer.status_code == 403
            assert f"{user} asks for {database}: 403 {answer.json()['error']}." in demo.story
        own = requests.get(f"{demo.url}/lt_locations_user_{user}", auth=analyst, timeout=30)
        assert own.status_code == 403
    assert requests.get(demo.url + "/lt_users", auth=analyst, timeout=30).status_code == 403


def test_a_user_with_an_analysts_name_does_not_exclude_the_analyst(demo):
    answer = requests.put(f"{demo.url}/api/users/analyst", json={"password": "on the road"}, timeout=30)
    assert answer.status_code == 201

    def log_in(password):
        return requests.post(f"{demo.url}/tracker/login", json={"name": "analyst", "password": password}, timeout=30)
    assert log_in("on the road").json()["database"] == "lt_locations_user_analyst"
    assert log_in(demo.logins["analyst"]).json() == {"ok": True, "name": "analyst", "roles": ["locationtracker/analyst"]}
    assert log_in("wrong").status_code == 401
    for body in [{}, {"name": "ana"}, {"name": 1, "password": "x"}, []]:
        assert requests.post(f"{demo.url}/tracker/login", json=body, timeout=30).status_code == 400


def test_again_on_the_same_data_nothing_is_done_twice(tmp_path):
    first = Demo(tmp_path, "--still")
    first.stop()
    second = Demo(tmp_path, "--still")
    assert second.story.count("exists already") == 2 and "is registered" not in second.story and "drives" not in second.story
    assert "pulled 99 locations, none recorded twice, 0 sent" in second.story
    assert "pulled 17 locations, none recorded twice, 0 sent" in second.story
    assert demo_counts(second) == COUNTS
    assert not set(first.logins.values()) & set(second.logins.values())
    old = requests.post(
        f"{second.url}/api/login", json={"username": "ana", "password": first.logins["ana"]}, timeout=30)
    assert old.status_code == 401
    second.stop()
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for password in [*first.logins.values(), *second.logins.values()]:
        assert password.encode() not in held


def demo_counts(demo):
    return {user: demo.count(f"lt_locations_user_{user}", key(demo, user)) for user in COUNTS}


def test_after_a_run_that_was_killed_on_the_way_the_story_is_whole(tmp_path):
    killed = Demo(tmp_path, waits=False)
    killed.read_until("Phone     ana is back")
    killed.process.kill()
    killed.process.communicate(timeout=10)
    second = Demo(tmp_path, "--still")
    assert "ana had " in second.story and "of a run that was stopped" in second.story
    assert demo_counts(second) == COUNTS
    assert second.count("lt_locations_all", ("analyst", second.logins["analyst"])) == 116
    second.stop()


def test_the_users_drive_on_so_that_a_visitor_sees_them_move(tmp_path):
    demo = Demo(tmp_path)
    demo.read_until("Phone     ana and ben drive on")
    analyst = ("analyst", demo.logins["analyst"])
    assert soon(lambda: demo.count("lt_locations_all", analyst) >= 116 + 4)
    answer = requests.get(demo.url + "/lt_locations_all/_design/users/_view/newest", auth=analyst, timeout=30, params={
        "startkey": '["ana",{}]', "endkey": '["ana"]', "descending": "true", "reduce": "false", "include_docs": "true", "limit": 1})
    newest = answer.json()["rows"][0]["doc"]
    assert newest["properties"]["session_id"].startswith("driving-on-") and time.time() * 1000 - newest["created_at"] < 60_000
    demo.stop()
    # The next run finds the journeys complete, with what followed them.
    again = Demo(tmp_path, "--still")
    assert again.story.count("exists already") == 2 and "drives" not in again.story
    assert min(demo_counts(again)[user] - COUNTS[user] for user in COUNTS) >= 1
    again.stop()


def test_stopped_on_the_way_it_ends_without_a_complaint(tmp_path):
    demo = Demo(tmp_path, waits=False)
    demo.read_until("Phone     ana is offline")
    demo.stop()


def test_a_second_one_is_told_how_to_run_beside_the_first(demo, tmp_path):
    port = demo.url.rsplit(":", 1)[1]
    for port, data, says in [
            ("0", demo.data, "is open in another Godwit process. Stop it, use another directory"),
            (port, tmp_path, f"port {port} is in use. Choose another with --port")]:
        run = subprocess.run([PROGRAM, "demo", "--port", port, "--data", data], capture_output=True, text=True, timeout=30)
        assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and says in run.stderr
