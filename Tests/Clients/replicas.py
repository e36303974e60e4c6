"""Helpers for the tests of replications and backups: a database with documents of every kind, the compared content of two
databases, and `godwit replicate`."""

import json
import os

from conftest import godwit


def fill(server, name):
    """Documents of every kind: plain, updated, deleted, in conflict, with attachments, with odd ids."""
    server.json("PUT", f"/{name}")
    docs = [{"_id": f"plain-{number:04}", "n": number} for number in range(1_500)]
    docs += [{"_id": identifier, "x": "ä\u0000\U0001f426"} for identifier in ["a/b", "ä ö", 'with "quotes"', "a+b&c%20", "_design/d"]]
    server.json("POST", f"/{name}/_bulk_docs", json={"docs": docs})
    revision = server.json("GET", f"/{name}/plain-0000")["_rev"]
    for number in range(40):
        revision = server.json("PUT", f"/{name}/plain-0000", json={"_rev": revision, "n": number})["rev"]
    server.json("DELETE", f"/{name}/plain-0001?rev=" + server.json("GET", f"/{name}/plain-0001")["_rev"])
    tree = [{"_id": "conflict", "_revisions": {"start": 2, "ids": [leaf, "a"]}, "v": leaf} for leaf in "bcd"]
    tree.append({"_id": "conflict", "_revisions": {"start": 3, "ids": ["e", "d", "a"]}, "_deleted": True})
    server.json("POST", f"/{name}/_bulk_docs", json={"new_edits": False, "docs": tree})
    rev = server.json("PUT", f"/{name}/photo/a.bin", data=os.urandom(700_000), headers={"Content-Type": "image/jpeg"})["rev"]
    server.json("PUT", f"/{name}/photo/b.txt?rev={rev}", data=b"hello", headers={"Content-Type": "text/plain"})


def fingerprint(server, name):
    """Every leaf of every document with its history, body and attachments."""
    feed = server.json("GET", f"/{name}/_changes?style=all_docs")["results"]
    docs = [{"id": row["id"], "rev": leaf["rev"]} for row in feed for leaf in row["changes"]]
    found = server.json("POST", f"/{name}/_bulk_get?revs=true&attachments=true", json={"docs": docs})["results"]
    return sorted(json.dumps(result, sort_keys=True) for result in found)


def replicate(*arguments, code=0, **options):
    run = godwit("replicate", *arguments, "--json", **options)
    assert run.returncode == code, run.stdout + run.stderr
    return json.loads(run.stdout.splitlines()[-1])
