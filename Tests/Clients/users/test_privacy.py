"""Two users of an application: one of them requests the other's data with every route of the server.

The rows are those of `scenarios.json` with the other user's database in place of theirs, and those below for routes outside
a database's own paths. The answers must not contain any content of the other's database, and the database must not change.
"""

import json
import re

import pytest
import requests

from applications import APP, DESIGN, User, declare, soon
from conftest import ROOT, Server
from test_scenarios import NUMBERS, TABLE, fill, path_of, row_headers

CANARY = "a-secret-of-ann"
LEAF = "bGVhdmVzIG9mIGFubg=="
DOCUMENTS = {
    "apple": {"kind": CANARY, "geometry": {"type": "Point", "coordinates": [13, 45]},
              "_attachments": {"leaf.txt": {"content_type": "text/plain", "data": LEAF}}},
    "north:1": {"kind": CANARY}, "_local/till": {"coins": CANARY},
}
WAYS = ["key", "token", "cookie", "nobody"]


class World:
    def __init__(self, site):
        self.site = site
        declare(site)
        self.ann, self.bob = User(site, "ann"), User(site, "bob")
        for id, body in DOCUMENTS.items():
            assert self.ann.ask("PUT", self.ann.own(f"/{id}"), json=body).status_code == 201
        menu = next(body for method, path, body in TABLE["seed"] if path == "/shop/_design/menu")
        for name, body in {"menu": menu, "geo": DESIGN}.items():
            site.json("PUT", self.ann.own(f"/_design/{name}"), json=body)
        # The server may cache an administrator's answers, which are not for others.
        site.json("GET", self.ann.own("/_design/menu/_view/all"))
        self.apple = self.ann.ask("GET", self.ann.own("/apple")).json()["_rev"]
        self.ways = {
            "key": {"auth": self.bob.key}, "token": {"headers": self.bob.token},
            "cookie": {"cookies": {"AuthSession": self.bob.cookie}}, "nobody": {}}

    def ask(self, way, method, path, body=None, headers=None):
        options = dict(self.ways[way])
        options["headers"] = {**options.get("headers", {}), **(headers or {})}
        content = {"data": body.encode()} if isinstance(body, str) else {"json": body} if body is not None else {}
        return requests.request(
            method, self.site.url + path, timeout=30, allow_redirects=False, stream=False, **options, **content)

    def state(self):
        info = self.site.json("GET", self.ann.own())
        security = self.site.json("GET", self.ann.own("/_security"))
        local = self.site.json("GET", self.ann.own("/_local_docs"))["rows"]
        account = self.site.json("GET", "/lt_users/ann")
        return info["update_seq"], info["purge_seq"], security, local, account


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("privacy") / "data")
    yield World(site)
    site.stop()


def check(world, answer):
    seen = answer.content + str(answer.headers).encode()
    for secret in [CANARY, LEAF, "leaves of ann", world.apple, world.ann.login["api_password"]]:
        assert secret.encode() not in seen, f"{answer.request.method} {answer.url} shows what is ann's"


def in_the_place_of(world, value):
    """A row's text with ann's database in place of the seed's."""
    own = world.ann.own()[1:]
    text = re.sub(r"(?<=[/\"])(shop|depot|vault|square)(?=[/\"?])", own, json.dumps(value))
    return json.loads(text)


ROWS = [pytest.param(row, id=f"{number} {row['route']}") for number, row in enumerate(TABLE["rows"])]


@pytest.mark.parametrize("row", ROWS)
def test_no_route_shows_or_changes_what_is_anothers(world, row):
    before = world.state()
    names = {"{n}": str(next(NUMBERS)), "{rev}": world.apple}
    method = row["route"].split(" ")[0]
    path = in_the_place_of(world, fill(path_of(row), names) + "?")[:-1]
    for way in WAYS:
        if "feed=continuous" in path or "feed=eventsource" in path:
            path += "&timeout=300"
        answer = world.ask(
            way, method, path, in_the_place_of(world, fill(row.get("body"), names)),
            in_the_place_of(world, row_headers(row, names)))
        check(world, answer)
        if world.ann.own() in path and way != "nobody":
            assert answer.status_code in (401, 403), f"{answer.status_code} {answer.text}"
    assert world.state() == before


def around(world):
    """Requests that reach the database without its name in their path."""
    ann, bob, url = world.ann.database, world.bob.database, world.site.url
    yield "POST", "/_replicate", {"source": ann, "target": bob}, None
    yield "POST", "/_replicate", {"source": bob, "target": ann}, None
    yield "POST", "/_replicate", {"source": f"{url}/{ann}", "target": bob}, None
    yield "POST", "/_replicate", {"source": bob, "target": f"{url}/{ann}"}, None
    yield "POST", "/_replicate", {"source": "lt_all", "target": bob}, None
    yield "POST", "/_replicate", {"source": "lt_users", "target": bob}, None
    yield "PUT", "/_replicator/theft", {"source": ann, "target": bob}, None
    yield "GET", "/_all_dbs", None, None
    yield "POST", "/_dbs_info", {"keys": [ann, "lt_all", "lt_users"]}, None
    yield "GET", "/_db_updates", None, None
    yield "COPY", f"/{bob}/mine", None, {"Destination": f"../{ann}/apple"}
    yield "GET", f"/{bob}/..%2F{ann}/apple", None, None
    yield "GET", f"/{bob}/../{ann}/apple", None, None
    yield "GET", f"//{ann}/apple", None, None
    yield "GET", f"/{ann}%2Fapple", None, None
    yield "GET", f"/{bob}/apple", None, None
    yield "GET", f"/{bob}/_local/till", None, None
    yield "GET", f"/{bob}/_local/devices:ann", None, None
    for name in ["lt_all", "lt_users", "_users", "_replicator"]:
        for rest in ["", "/_all_docs?include_docs=true", "/_changes?include_docs=true", "/ann", "/ann:apple",
                     "/ann:apple/leaf.txt", "/org.couchdb.user:tracker%2Fann", "/_local_docs?include_docs=true",
                     "/_local/devices:ann", "/_local/consolidation", "/_design/points/_geo/pointidx?bbox=12,44,14,46",
                     "/_security", "/_index"]:
            yield "GET", f"/{name}{rest}", None, None
        yield "POST", f"/{name}/_find", {"selector": {"_id": {"$gt": None}}}, None
        yield "POST", f"/{name}/_bulk_get", {"docs": [{"id": "ann"}, {"id": "ann:apple"}]}, None
        yield "PUT", f"/{name}/ann", {"blocked": True}, None
        yield "DELETE", f"/{name}", None, None
    own = f"{APP}/users/ann"
    for method, path, body in [
            ("GET", own, None), ("PUT", own, {"password": "a password"}), ("DELETE", own, {"password": "x"}),
            ("DELETE", own, {"password": world.bob.password}),
            ("PUT", own + "/password", {"password": "x", "new_password": "y"}), ("PUT", own + "/blocked", True),
            ("DELETE", f"{own}/devices/{world.ann.login['device']}", None),
            ("POST", APP + "/refresh", {"refresh_token": forged(world)}),
            ("POST", APP + "/logout", {"refresh_token": forged(world)}),
            ("POST", APP + "/login", {"name": "ann", "password": world.bob.password}),
            ("GET", own + "/devices", None),
            ("PUT", f"{own}/devices/{world.ann.login['device']}/state", {"state": "lost", "password": world.bob.password}),
            ("POST", APP + "/wiped", {"refresh_token": forged(world)}),
            ("PUT", own + "/providers/corporate", {"id_token": "x", "authentication": {"password": world.bob.password}}),
            ("DELETE", own + "/providers/corporate", {"password": world.bob.password}),
            ("POST", own + "/second_factor", {"password": world.bob.password}),
            ("PUT", own + "/second_factor", {"code": "000000"}),
            ("DELETE", own + "/second_factor", {"password": world.bob.password, "second_factor": "0"}),
            ("PUT", own + "/permissions/lt_places/members", None), ("DELETE", own + "/permissions/lt_places/members", None),
            ("GET", APP + "/users?export=true", None), ("POST", APP + "/users", {"name": "ann"}),
            ("PUT", own + "/roles", ["analyst"]), ("GET", APP + "/providers", None), ("GET", APP + "/jwks", None),
            ("GET", APP + "/login/corporate", None), ("GET", APP + "/login/corporate/callback?code=x&state=x", None),
            ("POST", APP + "/login/corporate/callback", "code=x&state=x"),
            *(("POST", f"{APP}/mail/{kind}", {"email": "ann@example.org"})
              for kind in ["reset", "login", "verification", "change"]),
            ("POST", APP + "/confirm", {"token": "reset.YW5u.x", "new_password": "another password"}),
            ("GET", APP + "/confirm", None), ("GET", APP + "/confirm/page.js", None),
            ("GET", "/_apps", None), ("GET", APP, None), ("PUT", APP, {}), ("DELETE", APP, None)]:
        yield method, path, body, None
    # Headers that authenticate as other users.
    for headers in [{"X-Auth-CouchDB-UserName": "tracker/ann"}, {"X-Forwarded-User": "tracker/ann"},
                    {"Cookie": "AuthSession=dHJhY2tlci9hbm46"}, {"X-HTTP-Method-Override": "GET"}]:
        yield "POST" if "X-HTTP-Method-Override" in headers else "GET", f"/{ann}/apple", None, headers


def forged(world):
    """Bob's refresh token with ann's name."""
    return "YW5u." + world.bob.login["refresh_token"].split(".", 1)[1]


def test_no_way_around_a_database_shows_or_changes_what_is_anothers(world):
    before = world.state()
    world.bob.save("mine", n=1)
    for method, path, body, headers in around(world):
        for way in WAYS:
            if (method, path, way) == ("DELETE", f"{APP}/users/ann", "nobody"):
                continue
            answer = world.ask(way, method, path, body, headers)
            check(world, answer)
            # Without mail its routes answer 501.
            assert answer.status_code < 500 or path == "/_replicate" or "/mail/" in path, f"{method} {path}: {answer.text}"
    assert world.state() == before
    mine = world.bob.ask("GET", world.bob.own("/_all_docs")).json()["rows"]
    # A destination is an id of the same database, in any form.
    copied = f"../{world.ann.database}/apple"
    assert {row["id"] for row in mine if not row["id"].startswith("_design/")} == {"mine", copied}
    assert world.ann.ask("GET", world.ann.own("/apple")).ok and world.ann.log_in().ok
    assert requests.get(world.site.url + world.ann.own(), headers=world.ann.token, timeout=30).ok


def test_a_feed_of_ones_own_shows_nothing_of_others(world):
    answers = []
    feed = requests.get(
        world.site.url + world.bob.own("/_changes"), params={"feed": "continuous", "include_docs": "true", "timeout": "800"},
        auth=world.bob.key, stream=True, timeout=30)
    for number in range(5):
        world.ann.save(f"more{number}", kind=CANARY)
        world.bob.save(f"mine{number}", kind="plain")
    for line in feed.iter_lines():
        answers.append(line)
    text = b"\n".join(answers)
    assert CANARY.encode() not in text and b"mine4" in text


def test_ids_in_the_consolidated_database_are_each_users_own(world):
    world.bob.save("apple", kind="written over?")
    rows = soon(lambda: [
        row for row in world.site.json("GET", "/lt_all/_all_docs", params={"include_docs": "true"})["rows"]
        if row["id"] in ("ann:apple", "bob:apple")] if "bob:apple" in json.dumps(
            world.site.json("GET", "/lt_all/_all_docs")) else None)
    assert {row["id"]: row["doc"]["kind"] for row in rows} == {"ann:apple": CANARY, "bob:apple": "written over?"}


def test_every_route_of_accounts_is_tried(world):
    asked = {(method, re.sub(r"\?.*", "", path)) for method, path, *_ in around(world)}
    for file in (ROOT / "Sources/Server/GodwitBackend").rglob("*.swift"):
        for method, path in re.findall(r'\bRoute\(\s*\.(\w+),\s*"([^"]*)"', file.read_text()):
            pattern = re.sub(r"\{\w+\}", "[^/]+", path)
            assert any(method.upper() == verb and re.fullmatch(pattern, tried) for verb, tried in asked), (method, path)
