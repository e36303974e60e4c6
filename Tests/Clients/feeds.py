"""Helpers for the tests of feeds: a server, and a separate database for each test."""

import json

import pytest

from conftest import Server
from raw import Feed

# The timeout after which a feed without events ends, if a test sets it.
SHORT_MILLISECONDS = 100
# The maximum time until a feed that must end has ended.
END_SECONDS_MAX = 20
KINDS = ["normal", "longpoll", "continuous", "eventsource"]
ENDLESS = ["continuous", "eventsource"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("feeds") / "data")
    yield server
    server.stop()


class Database:
    """A separate database for each test, on one shared server."""

    def __init__(self, server, name):
        self.server, self.name, self.port = server, name, server.port
        server.json("PUT", f"/{name}")

    def put(self, identifier, **members):
        return self.server.json("PUT", f"/{self.name}/{identifier}", json=members)["rev"]

    def changes(self, query=""):
        return self.server.json("GET", f"/{self.name}/_changes?{query}")

    def feed(self, query, **options):
        return Feed(self.server, f"/{self.name}/_changes?{query}", **options)

    def ids(self, query, **options):
        """The ids in a feed of any kind until it ends."""
        with self.feed(query, **options) as feed:
            assert feed.status == 200, feed.text()
            if "eventsource" in query:
                return [row["id"] for row, _ in iter(feed.change, None)]
            if "continuous" in query:
                return [row["id"] for row in feed.rows() if "id" in row]
            return [row["id"] for row in json.loads(feed.text())["results"]]


@pytest.fixture
def db(shared, request):
    name = "".join(letter if letter.isalnum() else "_" for letter in request.node.name.lower())
    yield Database(shared, name)
    shared.request("DELETE", f"/{name}")
