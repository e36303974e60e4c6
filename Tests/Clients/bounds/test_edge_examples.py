"""The edges of `edges.py` in every request of the example applications' own routes, as `edge_runs.py` sends them."""

import contextlib
import hashlib

import pytest
import requests

from conftest import Server
from devices import program
from edge_requests import PASSWORDS, Entry, of_methods
from edges import LONG
from bluepics import picture
from conversations import corpus_file
from edge_runs import Run, report

SECONDS = 60 if LONG else 4
PASSWORD = "heron-tern-plover"
PICTURE = picture()
PAGE = {"limit": "3", "before": "9223372036854775807-a"}
IMAGE = {"id": "edge-{n}", "caption": "c", "tags": ["a"], "location": {"name": "x", "latitude": 47.3, "longitude": 8.5}, "width": 64, "height": 48}
UPLOAD = {"id": "edge-{n}", "bytes": len(PICTURE), "type": "image/png", "sha256": hashlib.sha256(PICTURE).hexdigest()}


WEB_SOCKET = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
# The answers of the Conversation of 2016, as docs/conversation.md says.
DOCUMENTED = {b"Bad Query", b'{"error":"Malformed URL"}'}


def pages(root, *names):
    return [Entry(f"GET {root}/{{file}}", f"{root}/{name}") for name in names]


PROGRAMS = {
    "location-tracker": [
        Entry("GET /tracker"), Entry("POST /tracker/login", body={"name": "ann", "password": PASSWORD}), *pages("/tracker", "tracker.js"),
        Entry("GET /tracker/leaflet/{file...}", "/tracker/leaflet/leaflet.js"),
        Entry("PUT /api/users/{id}", "/api/users/u{n}", body={"password": PASSWORD, "type": "user"}),
        Entry("POST /api/login", body={"username": "ann", "password": PASSWORD}, headers={"X-App-Version": "1.0"}),
        Entry("GET /api/places", query={"lat": "47.3", "lon": "8.5", "radius": "1000", "relation": "contains", "nearest": "true", "limit": "5", "skip": "1", "include_docs": "true", "bbox": "0,0,20,60", "bookmark": ""}),
    ],
    "UsersAdapter": [
        Entry("GET /users", query={"after": "a"}), Entry("POST /users", body={"name": "a", "n": 1, "contacted": True}),
        *of_methods("GET DELETE", "/users/{id}", "/users/none"), Entry("PUT /users/{id}", "/users/none", body={"name": "a", "n": 1}),
    ],
    "geopix": [
        Entry("POST /publicServices/generateToken", body={"name": "ann", "password": PASSWORD}), Entry("GET /protectedServices/test", auth="app"),
        Entry("GET /protected/{path...}", "/protected/a/b", auth="app"), Entry("GET /map", query={"lat": "47.3", "lon": "8.5", "zoom": "5"}), Entry("GET /list", query={"before": "1", "limit": "3", "page": "2"}),
        Entry("GET /photos", query={"before": "1", "beforeId": "a", "limit": "3"}), *pages("/photos/files", "map.js"), Entry("GET /photos/leaflet/{file...}", "/photos/leaflet/leaflet.js"),
        Entry("GET /photos/events", query={"timeout": "50"}, headers={"Last-Event-ID": "1"}), Entry("GET /photos/map"), Entry("GET /photos/one/{id}", "/photos/one/{image}"),
        Entry("GET /photos/socket", headers=WEB_SOCKET), *[Entry(f"GET /{kind}/{{doc}}/{{name}}", f"/{kind}/{{image}}/a.png", headers={"Range": "bytes=1-3", "If-None-Match": '"1-a"'}) for kind in ("image", "thumbnail")],
    ],
    "bluepic": [
        Entry("GET /explore", query=PAGE), Entry("GET /photo/{id}", "/photo/{image}"), Entry("GET /user/{id}", "/user/ann", query=PAGE), Entry("GET /tag/{tag}", "/tag/a", query=PAGE),
        Entry("GET /cloud", query={"limit": "3"}), Entry("GET /find", query={"q": "a 1"}), *pages("/explore/files", "explore.js"), Entry("GET /ping"), Entry("GET /images", query=PAGE),
        Entry("POST /images", body=IMAGE, auth="app"), Entry("GET /images/events", query={"timeout": "50", "since": "0"}, headers={"Last-Event-ID": "1"}), Entry("GET /images/tag/{tag}", "/images/tag/a", query=PAGE),
        Entry("GET /images/{id}", "/images/{image}"), Entry("DELETE /images/{id}", "/images/none", auth="app"), Entry("GET /tags", query={"limit": "3"}), Entry("GET /search", query={"q": "a", "limit": "2"}),
        Entry("POST /push/images/{id}", "/push/images/{image}", auth="app", body={}), Entry("POST /push/images", auth="app", body={"id": "edge-1"}),
        Entry("GET /users", query={"limit": "3"}), Entry("POST /users", body={"_id": "ann", "name": "A", "type": "user"}, auth="app"), Entry("GET /users/{id}", "/users/ann"), Entry("PUT /users/{id}", "/users/ann", body={"name": "B"}, auth="app"),
        Entry("GET /users/{id}/images", "/users/ann/images", query=PAGE), Entry("GET /users/{id}/picture", "/users/ann/picture"), Entry("PUT /users/{id}/picture", "/users/ann/picture", body="no picture 1", type="image/png", auth="app"),
        Entry("POST /uploads", body=UPLOAD, auth="app"), Entry("PUT /uploads/{id}", "/uploads/edge-1", headers={"X-Upload-Grant": "1700000000.a"}, body="no picture 1", type="image/png", auth="app"),
        Entry("GET /pictures/{id}", "/pictures/{image}", headers={"Range": "bytes=1-3", "If-None-Match": '"1-a"'}), Entry("GET /pictures/{id}/thumbnail", "/pictures/{image}/thumbnail"),
    ],
    "conversation": [
        Entry("GET /conversation", query={"question": "what is gout 1"}), Entry("GET /tos"), *pages("/conversation/files", "conversation.js"), Entry("POST /", body={"url": "audio/1.ogg"}),
        Entry("POST /transcribe", body="RIFF 1", type="audio/wav", query={"rate": "16000"}), Entry("GET /audio/{name}", "/audio/1.ogg"),
        Entry("GET /speech/socket", query={"rate": "16000"}, headers=WEB_SOCKET),
        Entry("GET /ask", query={"query": "what is gout 1", "limit": "3", "explain": "true"}), Entry("POST /ask", body={"questionText": "what is gout 1"}),
        Entry("GET /topics", query={"prefix": "G", "limit": "3"}), Entry("GET /synthesize", query={"text": "one 2 three", "voice": "en", "accept": "audio/wav", "download": "true"}), Entry("GET /voices"),
    ],
}


class Account:
    """A user of the application, as the entries of `auth="app"` need."""

    def __init__(self, server, application):
        address = f"{server.url}/_apps/{application}"
        requests.put(f"{address}/users/ann", json={"password": PASSWORD}, timeout=60)
        login = requests.post(f"{address}/login", json={"name": "ann", "password": PASSWORD}, timeout=60).json()
        self.token = {"Authorization": f"Bearer {login['access_token']}" if "access_token" in login else PASSWORDS["admin"]}

    def post(self, server):
        """Posts a picture; returns its id."""
        grant = requests.post(f"{server.url}/uploads", json={**UPLOAD, "id": "edge-1"}, headers=self.token, timeout=60).json()["grant"]
        sent = requests.put(f"{server.url}/uploads/edge-1", data=PICTURE, headers={**self.token, "X-Upload-Grant": grant, "Content-Type": "image/png"}, timeout=60)
        assert sent.ok, sent.text
        assert requests.post(f"{server.url}/images", json={"id": "edge-1", "caption": "a 1"}, headers=self.token, timeout=60).ok
        return "edge-1"


class Example(Server):
    subcommand = ()

    def __init__(self, name, folder):
        self.subcommand = () if name == "UsersAdapter" else ("serve",)
        arguments = ["--corpus", str(corpus_file(folder))] if name == "conversation" else []
        super().__init__(folder / "data", program=program(name), arguments=arguments, environment={"SWIFT_BACKTRACE": "enable=no"})


@pytest.mark.parametrize("name", PROGRAMS)
def test_edges_in_every_request_of_an_example(name, tmp_path):
    server, plain = Example(name, tmp_path), Server(tmp_path / "plain")
    try:
        own = routes_of(server) - routes_of(plain)
        listed = {entry.route for entry in PROGRAMS[name]}
        assert own and not own - listed, f"add a valid request for: {sorted(own - listed)}"
        assert not listed - own, f"no route of the program: {sorted(listed - own)}"
        ann = Account(server, {"location-tracker": "tracker"}.get(name, name))
        names = {"{image}": ann.post(server) if name == "bluepic" else "none"}
        world = {"server": server, "entries": PROGRAMS[name], "ann": ann, "names": names, "bodies": {}, "administrators": set(), "documented": DOCUMENTED}
        run = Run(world, 1_000_000, SECONDS).go()
        print(report(run))
        assert not run.deaths and not run.faults, report(run)
        assert server.request("GET", "/_up").ok
    finally:
        for each in (server, plain):
            with contextlib.suppress(ProcessLookupError):
                each.kill()


def routes_of(server):
    return {f"{route['method']} {route['path']}" for route in server.json("GET", "/_godwit/routes")["routes"]}
