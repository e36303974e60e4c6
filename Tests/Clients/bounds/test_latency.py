"""The load of one client does not slow down the answers to others (issue 21): their p99 at most doubles.

Only with `./test --long`. The clients of the load need processor time, which another client on the same machine loses. So
each measurement has a control: the same load on another server, with the same data."""

import json
import multiprocessing
import os
import statistics
import time

import pytest
import requests

from conftest import Server

pytestmark = pytest.mark.skipif(not os.environ.get("GODWIT_LONG"), reason="takes minutes: ./test --long")

ROUNDS = 3
SECONDS = 8
CLIENTS = 4
# The pause between the requests of the measured client.
PAUSE_SECONDS = 0.004
ACCOUNTS = {name: f"{name}-password" for name in ("eve", "bob")}
COSTLY = {
    "a regular expression": ("POST", "/db/_find", {"selector": {"rxs": {"$elemMatch": {"$regex": "(a+)+$"}}}}),
    "a scan": ("POST", "/db/_find", {"selector": {"t": {"$regex": "x$"}, "n": {"$gt": -1}}}),
    "all documents": ("GET", "/db/_all_docs?include_docs=true", None),
}


def filled(directory):
    server = Server(directory)
    for name, password in ACCOUNTS.items():
        user = {"name": name, "password": password, "roles": [], "type": "user"}
        server.json("PUT", f"/_users/org.couchdb.user:{name}", json=user)
    server.json("PUT", "/db")
    server.json("PUT", "/db/_security", json={"members": {"names": list(ACCOUNTS), "roles": []}})
    server.json("PUT", "/db/small", json={"a": 1})
    for _ in range(60):
        server.json("POST", "/db/_bulk_docs", json={
            "docs": [{"n": n, "rxs": ["a" * 28 + "!"] * 20, "t": "word " * 20} for n in range(100)]})
    server.json("PUT", "/db/big", json={"rxs": ["a" * 28 + "!"] * 150_000})
    return server


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    both = [filled(tmp_path_factory.mktemp(name) / "data") for name in ("measured", "control")]
    yield both
    for server in both:
        server.stop()


def ask_much(url, request, stop):
    """Repeats a request until `stop` is set."""
    method, path, body = request
    while not stop.is_set():
        try:
            requests.request(method, url + path, json=body, auth=("eve", ACCOUNTS["eve"]), timeout=60)
        except requests.RequestException:
            pass


def measure(url, answers):
    """Measures point reads, `_up` and logins for a while; adds the seconds of each to `answers`."""
    session = requests.Session()
    login = {"name": "bob", "password": ACCOUNTS["bob"]}
    kinds = {
        "read": lambda: session.get(url + "/db/small", auth=tuple(login.values())),
        "up": lambda: session.get(url + "/_up"),
        "login": lambda: session.post(url + "/_session", json=login),
    }
    times = {kind: [] for kind in kinds}
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for kind, send in kinds.items():
            begun = time.perf_counter()
            assert send().status_code == 200
            times[kind].append(time.perf_counter() - begun)
        time.sleep(PAUSE_SECONDS)
    answers.put(times)


def p99(measured, asked=None, request=None):
    """The 99th percentile of each kind of answer of one server, while four clients send a load to another, or to the same."""
    stop, answers = multiprocessing.Event(), multiprocessing.Queue()
    clients = [multiprocessing.Process(target=ask_much, args=(asked.url, request, stop))
               for _ in range(CLIENTS if asked else 0)]
    for client in clients:
        client.start()
    time.sleep(1)
    victim = multiprocessing.Process(target=measure, args=(measured.url, answers))
    victim.start()
    times = answers.get(timeout=SECONDS + 60)
    stop.set()
    for process in (victim, *clients):
        process.join()
    return {kind: sorted(values)[len(values) * 99 // 100] for kind, values in times.items()}


@pytest.mark.parametrize("kind", COSTLY)
def test_others_stay_within_twice_their_p99(servers, kind):
    measured, control = servers
    rounds = [(p99(measured), p99(measured, control, COSTLY[kind]), p99(measured, measured, COSTLY[kind]))
              for _ in range(ROUNDS)]
    report = {}
    for answer in ("read", "up", "login"):
        idle, elsewhere, here = (statistics.median(one[n][answer] for one in rounds) for n in range(3))
        report[answer] = {name: f"{value * 1_000:.1f} ms" for name, value in
                          (("idle", idle), ("the same load elsewhere", elsewhere), ("here", here))}
        assert here <= 2 * max(idle, elsewhere), json.dumps(report)
    print(f"{kind}: {json.dumps(report)}")
