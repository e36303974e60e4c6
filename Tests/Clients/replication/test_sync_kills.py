"""Replications whose processes are killed."""

import random
import signal
import subprocess
import time

import pytest

from bad_network import LONG, MB, WAIT_SECONDS, Proxy, Run, assert_equal, contents, load
from conftest import GODWIT, Server, godwit
from replicas import replicate

KILLED_DOCUMENTS = 100_000 if LONG else 12_000
KILL_SECONDS = 1 if LONG else 0.4


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("many") / "data")
    load(server, "many", KILLED_DOCUMENTS)
    server.contents = contents(server, "many")
    yield server
    server.stop()


@pytest.mark.timeout(1_200 if LONG else 400)
@pytest.mark.parametrize("victim", ["replicator", "source", "target"])
def test_killed_every_second(many, other, victim):
    """One process is killed every second (more often for short runs): the replication completes, and both databases are
    equal."""
    source, target = many.database("many"), other.database("copy")
    deadline = time.monotonic() + WAIT_SECONDS
    kills, pace, before = 0, KILL_SECONDS, 0

    def arrived():
        return other.request("GET", "/copy").json().get("doc_count", 0)

    def slower():
        """Increases the time to the next kill on a machine on which nothing arrives between two kills."""
        nonlocal pace, before
        now = arrived()
        pace, before = (pace * 1.5 if now == before else pace), now
        assert time.monotonic() < deadline, now
    if victim == "replicator":
        while True:
            run = subprocess.Popen([GODWIT, "replicate", source, target, "--create-target"], stdout=subprocess.DEVNULL)
            try:
                assert run.wait(pace) == 0
                break
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                kills += 1
                slower()
    else:
        server = many if victim == "source" else other
        with Run(source, target) as run:
            while arrived() < KILLED_DOCUMENTS:
                time.sleep(pace)
                server.kill()
                server.start()
                kills += 1
                slower()
            run.wait_until_idle()
            run.stop()
    print(f"{kills} kills")
    assert kills >= 1
    assert_equal(contents(other, "copy"), many.contents)


FILM_BYTES = 50 * MB if LONG else 16 * MB
# The bytes that arrive between two kills: so many that the loss of a kill, less than 1 MB, is a small part.
FILM_STEP_BYTES = FILM_BYTES * 2 // 5
# The same for a push, of which some megabytes in buffers still arrive when its process is dead.
PUSHED_STEP_BYTES = FILM_BYTES // 5
# The rate of a test's proxy in bytes per second.
FILM_RATE = 8 * MB


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_killed_within_an_attachment(other, tmp_path, end):
    """After a pull was killed, or stopped, within a large attachment, the next one continues from there."""
    other.json("PUT", "/films")
    film = random.Random(7).randbytes(FILM_BYTES)
    other.json("PUT", "/films/a/film.bin", data=film, headers={"Content-Type": "video/mp4"})
    directory = tmp_path / "d"
    with Proxy(other, rate=FILM_RATE) as proxy:
        for step in (1, 2):
            before = proxy.bytes
            run = subprocess.Popen([GODWIT, "replicate", proxy.database("films"), f"{directory}/films", "--create-target"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + WAIT_SECONDS
            while proxy.bytes < before + FILM_STEP_BYTES:
                assert run.poll() is None and time.monotonic() < deadline
                time.sleep(0.005)
            run.send_signal(end)
            assert run.wait(30) != 0
            # The stored bytes are no damage, and no attachment.
            doctor = godwit("doctor", str(directory))
            assert doctor.returncode == 0 and "films: 0 documents, nothing wrong" in doctor.stdout, doctor.stdout
        done = replicate(proxy.database("films"), f"{directory}/films")
        took = proxy.bytes
    assert done["ok"] and done["docs_written"] == 1
    print(f"{end.name}: {took / FILM_BYTES:.2f} times the bytes")
    assert took < 1.3 * FILM_BYTES
    expected = contents(other, "films")
    copy = Server(directory)
    try:
        assert_equal(contents(copy, "films"), expected)
    finally:
        copy.stop()


@pytest.mark.parametrize(
    "victim, end", [("replicator", signal.SIGKILL), ("replicator", signal.SIGINT), ("target", signal.SIGKILL)])
def test_killed_within_a_pushed_attachment(server, other, tmp_path, victim, end):
    """After a push was killed or stopped within a large attachment, or its target was killed, the next one continues from
    there."""
    server.json("PUT", "/films")
    film = random.Random(8).randbytes(FILM_BYTES)
    server.json("PUT", "/films/a/film.bin", data=film, headers={"Content-Type": "video/mp4"})
    source = str(tmp_path / "d" / "films")
    replicate(server.database("films"), source, "--create-target")
    with Proxy(other, rate=FILM_RATE) as proxy:
        for step in (1, 2):
            before = proxy.bytes
            run = subprocess.Popen([GODWIT, "replicate", source, proxy.database("films"), "--create-target"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + WAIT_SECONDS
            while proxy.bytes < before + PUSHED_STEP_BYTES:
                assert run.poll() is None and time.monotonic() < deadline
                time.sleep(0.005)
            if victim == "target":
                other.kill()
            run.send_signal(end)
            assert run.wait(30) != 0
            if victim == "target":
                other.start()
        done = replicate(source, proxy.database("films"))
        took = proxy.bytes
    assert done["ok"] and done["docs_written"] == 1
    print(f"{victim}, {end.name}: {took / FILM_BYTES:.2f} times the bytes")
    assert took < 1.3 * FILM_BYTES
    assert_equal(contents(other, "films"), contents(server, "films"))
