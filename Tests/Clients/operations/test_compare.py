"""Compares answers to the requests of Tests/Compare with the stored answers of a real CouchDB 3.5 (issue 22)."""

import os
import re
import sys

import pytest

from conftest import ROOT, Server

sys.path.append(str(ROOT / "Tests/Compare"))
import compare  # noqa: E402
from normal import differences  # noqa: E402
from scenario import alternatives, scenarios  # noqa: E402

SCENARIOS = scenarios()
# Routes of Godwit and of its modules, and of search and geospatial queries, which CouchDB has by plugins or not at all.
OWN = re.compile(r"/_(apps|base|godwit|map|tiles|utils|api|search_analyze)|/_(godwit|geo|search)")
# Their answers are only measurements of a machine.
NOT_ASKED = {("GET", "/_node/{node}/_prometheus"), ("GET", "/_node/{node}/_stats"), ("GET", "/_node/{node}/_system")}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("compare") / "data")
    yield server
    server.stop()


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers_are_those_of_couchdb(server, name):
    found = compare.found_differences(server.url.replace("://", "://admin:secret@"), name, SCENARIOS[name])
    rest = compare.unexplained(found, name)
    allowed = compare.open_differences().get(name, 0)
    shown = "\n".join(f"{title}: {path}: CouchDB {theirs}, here {ours}" for title, path, theirs, ours in rest[:50])
    assert len(rest) <= allowed, f"{len(rest)} places differ, {allowed} did when open.txt was written:\n{shown[:20_000]}"


def test_each_line_of_differences_has_its_row():
    rows = set(re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs/compatibility.md").read_text(), re.MULTILINE))
    assert {line.row for line in compare.expected_differences()} == rows


def as_pattern(path):
    """A pattern of the paths of a route."""
    pieces = [re.escape(piece) if not piece.startswith("{") else ".+" if piece.endswith("...}") else "[^/]+"
              for piece in path.split("/")]
    return re.compile("/".join(pieces) + "/?")


def test_every_route_of_couchdb_is_asked(server):
    asked = {(request.method, re.sub(r"\{[^}]*\}", "x", request.path).partition("?")[0])
             for requests in SCENARIOS.values() for request in requests}
    routes = [(route["method"], route["path"]) for route in server.json("GET", "/_godwit/routes")["routes"]]
    wanted = {route for route in routes if not OWN.search(route[1]) and route not in NOT_ASKED}
    assert len(wanted) > 80
    missing = {route for route in wanted
               if not any(route[0] == method and as_pattern(route[1]).fullmatch(path) for method, path in asked)}
    assert not missing, sorted(missing)


def test_there_are_many_requests():
    assert sum(map(len, SCENARIOS.values())) >= 1500


def test_alternatives_are_every_choice():
    assert alternatives("/a?<x|y>=<1|2>") == ["/a?x=1", "/a?x=2", "/a?y=1", "/a?y=2"]


@pytest.mark.skipif(not os.environ.get("COUCHDB_URL"), reason="takes a CouchDB: COUCHDB_URL=http://admin:secret@host:port")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_couchdb_answers_as_it_did(name):
    kept, answers = compare.kept_answers(name), compare.Runner(os.environ["COUCHDB_URL"], name).run(SCENARIOS[name])
    found = [(title, *each) for (title, theirs), now in zip(kept, answers) for each in differences(theirs, now)]
    assert not found, found[:20]
