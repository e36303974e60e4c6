"""Permissions: every route for a guest, a user, a member, a database administrator and an administrator.

The table is `scenarios.json`. A row has a route, the roles that it is `for` and their answers; the other roles get the
refusals of `refusals`, which equal CouchDB 3.5's. `{n}` is a number that no other test has, `{rev}` the revision in the
answer to the last request of `before` (sent by an administrator). `wrong` lists the roles for which the server's answer is
known to differ, and that answer. If a row has `roles`, it is only for these.
"""

import http.cookiejar
import itertools
import json
import re

import pytest
import requests

from conftest import ADMIN, CLIENTS, ROOT, Server

TABLE = json.loads((CLIENTS / "scenarios.json").read_text())
ROLES = ["guest", "user", "member", "database admin", "administrator"]
CREDENTIALS = {
    "guest": None, "user": ("una", "una"), "member": ("mia", "mia"), "database admin": ("dora", "dora"),
    "administrator": ADMIN}
DEFAULTS = {
    "{db}": "shop", "{id}": "apple", "{design}": "menu", "{attachment...}": "leaf.txt", "{local}": "till",
    "{partition}": "north", "{node}": "_local", "{section}": "cors", "{key}": "max_age", "{view}": "all",
    "{rest...}": "all"}
NUMBERS = itertools.count(1)


class World:
    """One server with its databases, and a connection for each role."""

    def __init__(self, server):
        self.server = server
        self.sessions = {}
        for role, credentials in CREDENTIALS.items():
            session = self.sessions[role] = requests.Session()
            session.auth = credentials
            # A row's session must not be used by the next rows.
            session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
        for method, path, body in TABLE["seed"]:
            server.json(method, path, json=body)

    def request(self, role, method, path, body=None, headers=None):
        options = {"data": body.encode()} if isinstance(body, str) else {"json": body}
        return self.sessions[role].request(
            method, self.server.url + path, headers=headers, timeout=30, **options)

    def prepare(self, row):
        """Sends the requests before a row's own, and returns the values of its placeholders."""
        names = {"{n}": str(next(NUMBERS)), "{rev}": ""}
        for line in row.get("before", []):
            method, path, *body = fill(line, names)
            answer = self.server.json(method, path, json=body[0] if body else None)
            names["{rev}"] = answer.get("rev", "") if isinstance(answer, dict) else ""
        return names

    def run(self, row, role, names, **replaced):
        """Sends the request of a row."""
        method, path = fill([row["route"].split(" ")[0], path_of(row)], names)
        for old, new in replaced.items():
            path = path.replace(f"/{old}", f"/{new}", 1)
        return self.request(role, method, path, fill(row.get("body"), names), row_headers(row, names))

    def state(self):
        """The values that change with any write to the databases of the rows."""
        names = ["shop", "depot", "square", "_users", "_replicator"]
        infos = self.server.json("POST", "/_dbs_info", json={"keys": names})
        return [info["info"]["update_seq"] for info in infos], self.server.json("GET", "/_all_dbs")


def fill(value, names):
    text = json.dumps(value)
    for name, replacement in names.items():
        text = text.replace(name, replacement)
    return json.loads(text)


def row_headers(row, names):
    return {**({"Content-Type": row["type"]} if "type" in row else {}), **fill(row.get("headers", {}), names)}


def path_of(row):
    path = row.get("path") or row["route"].split(" ")[1]
    for name, value in DEFAULTS.items():
        path = path.replace(name, value)
    return path


def expected(row, role):
    """The refusal for a role, or nothing if the role has access."""
    refusals = TABLE["refusals"][row["for"]]
    return refusals.get(role) if role != "administrator" else None


def cases(rows, roles=ROLES, only=lambda row, role: True):
    """A case for each row and role."""
    made = []
    for row in rows:
        for role in row.get("roles", roles):
            if not only(row, role):
                continue
            name = " ".join([row["route"], *([row["path"]] if "path" in row else []), role])
            made.append(pytest.param(row, role, id=name))
    return made


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("scenarios") / "data")
    yield World(server)
    server.stop()


def check(world, row, role):
    refusal = expected(row, role)
    names = world.prepare(row)
    before = world.state() if refusal else None
    response = world.run(row, role, names)
    text = response.text
    if refusal:
        status, reason = refusal
        error = {401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict"}[status]
        assert response.status_code == status, text
        if not row["route"].startswith("HEAD"):
            assert response.json() == {"error": error, "reason": reason}
        assert world.state() == before, "a refused request changed something"
    else:
        assert response.status_code == row["status"], text
        for part in row.get("has", []):
            assert part in text
        for part in row.get("lacks", []):
            assert part not in text


@pytest.mark.parametrize("row, role", cases(TABLE["rows"]))
def test_scenario(world, row, role):
    check(world, row, role)


def of_a_database(row, role):
    return "{db}" in row["route"] and path_of(row).startswith(("/shop", "/depot")) and expected(row, role) is not None


@pytest.mark.parametrize("row, role", [case.values for case in cases(TABLE["rows"], ROLES[:2], of_a_database)])
def test_a_database_that_refuses_is_like_none(world, row, role):
    """For a guest or a user, status, body and headers do not depend on whether the database exists."""
    answers, names = [], world.prepare(row)
    for name in ["shop", "nowhere", "vault"]:
        response = world.run(row, role, names, shop=name, depot=name)
        varying = {"date", "x-couch-request-id"}
        headers = {key: value for key, value in response.headers.items() if key.lower() not in varying}
        answers.append((response.status_code, response.content, headers))
    assert answers[0] == answers[1] == answers[2]


@pytest.fixture(scope="module")
def open_world(world):
    """The same server, whose `_users` is public."""
    for method, path, body in TABLE["users open"]["seed"]:
        response = world.server.request(method, path, json=body)
        assert response.ok or "_config" in path, response.text
    return world


@pytest.mark.parametrize("row, role", cases(TABLE["users open"]["rows"]))
def test_scenario_with_open_users(open_world, row, role):
    check(open_world, row, role)


def test_every_route_has_scenarios():
    """A new `Route(` in the sources needs a row."""
    known = {tuple(row["route"].split(" ")) for row in TABLE["rows"]}
    known |= {(None, path) for _, path in known}
    routes = set(source_routes())
    assert len(routes) > 90, "the sources are written otherwise than this test reads them"
    assert not routes - known


def source_routes():
    """Method and pattern of each route in the sources; no method if the route uses a list of methods from elsewhere."""
    for file in (ROOT / "Sources/Server/GodwitServer").rglob("*.swift"):
        text = file.read_text()
        for methods, path in re.findall(r'\babsent\(\[([^\]]*)\],\s*"([^"]*)"', text):
            yield from ((method.upper(), path) for method in re.findall(r"\w+", methods))
        block = re.search(r"var routes: \[Route\] \{.*?\n    \}", text, re.DOTALL)
        if not block:
            continue
        direct = re.findall(r'\bRoute\(\s*\.(\w+),\s*"([^"]*)"', block[0])
        yield from ((method.upper(), path) for method, path in direct)
        # `["/a", "/b"].flatMap { path in [Route(.get, path, …), …] }`
        others = set(re.findall(r'"(/[^"]*)"', block[0])) - {path for _, path in direct}
        methods = [method.upper() for method in re.findall(r"\bRoute\(\s*\.(\w+),\s*path\b", block[0])]
        yield from itertools.product(methods or [None], others)
