"""Replications whose processes are killed."""

import subprocess
import time

import pytest

from bad_network import LONG, WAIT_SECONDS, Run, assert_equal, contents, load
from conftest import GODWIT, Server

KILLED_DOCUMENTS = 100_000 if LONG else 12_000
KILL_SECONDS = 1 if LONG else 0.4


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("many") / "data")
    load(server, "many", KILLED_DOCUMENTS)
    server.contents = contents(server, "many")
    yield server
    server.stop()


@pytest.mark.timeout(1_200 if LONG else 120)
@pytest.mark.parametrize("victim", ["replicator", "source", "target"])
def test_killed_every_second(many, other, victim):
    """With the one or the other killed every second (more often where it is short), a replication comes to its end, and both sides are equal."""
    source, target = many.database("many"), other.database("copy")
    deadline = time.monotonic() + WAIT_SECONDS
    kills = 0
    if victim == "replicator":
        while True:
            run = subprocess.Popen([GODWIT, "replicate", source, target, "--create-target"], stdout=subprocess.DEVNULL)
            try:
                assert run.wait(KILL_SECONDS) == 0
                break
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                kills += 1
                assert time.monotonic() < deadline
    else:
        server = many if victim == "source" else other
        with Run(source, target) as run:
            def arrived():
                return other.request("GET", "/copy").json().get("doc_count", 0)
            while arrived() < KILLED_DOCUMENTS:
                assert time.monotonic() < deadline, arrived()
                time.sleep(KILL_SECONDS)
                server.kill()
                server.start()
                kills += 1
            run.wait_until_idle()
            run.stop()
    print(f"{kills} kills")
    assert kills >= 1
    assert_equal(contents(other, "copy"), many.contents)
