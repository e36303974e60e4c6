"""A database is deleted and made again, or restored from a backup, while a replication runs: nothing is missing at the end
(issue 55). With `COUCHDB_URL`, CouchDB's replicator and CouchDB's databases too."""

import os
import signal
import subprocess
import time
import uuid

import pytest
import requests

from conftest import GODWIT, eventually

COUCHDB = os.environ.get("COUCHDB_URL")
COUNT = 100
# Several tests use one CouchDB at the same time.
NAME = f"godwit_{uuid.uuid4().hex}"


def fill(address, first=0, count=COUNT):
    answer = requests.post(f"{address}/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n} for n in range(first, first + count)]}, timeout=60)
    assert answer.status_code == 201


def ids(address):
    answer = requests.get(f"{address}/_all_docs", timeout=60)
    return {row["id"] for row in answer.json()["rows"]} if answer.ok else set()


def remake(address):
    assert requests.delete(address, timeout=60).ok
    assert requests.put(address, timeout=60).status_code in (201, 202)


class Pair:
    """A source and a target, and what replicates between them."""

    def __init__(self, server, other, ours):
        self.runner = server
        self.source = server.database("source")
        self.target = other.database("target") if ours else f"{COUCHDB}/{NAME}_target"
        requests.delete(self.target, timeout=60)
        for address in (self.source, self.target):
            assert requests.put(address, timeout=60).status_code in (201, 202), address

    def all_there(self, count, seconds=60):
        eventually(lambda: len(ids(self.target)) == count, seconds)


def peers():
    return ["godwit", pytest.param("couchdb", marks=pytest.mark.skipif(not COUCHDB, reason="takes a CouchDB: COUCHDB_URL=http://admin:secret@host:port"))]


@pytest.fixture(params=peers())
def pair(request, server, other):
    return Pair(server, other, request.param == "godwit")


@pytest.fixture(params=["_replicator", "command"])
def push(request, pair):
    """A continuous push that has replicated some documents."""
    fill(pair.source)
    process = None
    if request.param == "_replicator":
        pair.runner.json("PUT", "/_replicator/job", json={"source": "source", "target": pair.target, "continuous": True})
    else:
        process = subprocess.Popen([GODWIT, "replicate", "--continuous", pair.source, pair.target],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    pair.all_there(COUNT)
    # A checkpoint says so.
    eventually(lambda: local_documents(pair.target))
    yield pair
    if process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def local_documents(address):
    return requests.get(f"{address}/_local_docs", timeout=60).json()["rows"]


def test_a_target_that_is_made_again_gets_everything(push):
    remake(push.target)
    fill(push.source, COUNT, 1)
    push.all_there(COUNT + 1)


def test_a_later_run_sends_everything_to_a_target_that_was_made_again(pair):
    fill(pair.source)
    body = {"source": "source", "target": pair.target}
    assert pair.runner.json("POST", "/_replicate", json=body)["ok"]
    remake(pair.target)
    assert pair.runner.json("POST", "/_replicate", json=body)["ok"]
    assert len(ids(pair.target)) == COUNT


def test_a_source_that_is_made_again_is_read_from_its_beginning(server, other):
    pair = Pair(server, other, ours=True)
    fill(pair.source)
    server.json("PUT", "/_replicator/job", json={"source": pair.source, "target": pair.target, "continuous": True})
    pair.all_there(COUNT)
    remake(pair.source)
    fill(pair.source, 1_000, COUNT)
    pair.all_there(2 * COUNT)


def test_a_target_that_is_away_for_a_while_gets_everything(server, other):
    pair = Pair(server, other, ours=True)
    fill(pair.source)
    server.json("PUT", "/_replicator/job", json={"source": "source", "target": pair.target, "continuous": True})
    pair.all_there(COUNT)
    assert requests.delete(pair.target, timeout=60).ok
    fill(pair.source, COUNT, 1)
    time.sleep(8)
    assert requests.put(pair.target, timeout=60).ok
    pair.all_there(COUNT + 1, 90)


def test_a_target_that_is_restored_from_a_backup_gets_what_it_lost(server, other):
    pair = Pair(server, other, ours=True)
    fill(pair.source, 0, COUNT // 2)
    server.json("PUT", "/_replicator/job", json={"source": "source", "target": pair.target, "continuous": True})
    pair.all_there(COUNT // 2)
    backup = requests.get(f"{pair.target}/_godwit/backup", timeout=60).content
    fill(pair.source, COUNT // 2, COUNT // 2)
    pair.all_there(COUNT)
    assert requests.delete(pair.target, timeout=60).ok
    restored = requests.put(f"{pair.target}/_godwit/backup", data=backup, headers={"Content-Type": "application/octet-stream"}, timeout=60)
    assert restored.ok, restored.text
    fill(pair.source, COUNT, 1)
    pair.all_there(COUNT + 1, 90)


def test_an_instance_has_its_own_start_time(server):
    def start_time():
        info = server.json("GET", "/db")["instance_start_time"]
        assert info == server.json("POST", "/_dbs_info", json={"keys": ["db"]})[0]["info"]["instance_start_time"]
        assert info == server.json("POST", "/db/_ensure_full_commit", json={})["instance_start_time"]
        assert abs(int(info) / 1e6 - time.time()) < 3_600
        return info

    server.json("PUT", "/db")
    first = start_time()
    assert first == start_time()
    backup = server.request("GET", "/db/_godwit/backup").content
    server.stop()
    server.start()
    assert first == start_time()
    server.json("DELETE", "/db")
    server.json("PUT", "/db")
    second = start_time()
    server.json("DELETE", "/db")
    assert server.request("PUT", "/db/_godwit/backup", data=backup, headers={"Content-Type": "application/octet-stream"}).ok
    assert len({first, second, start_time()}) == 3


@pytest.mark.skipif(not COUCHDB, reason="takes a CouchDB: COUCHDB_URL=http://admin:secret@host:port")
def test_couchdbs_replicator_sends_everything_to_a_target_that_was_made_again(server):
    source, target = f"{COUCHDB}/{NAME}_source", server.database("target")
    requests.delete(source, timeout=60)
    requests.put(source, timeout=60)
    server.json("PUT", "/target")
    fill(source)
    job = f"{COUCHDB}/_replicator/{NAME}"
    body = {"source": source, "target": target, "continuous": True, "checkpoint_interval": 1_000}
    assert requests.put(job, json=body, timeout=60).ok
    try:
        eventually(lambda: len(ids(target)) == COUNT, 60)
        eventually(lambda: local_documents(target), 60)
        remake(target)
        fill(source, COUNT, 1)
        eventually(lambda: len(ids(target)) == COUNT + 1, 120)
    finally:
        revision = requests.get(job, timeout=60).json()["_rev"]
        requests.delete(job, params={"rev": revision}, timeout=60)
