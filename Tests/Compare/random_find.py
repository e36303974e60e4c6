#!/usr/bin/env python3
"""Random selectors over several indexes, with the documents that a CouchDB finds.

    random_find.py record URL     sends the selectors to a real CouchDB and stores its answers in answers/random-find.json

`Tests/Clients/queries/test_random_find.py` sends the same selectors to Godwit, without indexes and with all of them. The ids are
compared without their order, which depends on the index that a server chooses.
"""

import json
import pathlib
import random
import sys

import requests

FILE = pathlib.Path(__file__).parent / "answers/random-find.json"
SEED, DOCUMENTS, SELECTORS = 55, 80, 400
INDEXES = [["a"], ["b"], ["status"], ["owner"], ["a", "b"], ["o.k"], ["status", "owner"]]
VALUES = [0, 1, 2, 2.5, -1, "", "x", "y", "open", "done", "me", "you", None, True, False, [], [1], [1, 2], {"k": 1}]


def documents(choice):
    """Documents in which each field has values of several types, or is absent."""
    found = []
    for number in range(DOCUMENTS):
        document = {"_id": f"d{number:02}"}
        for field in ("a", "b"):
            if choice.random() < 0.8:
                document[field] = choice.choice(VALUES)
        if choice.random() < 0.9:
            document["status"] = choice.choice(["open", "done", "odd", "On", None])
        if choice.random() < 0.9:
            document["owner"] = choice.choice(["me", "you", "them"])
        if choice.random() < 0.6:
            document["o"] = {"k": choice.choice(VALUES)}
        found.append(document)
    return found


def condition(choice):
    """A condition on one value."""
    kind = choice.choice(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type", "$regex", "$size", "$all", "plain"])
    scalar = lambda: choice.choice([value for value in VALUES if not isinstance(value, (list, dict))])
    match kind:
        case "plain": return scalar()
        case "$in" | "$nin" | "$all": return {kind: [scalar() for _ in range(choice.randrange(4))]}
        case "$exists": return {kind: choice.random() < 0.5}
        case "$type": return {kind: choice.choice(["null", "boolean", "number", "string", "array", "object"])}
        case "$regex": return {kind: choice.choice(["^o", "e$", "[xy]", "."])}
        case "$size": return {kind: choice.randrange(3)}
        case _: return {kind: scalar()}


def selector(choice, depth):
    """A selector: conditions on fields, and combinations of selectors."""
    if depth == 0 or choice.random() < 0.35:
        return {choice.choice(["a", "b", "status", "owner", "o.k", "_id"]): condition(choice) for _ in range(choice.choice([1, 1, 2]))}
    kind = choice.choice(["$or", "$or", "$or", "$and", "$nor", "$not"])
    if kind == "$not":
        return {"$not": selector(choice, depth - 1)}
    found = {kind: [selector(choice, depth - 1) for _ in range(choice.choice([1, 2, 2, 3]))]}
    if choice.random() < 0.3:
        found |= selector(choice, 0)
    return found


def record(url):
    choice = random.Random(SEED)
    session, database = requests.Session(), f"{url}/random_find"
    session.delete(database)
    session.put(database, params={"q": 1}).raise_for_status()
    stored = documents(choice)
    session.post(f"{database}/_bulk_docs", json={"docs": stored}).raise_for_status()
    queries = []
    while len(queries) < SELECTORS:
        asked = selector(choice, 3)
        # Without an index, so that a fault of its planner is not recorded.
        answer = session.post(f"{database}/_find", json={"selector": asked, "fields": ["_id"], "limit": 1_000})
        if answer.ok:
            queries.append({"selector": asked, "ids": sorted(document["_id"] for document in answer.json()["docs"])})
    session.delete(database)
    lines = ",\n".join(json.dumps(query, separators=(",", ":")) for query in queries)
    documents_text = ",\n".join(json.dumps(document, separators=(",", ":")) for document in stored)
    FILE.write_text(f'{{"documents":[\n{documents_text}\n],"queries":[\n{lines}\n]}}\n')


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "record":
        sys.exit(__doc__)
    record(sys.argv[2])
