"""SECURITY.md and docs/security.md are correct (issue 21)."""

import re

from conftest import CLIENTS, ROOT, Server

# Routes that name no database and require no rights at first.
OPEN = ("anyone", "login", "loopback")


def plain(path):
    """A path with empty braces in place of its parameters' names."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def named_paths(section):
    """The paths in code spans of a section of SECURITY.md."""
    words = [word for code in re.findall(r"`([^`]+)`", section) for word in code.split()]
    return {plain(word) for word in words if word.startswith("/")}


def test_what_answers_without_a_login_is_listed(tmp_path):
    server = Server(tmp_path / "data")
    routes = server.json("GET", "/_godwit/routes")["routes"]
    server.stop()
    assert {route["access"] for route in routes} >= {"anyone", "login", "administrator", "database", "document", "upkeep"}
    section = (ROOT / "SECURITY.md").read_text().partition("## What answers without a login")[2].partition("\n## ")[0]
    # For `refresh`, `logout` and the pages of the map the section has only the last component.
    named = named_paths(section) | {"/_apps/{}/refresh", "/_apps/{}/logout"}
    accounts = "/_apps/{}/users/{}"
    assert accounts in named
    missing = {route["path"] for route in routes if route["access"] in OPEN
               and plain(route["path"]) not in named and not plain(route["path"]).startswith(accounts + "/")}
    assert not missing, missing


def test_the_tests_that_the_page_names_are_there():
    page = (ROOT / "docs/security.md").read_text()
    tests = {path.name: path.read_text() for path in CLIENTS.glob("*/test_*.py")}
    named = re.findall(r"(test_\w+\.py)(?:::(test_\w+))?", page)
    assert len(named) > 20
    for file, test in named:
        assert file in tests, file
        assert not test or f"def {test}(" in tests[file], (file, test)
    for test in re.findall(r"`(test_\w+)`", page):
        assert any(f"def {test}(" in text for text in tests.values()), test
