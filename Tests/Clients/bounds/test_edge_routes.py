"""Edge numbers, dates and texts in every member of a valid body, parameter and header of every route: the process lives, no
answer is a fault of the server, memory comes back, and what was stored can be read.

The catalogue is `edge_requests.py`. `GODWIT_SEED` repeats a run; `GODWIT_EDGE_ROUNDS` is the number of requests.
"""

import contextlib
import time

import pytest

from conftest import Server, godwit
from edge_requests import ENTRIES, PASSWORDS, build
from edge_runs import NO_FAULTS, Run, Sent, clean, report
from edges import LONG, ROUNDS, SEED, TEXTS, Draw, quoted, short
from hostile import Process, settle
from loads import MB, resident
from raw import Answer, connect

SECONDS = 14
# What stays of caches after the run, in a debug build.
GROWTH_BYTES_MAX = 300 * MB
# The connections of an open database. A long run creates more than a thousand databases, and backups open all of them.
DATABASE_BYTES_MAX = 300_000
# Routes whose request is refused even if all its members are valid: they need a secret of one use, or have no other answer.
REFUSED = {
    "DELETE /_apps/{app}", "DELETE /_apps/{app}/users/{user}", "DELETE /_apps/{app}/users/{user}/devices/{device}",
    "DELETE /_apps/{app}/users/{user}/providers/{provider}", "DELETE /_godwit/backups/{backup}", "DELETE /_godwit/keys/{key}",
    "DELETE /_godwit/objects/{account}", "DELETE /_godwit/passkeys/{passkey}", "DELETE /_godwit/requests/{request}",
    "DELETE /_s3", "DELETE /_s3/{bucket}", "DELETE /_s3/{bucket}/{key...}", "DELETE /v1/{account}",
    "DELETE /v1/{account}/{container}", "DELETE /v1/{account}/{container}/{object...}", "DELETE /v3/auth/tokens",
    "DELETE /{db}/_local/{local}/{attachment...}", "GET /_apps/{app}/confirm/{file}", "GET /_apps/{app}/login/{provider}",
    "GET /_apps/{app}/login/{provider}/callback", "GET /_scheduler/jobs/{id}", "GET /v3/auth/tokens", "GET /v3/{path...}",
    "GET /{db}/_design/{design}/_list", "GET /{db}/_design/{design}/_list/{list}", "GET /{db}/_design/{design}/_show",
    "GET /{db}/_design/{design}/_update/{update}", "GET /{db}/_design/{design}/_update/{update}/{id...}",
    "GET /{db}/_local/{local}/{attachment...}", "GET /{db}/_temp_view", "HEAD /_s3", "OPTIONS /_s3", "OPTIONS /_s3/{bucket}",
    "OPTIONS /_s3/{bucket}/{key...}", "POST /_apps/{app}/confirm", "POST /_apps/{app}/login/{provider}/callback",
    "POST /_apps/{app}/logout", "POST /_apps/{app}/mail/change", "POST /_apps/{app}/mail/verification",
    "POST /_apps/{app}/users", "POST /_apps/{app}/wiped", "POST /_godwit/check", "POST /_godwit/work", "POST /_reshard/jobs",
    "POST /_s3", "POST /_s3/{bucket}", "POST /v1/{account}/{container}", "POST /{db}/_temp_view",
    "PUT /_apps/{app}/users/{user}/password", "PUT /_apps/{app}/users/{user}/providers/{provider}",
    "PUT /_apps/{app}/users/{user}/second_factor", "PUT /_godwit/passkeys/login", "PUT /_godwit/passkeys/registration",
    "PUT /_s3", "PUT /v1/{account}", "PUT /{db}/_godwit/backup", "PUT /{db}/_local/{local}/{attachment...}",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges")
    from test_edge_files import tiles
    (folder / "backups").mkdir()
    server = Server(folder / "data", arguments=[
        "--objects", "--console", "--backups", str(folder / "backups"), "--tiles", str(tiles(folder / "t.mbtiles")),
        "--log-file", str(folder / "log"), "--passkey-domain", "localhost"], environment={"SWIFT_BACKTRACE": "enable=no"})
    world = build(server)
    yield world
    if server.process.poll() is None:
        server.kill()


def test_every_route_is_in_the_catalogue(world):
    known = {f"{route['method']} {route['path']}" for route in world["server"].json("GET", "/_godwit/routes")["routes"]}
    listed = {entry.route for entry in ENTRIES}
    assert not known - listed, f"add a valid request to edge_requests.py for: {sorted(known - listed)}"
    assert not listed - known, f"no route of the server: {sorted(listed - known)}"


def test_valid_requests_are_valid(world):
    """Otherwise the variations would test only the first check."""
    failed, good, draw = {}, set(), Draw(1)
    # A function of a design document may have no time on a busy machine, so what failed is sent once more.
    for attempt in range(2):
        for number, entry in enumerate(ENTRIES):
            if attempt and entry.route in good:
                continue
            sent = Unvaried(world, draw, entry, attempt * len(ENTRIES) + number)
            with connect(world["server"]) as connection, connection.makefile("rb") as stream:
                connection.sendall(sent.bytes())
                answer = Answer(stream, entry.method, with_body=False)
                if answer.status >= 400 and entry.method != "HEAD":
                    answer.body = stream.read(min(int(answer.headers.get("content-length", 0)), 500))
            if answer.status < 400:
                good.add(entry.route)
            else:
                failed[entry.route] = f"{answer.status} {short(answer.body.decode('utf-8', 'replace'))} to {sent}"
    bad = {entry.route for entry in ENTRIES} - good - REFUSED
    assert not bad, "\n".join(failed[route] for route in sorted(bad))


class Unvaried(Sent):
    def vary(self, draw, path, query, headers, body, text):
        if self.entry.type == "application/x-www-form-urlencoded" and isinstance(body, dict):
            text = "&".join(f"{quoted(name)}={quoted(str(value))}" for name, value in body.items())
        return path, text

    def authorize(self, world):
        self.role = self.entry.auth or "admin"
        super().authorize(world)


def read_everything(server):
    """Reads all that is stored; returns the number of documents."""
    count = 0
    for name in server.json("GET", "/_all_dbs"):
        path = "/" + quoted(name)
        rows = server.json("GET", path + "/_all_docs?include_docs=true&conflicts=true")["rows"]
        changes = server.json("GET", path + "/_changes?include_docs=true&style=all_docs&conflicts=true")["results"]
        assert len(changes) >= len(rows), name
        for row in rows:
            assert row["doc"]["_id"] == row["id"], row
            count += 1
        server.json("GET", path + "/_local_docs?include_docs=true")
    for path in ("_view/all?reduce=false", "_view/all", "_view/sum?group=true", "_view/own?group=true", "_view/dates?reduce=false",
                 "_view/dates?group=true", "_search/words?q=*:*&limit=200&sort=%22n%22", "_geo/places?bbox=-180,-90,180,90&limit=200"):
        server.json("GET", f"/db/_design/d/{path}")
    server.json("POST", "/db/_find", json={"selector": {"n": {"$gt": None}}, "limit": 100_000})
    return count


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 300)
def test_edges_in_every_request(world):
    server = world["server"]
    before = resident(server)
    run = Run(world, ROUNDS or 1_000_000, 12_000 if ROUNDS else SECONDS).go()
    print(report(run), *(f"slow: {took:.1f} s {text}" for took, text in sorted(run.slow, reverse=True)[:10]), sep="\n")
    assert not run.deaths and not run.faults, report(run)
    assert server.request("GET", "/_up").ok
    assert settle(Process(server.process.pid), 20)
    time.sleep(2)
    growth_max = GROWTH_BYTES_MAX + DATABASE_BYTES_MAX * len(server.json("GET", "/_all_dbs"))
    assert resident(server) - before < growth_max, (resident(server) >> 20, before >> 20, SEED)
    assert read_everything(server) > 10
    server.stop()
    doctor = godwit("doctor", server.data)
    assert doctor.returncode == 0, (doctor.stdout[-2_000:], doctor.stderr[-2_000:], SEED)
    server.start()
    assert read_everything(server) > 10


def test_edges_in_the_framing_of_requests(world):
    """Lengths of bodies and of pieces, versions, and WebSocket frames, which no valid request of the catalogue varies."""
    server, count = world["server"], 0
    lengths = [text for text in (*TEXTS, "5, 5", "5,6", "ffffffffffffffff", "7fffffffffffffff", "8000000000000000", "-5", "+5", "5;" + "x" * 9_000) if len(text) < 20_000]
    heads = ["PUT /db/framed HTTP/1.1\r\nContent-Length: {}", "PUT /db/framed/a HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: {}",
             "POST /db/_bulk_docs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{}\r\nhello\r\n{}\r\n\r\n", "GET /_up HTTP/{}", "GET /_up HTTP/1.{}", "PUT /v1/AUTH_gull/gulls/f HTTP/1.1\r\nContent-Length: {}",
             "GET /db/_changes HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}", "GET / HTTP/1.1\r\nUpgrade: h2c\r\nHTTP2-Settings: {}\r\nConnection: Upgrade, HTTP2-Settings"]
    for head in heads:
        for text in lengths if LONG else Draw(salt=head).sample(lengths, 40):
            count += 1
            with contextlib.suppress(OSError, EOFError, ValueError), connect(server, timeout=0.1) as connection:
                fields = f"\r\nHost: 127.0.0.1\r\nAuthorization: {PASSWORDS['admin']}\r\nContent-Type: application/json\r\n\r\n" if "chunked" not in head else ""
                value = clean(text).encode("utf-8", "surrogatepass").decode("latin-1")
                connection.sendall((head.replace("{}", value).replace("\r\nTransfer", f"\r\nHost: x\r\nAuthorization: {PASSWORDS['admin']}\r\nContent-Type: application/json\r\nTransfer") + fields + '{"a":1}').encode("latin-1", "replace"))
                with connection.makefile("rb") as stream:
                    answer = Answer(stream)
                    assert answer.status < 500 or answer.status in NO_FAULTS | {505}, (head, short(text), answer.status, answer.body[:200])
            assert server.process.poll() is None, (head, short(text), server.process.stderr.read()[-1_500:])
    print(f"{count} heads")
    assert server.request("GET", "/_up").ok
