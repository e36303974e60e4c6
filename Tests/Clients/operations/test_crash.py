"""A server killed in the middle of a load has every document that it acknowledged at its next start."""

import random
import threading
import time

import requests

from conftest import SYSTEM_DATABASES, Server, godwit

ROUNDS = 6


def load(server, name, number, acknowledged, stop):
    """Writes until the server is gone; records the acknowledged documents."""
    session = requests.Session()
    session.auth = ("admin", "secret")
    count = 0
    while not stop.is_set():
        count += 1
        try:
            if number % 2:
                identifier = f"{name}-{number}-{count}"
                answer = session.put(f"{server.url}/load/{identifier}", json={"n": count}, timeout=10)
                saved = [answer.json()]
            else:
                docs = [{"_id": f"{name}-{number}-{count}-{place}", "n": place} for place in range(100)]
                saved = session.post(f"{server.url}/load/_bulk_docs", json={"docs": docs}, timeout=10).json()
        except (requests.RequestException, ValueError):
            return
        acknowledged.update({row["id"]: row["rev"] for row in saved if row.get("ok")})


def test_killed_during_a_bulk_load(tmp_path):
    server = Server(tmp_path / "data")
    server.json("PUT", "/load")
    acknowledged = {}
    for turn in range(ROUNDS):
        stop = threading.Event()
        threads = [threading.Thread(target=load, args=(server, f"r{turn}", number, acknowledged, stop)) for number in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.2 + random.random() * 0.6)
        server.kill()
        stop.set()
        for thread in threads:
            thread.join(30)
        server.start()
        rows = server.json("GET", "/load/_all_docs?include_docs=true")["rows"]
        there = {row["id"]: row["value"]["rev"] for row in rows}
        missing = {identifier for identifier, revision in acknowledged.items() if there.get(identifier) != revision}
        assert not missing
        assert server.json("GET", "/load")["doc_count"] == len(rows)
        batches = {}
        for row in rows:
            if row["id"].count("-") == 3:
                batches.setdefault(row["id"].rsplit("-", 1)[0], []).append(row)
        assert all(len(batch) == 100 for batch in batches.values()), "no batch is half there"
    assert len(acknowledged) > 500
    server.stop()


def test_one_process_a_directory(server):
    run = godwit("serve", "--data", server.data, "--port", "0", "--admin", "a:b")
    assert run.returncode == 1
    assert "is open in another Godwit" in run.stderr and len(run.stderr.splitlines()) == 1
    server.kill()
    server.start()
    assert server.json("GET", "/_all_dbs") == SYSTEM_DATABASES
