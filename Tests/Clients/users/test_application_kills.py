"""Servers that are killed while accounts are created, while they are deleted, and while changes are consolidated."""

import os
import random
import threading
import time

import pytest
import requests

from applications import APP, User, consolidated, declare, soon
from conftest import Server

KILLS = max(3, int(os.environ.get("GODWIT_KILLS", "200")) // 20)
# The required number of kills during consolidation, in every run.
CONSOLIDATION_KILLS = max(100, KILLS)


def databases(site):
    return {name for name in site.json("GET", "/_all_dbs") if name.startswith("lt_user_")}


def users(site):
    rows = site.json("GET", "/lt_users/_all_docs")["rows"]
    return {row["id"] for row in rows if not row["id"].startswith("_design/")}


def kill_later(site, seconds):
    def kill():
        time.sleep(seconds)
        site.kill()
    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_a_registration_that_is_killed_leaves_all_or_nothing(tmp_path):
    chance = random.Random(47)
    site = Server(tmp_path / "data")
    declare(site)
    begun = time.monotonic()
    assert requests.put(f"{site.url}{APP}/users/user0", json={"password": "user0's own password"}, timeout=60).status_code == 201
    # The first registration after a start takes longest, on any machine.
    pace = time.monotonic() - begun
    made, number = {"user0"}, 0
    for _ in range(KILLS):
        killer, made_before = kill_later(site, chance.uniform(0, 3 * pace)), len(made)
        try:
            while True:
                number += 1
                name = f"user{number}"
                answer = requests.put(
                    f"{site.url}{APP}/users/{name}", json={"password": f"{name}'s own password"}, timeout=10)
                if answer.status_code == 201:
                    made.add(name)
        except requests.RequestException:
            pass
        killer.join()
        site.start()
        # The machine may have become slower.
        pace *= 1 if len(made) > made_before else 1.5
        there = users(site)
        assert made <= there, "an account that was acknowledged is gone"
        assert databases(site) == {f"lt_user_{name}" for name in there}, "a database without an account, or the reverse"
    assert len(made) > 1, "every try was cut before one account was made"
    name = sorted(made)[0]
    user = User(site, name, registers=False)
    user.save("a", n=1)
    # An interrupted registration can be repeated.
    again = requests.put(f"{site.url}{APP}/users/user{number}", json={"password": "a password"}, timeout=10)
    assert again.status_code in (201, 409)
    site.stop()


def test_a_removal_that_is_killed_is_gone_on_with(tmp_path):
    chance = random.Random(11)
    site = Server(tmp_path / "data")
    declare(site)
    for round in range(KILLS):
        user = User(site, f"user{round}")
        for number in range(5):
            user.save(f"doc{number}", n=number)
        assert soon(lambda: sum(id.startswith(f"user{round}:") for id in consolidated(site)) == 5)
        killer = kill_later(site, chance.uniform(0, 0.03))
        begun = False
        try:
            answer = site.request("DELETE", f"{APP}/users/user{round}")
            begun = answer.ok
        except requests.RequestException:
            pass
        killer.join()
        site.start()
        there = f"user{round}" in users(site)
        assert not (begun and there)
        left = sum(id.startswith(f"user{round}:") for id in consolidated(site))
        assert left == (5 if there else 0)
        assert (user.database in databases(site)) == there
        if there:
            assert user.ask("GET", user.own("/doc1")).json()["n"] == 1
    site.stop()


@pytest.mark.timeout(600)
def test_consolidation_loses_and_doubles_nothing_when_killed(tmp_path):
    """Users write, edit, conflict, delete and attach while the server is killed repeatedly."""
    chance = random.Random(3)
    site = Server(tmp_path / "data")
    declare(site)
    people = [User(site, f"user{number}") for number in range(8)]
    errors, kept, stop = [], set(), threading.Event()

    def write(user, seed):
        own = random.Random(seed)
        session = requests.Session()
        session.auth = user.key
        number = 0
        revisions = {}
        while not stop.is_set():
            try:
                number += 1
                id = f"doc{own.randrange(40)}"
                path = site.url + user.own(f"/{id}")
                kind = own.random()
                if kind < 0.2 and revisions.get(id):
                    session.delete(path, params={"rev": revisions.pop(id)}, timeout=5)
                elif kind < 0.35:
                    # A revision from elsewhere, in conflict with the stored one.
                    body = {"n": number, "_rev": f"1-{own.randrange(16 ** 32):032x}"}
                    session.put(path, params={"new_edits": "false"}, json=body, timeout=5)
                elif kind < 0.45:
                    name = {"_attachments": {"a.txt": {"content_type": "text/plain", "data": "aGVsbG8="}}}
                    answer = session.put(path + f"-{number}", json={"n": number, **name}, timeout=5)
                    if answer.status_code == 201:
                        kept.add(f"{user.name}:{id}-{number}")
                else:
                    answer = session.put(path, json={"n": number, "_rev": revisions.get(id)}
                                         if revisions.get(id) else {"n": number}, timeout=5)
                    if answer.status_code == 201:
                        revisions[id] = answer.json()["rev"]
                    elif answer.status_code == 409:
                        known = session.get(path, timeout=5)
                        revisions[id] = known.json().get("_rev") if known.ok else None
            except requests.RequestException:
                time.sleep(0.02)
            except ValueError as error:
                errors.append(error)

    threads = [threading.Thread(target=write, args=(user, seed)) for seed, user in enumerate(people)]
    for thread in threads:
        thread.start()
    last = 0
    for round in range(CONSOLIDATION_KILLS):
        # Mostly soon after the start, sometimes after many changes.
        time.sleep(chance.uniform(0.5, 1) if round % 10 == 9 else chance.uniform(0, 0.3))
        before = written(site)
        site.kill()
        site.start()
        assert last <= before <= written(site), "what was consolidated is gone"
        last = before
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert soon(lambda: leaves(site, "lt_all") == expected(site, people), 120), "the two differ"
    assert len(kept) > CONSOLIDATION_KILLS / 2, "the server was killed before users could write anything"
    assert kept <= set(leaves(site, "lt_all")), "what was acknowledged is gone"
    count = site.json("GET", "/lt_all")["update_seq"]
    time.sleep(1)
    assert site.json("GET", "/lt_all")["update_seq"] == count, "what is consolidated is written again"
    # Attachments arrived with their documents.
    for id, document in consolidated(site, attachments="true").items():
        for attachment in document.get("_attachments", {}).values():
            assert attachment["data"] == "aGVsbG8=", id
    site.stop()


def written(site):
    """The number of consolidated changes."""
    return int(site.json("GET", "/lt_all")["update_seq"].split("-")[0])


def leaves(site, database):
    """All leaves of all documents, including deleted ones."""
    rows = site.json("GET", f"/{database}/_changes", params={"style": "all_docs"})["results"]
    return {row["id"]: sorted(change["rev"] for change in row["changes"])
            for row in rows if not row["id"].startswith("_design/")}


def expected(site, people):
    return {f"{user.name}:{id}": revisions for user in people for id, revisions in leaves(site, user.database).items()}


def test_a_stopped_server_consolidates_what_was_left(tmp_path):
    """Changes that were not consolidated are in the journal of databases, also after a regular stop."""
    site = Server(tmp_path / "data")
    declare(site, consolidated=None)
    people = [User(site, f"user{number}") for number in range(20)]
    for user in people:
        user.save("a", of=user.name)
    site.stop()
    site.start()
    declare(site)
    for user in people[:3]:
        user.save("b", of=user.name)
    site.stop()
    site.start()
    assert soon(lambda: {f"{user.name}:a" for user in people} <= set(consolidated(site)))
    assert soon(lambda: {f"{user.name}:b" for user in people[:3]} <= set(consolidated(site)))
    site.stop()
