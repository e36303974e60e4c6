"""Searches for short requests with high costs: random selectors and view queries from a seed (issue 21).

Only with `./test --long`. It reports the ten worst, and fails if one is not answered or costs more than its budget."""

import json
import os
import random
import time

import pytest

from conftest import Server
from hostile import Process

ROUNDS = int(os.environ.get("GODWIT_HUNT_ROUNDS", "1500"))
SEED = int(os.environ.get("GODWIT_HUNT_SEED", "21"))
# The maximum processor time of a request: its budget is a minute or two, that of one document a tenth of a second
# (release).
SECONDS_MAX = 30

pytestmark = pytest.mark.skipif(not os.environ.get("GODWIT_LONG"), reason="takes minutes: ./test --long")


def pattern(random):
    atoms = ["a", "(a+)+", "(a|a)*", "(a|aa)+", ".*", "[a-z]+", "(.*)*", "a?", "\\d+", "(a*)*b", "x{1,200}"]
    return "".join(random.choice(atoms) for _ in range(random.randint(1, 12))) + random.choice(["$", "!", "", "c"])


def argument(random):
    return random.choice([
        None, True, random.randint(-10, 10**random.randint(1, 30)), random.random() * 10**random.randint(0, 20),
        "a" * random.randint(0, 40), [random.randint(0, 9) for _ in range(random.randint(0, 30))], {"a": {"b": [1, 2]}}])


def condition(random, depth):
    kind = random.choice(["$eq", "$ne", "$gt", "$lt", "$in", "$nin", "$all", "$regex", "$elemMatch", "$allMatch", "$not",
                          "$exists", "$size", "$type", "$mod", "$beginsWith", "$keyMapMatch"])
    if kind in ("$in", "$nin", "$all"):
        return {kind: [argument(random) for _ in range(random.randint(0, 60))]}
    if kind == "$regex":
        return {kind: pattern(random)}
    if kind in ("$elemMatch", "$allMatch", "$not", "$keyMapMatch"):
        return {kind: condition(random, depth + 1) if depth < 6 else {"$gt": 1}}
    fixed = {"$exists": random.random() < 0.5, "$size": random.randint(0, 9), "$type": "string", "$mod": [7, 3],
             "$beginsWith": "aaa"}
    return {kind: fixed.get(kind, argument(random))}


def selector(random, depth=0):
    if depth < 4 and random.random() < 0.5:
        return {random.choice(["$and", "$or", "$nor"]): [
            selector(random, depth + 1) for _ in range(random.randint(0, 12))]}
    field = random.choice(["rxs", "deep", "text", "n", "wide.f7", "rxs.0", "deep.a.a.a", "missing.x"])
    return {field: condition(random, depth)}


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"a": [value, value]} if depth < 10 else {"a": value}
    return value


@pytest.fixture(scope="module")
def hunted(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("hunt") / "data")
    server.json("PUT", "/db")
    server.json("POST", "/db/_bulk_docs", json={"docs": [
        {"_id": f"n{i}", "n": i, "rxs": ["a" * 28 + "!"] * 200, "text": "a" * 5_000, "deep": nested(300),
         "wide": {f"f{j}": j for j in range(500)}} for i in range(60)]})
    server.json("POST", "/db/_index", json={"index": {"fields": ["n"]}})
    server.json("POST", "/db/_index", json={"index": {"fields": ["text", "n"]}})
    yield server
    if server.process.poll() is None:
        server.stop()


def test_the_ten_worst(hunted):
    generator = random.Random(SEED)
    process = Process(hunted.process.pid)
    worst = []
    for _ in range(ROUNDS):
        query = {"selector": selector(generator), "limit": generator.choice([1, 25, 1_000])}
        if generator.random() < 0.3:
            query["sort"] = ["n"]
        path = generator.choice(["/db/_find", "/db/_find", "/db/_explain", "/db/_changes?filter=_selector"])
        body = json.dumps(query)
        before, begun = process.processor_seconds(), time.monotonic()
        answer = hunted.request("POST", path, data=body, headers={"Content-Type": "application/json"})
        cost = process.processor_seconds() - before
        assert answer.status_code in (200, 400, 503), (answer.status_code, answer.text, body)
        assert cost < SECONDS_MAX, (cost, path, body)
        worst.append((cost / len(body), cost, time.monotonic() - begun, path, body))
    worst.sort(reverse=True)
    for per_byte, cost, took, path, body in worst[:10]:
        print(f"{per_byte * 1e6:9.1f} us a byte, {cost:6.2f} s of processor, {took:6.2f} s: {path} {body[:300]}")
