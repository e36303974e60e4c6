"""The edges of `edges.py` as the value of every setting: each is refused, or the server works with it and starts with it again."""

import json

import requests

from conftest import ADMIN, Server
from edges import LONG, SEED, TEXTS, Draw, quoted, short

# Keys of sections that are empty at first.
OPEN_KEYS = [("jwt_keys", "hmac:a"), ("jwt_keys", "rsa:_default"), ("admins", "other"), ("own", "key")]
CONFIG = "/_node/_local/_config"


def use(server, logs_in=True):
    """Requests that read settings; returns what is a fault of the server. A login takes long because of its hash."""
    login = {"name": ADMIN[0], "password": ADMIN[1]}
    asked = [
        requests.get(f"{server.url}/_all_dbs", headers={"Origin": "http://a:80", "Authorization": "Bearer e30.e30.e30"}, timeout=60),
        requests.options(f"{server.url}/db", headers={"Origin": "http://a:80", "Access-Control-Request-Method": "PUT"}, timeout=60),
        requests.get(f"{server.url}/_up", timeout=60),
        server.request("GET", "/_uuids?count=2"), server.request("GET", "/db/_design/d/_view/v"),
        server.request("POST", "/db/_find", json={"selector": {"n": {"$gt": 0}}}),
        server.request("POST", "/_replicate", json={"source": "http://127.0.0.1:9/x", "target": "db"}),
    ]
    if logs_in:
        asked.append(requests.post(f"{server.url}/_session", json=login, timeout=60))
        asked.append(server.request("PUT", "/_users/org.couchdb.user:mia", json={"name": "mia", "type": "user", "roles": [], "password": "x"}))
    return [f"{answer.status_code} {answer.url} {answer.text[:200]}" for answer in asked
            if answer.status_code >= 500 and answer.status_code not in (503, 504) and "replication_failed" not in answer.text]


def test_edges_in_every_setting(tmp_path):
    server, draw = Server(tmp_path / "data", environment={"SWIFT_BACKTRACE": "enable=no"}), Draw()
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"n": 1})
    server.json("PUT", "/db/_design/d", json={"views": {"v": {"map": "function (doc) { emit(doc.n) }"}}})
    settings = server.json("GET", CONFIG)
    keys = [(section, key) for section, values in settings.items() for key in values if section != "admins"] + OPEN_KEYS
    accepted, faults = {}, []
    for section, key in keys:
        path = f"{CONFIG}/{section}/{quoted(key)}"
        for edge in TEXTS if LONG else draw.sample(TEXTS, 6):
            answer = server.request("PUT", path, json=edge)
            assert answer.status_code in (200, 400), (section, key, short(edge), answer.status_code, answer.text[:300], SEED)
            if answer.status_code == 200:
                accepted[section, key] = edge
                assert server.process.poll() is None, (section, key, short(edge), server.process.stderr.read()[-1_500:])
                faults += [f"{section}/{key} = {short(edge)}: {fault}" for fault in use(server, "auth" in section)]
        gone = server.request("DELETE", path)
        assert gone.status_code in (200, 404), (section, key, gone.status_code, gone.text[:300], SEED)
    assert not faults, "\n".join([f"seed {SEED}", *faults])
    # The values that were accepted last are there together, at the next start too.
    for (section, key), edge in accepted.items():
        server.json("PUT", f"{CONFIG}/{section}/{quoted(key)}", json=edge)
    server.stop()
    server.start()
    assert server.request("GET", "/_up").status_code in (200, 401), json.dumps(list(accepted.items()))[:2_000]
    assert not use(server), SEED
    assert server.json("GET", CONFIG), SEED
    server.stop()
    print(f"seed {SEED}: {len(keys)} settings, {len(accepted)} with an accepted edge")
