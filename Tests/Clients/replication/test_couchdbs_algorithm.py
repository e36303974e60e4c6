"""Seeded worlds with CouchDB's replication algorithm on databases of Godwit: either database is made again or restored between any two
requests, and nothing is missing at the end.

The algorithm is that of CouchDB's replicator in a few lines: batches of changes, `_revs_diff`, `open_revs`, `_bulk_docs`, and a
checkpoint at both sides only if neither `instance_start_time` has changed since the start. `GODWIT_SEED` repeats a world."""

import json
import os
import random

import pytest
import requests

from loads import LONG

SEEDS = [int(os.environ["GODWIT_SEED"])] if "GODWIT_SEED" in os.environ else range(300 if LONG else 12)
STEPS_MAX = 2_000
RUNS_MAX = 20
HISTORY_MAX = 50
LOG = "_local/algorithm"
BINARY = {"Content-Type": "application/octet-stream"}


class Restart(Exception):
    """The run ends without a checkpoint, and the next one begins."""


class Database:
    def __init__(self, session, url):
        self.session, self.url = session, url

    def ask(self, method, path="", **options):
        return self.session.request(method, f"{self.url}{path}", timeout=60, **options)

    def read(self, method, path="", **options):
        answer = self.ask(method, path, **options)
        if not answer.ok:
            raise Restart(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def log(self):
        answer = self.ask("GET", f"/{LOG}")
        return answer.json() if answer.ok else {}

    def leaves(self):
        rows = self.read("GET", "/_changes?style=all_docs")["results"]
        return {row["id"]: [change["rev"] for change in row["changes"]] for row in rows}


def common_start(first, second):
    """The sequence up to which two logs agree."""
    if first and first.get("session_id") == second.get("session_id"):
        return first["source_last_seq"]
    others = {session["session_id"] for session in second.get("history", [])}
    return next((session["recorded_seq"] for session in first.get("history", []) if session["session_id"] in others), 0)


def replicate(source, target, draw):
    """One run; it yields before each request or group of requests between which nothing can happen."""
    begun = [database.read("GET")["instance_start_time"] for database in (source, target)]
    yield
    logs = source.log(), target.log()
    since, name, batches = common_start(*logs), f"{draw.random()}", 0
    recorded, size, per_checkpoint = since, draw.randint(1, 15), draw.randint(1, 4)
    while True:
        yield
        page = source.read("GET", "/_changes", params={"style": "all_docs", "since": since, "limit": size})
        wanted = {row["id"]: [change["rev"] for change in row["changes"]] for row in page["results"]}
        yield
        missing = target.read("POST", "/_revs_diff", json=wanted) if wanted else {}
        documents = []
        for identifier, found in missing.items():
            yield
            options = {"revs": "true", "latest": "true", "open_revs": json.dumps(found["missing"])}
            answer = source.ask("GET", f"/{identifier}", params=options, headers={"Accept": "application/json"})
            # A document that is gone now comes again with the changes of the new database.
            documents += [row["ok"] for row in answer.json() if "ok" in row] if answer.ok else []
        yield
        if documents:
            assert target.read("POST", "/_bulk_docs", json={"new_edits": False, "docs": documents}) == []
        since, batches = page["last_seq"], batches + 1
        is_last = not page["results"]
        if is_last or batches % per_checkpoint == 0:
            yield
            now = [database.read("POST", "/_ensure_full_commit", json={})["instance_start_time"] for database in (source, target)]
            if now != begun:
                raise Restart("instance_start_time has changed since the last checkpoint")
            if since != recorded:
                session = {"session_id": name, "recorded_seq": since}
                for database, log in zip((source, target), logs):
                    history = [session] + [former for former in log.get("history", []) if former["session_id"] != name]
                    log.update({"session_id": name, "source_last_seq": since, "history": history[:HISTORY_MAX]})
                    log["_rev"] = database.read("PUT", f"/{LOG}", json={key: value for key, value in log.items() if key != "_id"})["rev"]
                recorded = since
        if is_last:
            return


class World:
    def __init__(self, server, seed):
        self.draw = random.Random(seed)
        session = requests.Session()
        session.auth = ("admin", "secret")
        self.source, self.target = (Database(session, f"{server.url}/{name}{seed}") for name in ("from", "to"))
        self.count, self.backups = 0, {}
        for database in (self.source, self.target):
            database.read("PUT")
        self.write(self.draw.randint(1, 40))

    def write(self, count):
        """New documents and edits at the source; some edits are conflicts."""
        documents = []
        for _ in range(count):
            self.count += 1
            identifier = f"d{self.draw.randint(0, 30)}"
            known = self.source.ask("GET", f"/{identifier}")
            document = {"_id": identifier, "n": self.count}
            if known.ok and self.draw.random() < 0.7:
                document["_rev"] = known.json()["_rev"]
            elif known.ok:
                document["_rev"] = f"1-{self.draw.randrange(1 << 64):032x}"
                self.source.read("POST", "/_bulk_docs", json={"new_edits": False, "docs": [document]})
                continue
            documents.append(document)
            self.source.read("POST", "/_bulk_docs", json={"docs": [document]})

    def happen(self):
        kind = self.draw.choice(["write", "backup", "backup", "make", "restore"])
        database = self.draw.choice([self.source, self.target])
        if kind == "write":
            self.write(self.draw.randint(1, 5))
        elif kind == "backup":
            self.backups[database] = database.ask("GET", "/_godwit/backup").content
        elif kind == "make" or database not in self.backups:
            database.read("DELETE")
            database.read("PUT")
            if database is self.source:
                self.write(self.draw.randint(1, 10))
        else:
            database.read("DELETE")
            database.read("PUT", "/_godwit/backup", data=self.backups[database], headers=BINARY)

    def run(self, faults):
        """Runs until one ends well; returns the number of runs."""
        for number in range(RUNS_MAX):
            try:
                for step, _ in enumerate(replicate(self.source, self.target, self.draw)):
                    assert step < STEPS_MAX
                    if faults > 0 and self.draw.random() < 0.15:
                        faults -= 1
                        self.happen()
                return number + 1
            except Restart:
                continue
        raise AssertionError("no run ended well")


@pytest.mark.timeout(1_200 if LONG else 200)
def test_nothing_is_missing_at_the_end(server):
    runs = 0
    for seed in SEEDS:
        world = World(server, seed)
        for _ in range(3):
            runs += world.run(faults=world.draw.randint(0, 4))
            world.write(world.draw.randint(0, 3))
        runs += world.run(faults=0)
        # A leaf of a source that went back may be an ancestor at the target.
        missing = world.target.read("POST", "/_revs_diff", json=world.source.leaves())
        assert missing == {}, f"GODWIT_SEED={seed}: {missing}"
        for database in (world.source, world.target):
            database.read("DELETE")
    print(f"{len(SEEDS)} worlds, {runs} runs")
