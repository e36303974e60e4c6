"""The example of docs/own-routes.md: MobileFirst's CRUD sample as a module of the server."""

import pathlib

import pytest
import requests

from conftest import GODWIT, Server

PROGRAM = pathlib.Path(GODWIT).parent / "UsersAdapter"


class AdapterServer(Server):
    subcommand = ()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = AdapterServer(tmp_path_factory.mktemp("users") / "data", program=str(PROGRAM))
    yield server
    server.stop()


def test_users_are_created_read_changed_and_deleted(server):
    ada = {"firstName": "Ada", "lastName": "Lovelace", "age": 36}
    answer = server.request("POST", "/users", json=ada)
    assert answer.status_code == 201
    created = answer.json()
    assert created == {**ada, "contacted": False, "_id": created["_id"]}
    path = f"/users/{created['_id']}"
    assert server.json("GET", path) == created
    assert created in server.json("GET", "/users")
    changed = {**created, "contacted": True}
    assert server.request("PUT", path, json=changed).json() == changed
    assert server.json("GET", path)["contacted"] is True
    assert server.request("DELETE", path).status_code == 200
    for method in ("GET", "PUT", "DELETE"):
        assert server.request(method, path, json={} if method == "PUT" else None).status_code == 404


def test_the_samples_errors(server):
    assert server.request("POST", "/users").status_code == 418
    assert server.request("POST", "/users", json=[1]).status_code == 400
    assert server.request("POST", "/users", json={"_x": 1}).status_code == 400
    assert server.request("POST", "/users", json={"text": "x" * 70_000}).status_code == 413
    assert requests.get(f"{server.url}/users", timeout=10).status_code == 401


def test_users_are_listed_in_pages(server):
    count = len(server.json("GET", "/users"))
    for number in range(205):
        server.json("POST", "/users", json={"n": number})
    page = server.json("GET", "/users")
    rest = server.json("GET", f"/users?after={page[-1]['_id']}")
    assert len(page) == 200 and len(page) + len(rest) == count + 205
    assert len({user["_id"] for user in page + rest}) == count + 205
