"""Edge numbers, dates and texts in every member of the answers of others: a CouchDB as source and as target, an issuer of
logins, an object store, an SMTP server. The process lives, and no command dies by a signal.

`GODWIT_SEED` repeats a run; `GODWIT_EDGE_ROUNDS` sets the number of peers.
"""

import collections
import concurrent.futures
import contextlib
import http.server
import itertools
import json
import os
import socket
import subprocess
import threading
import time

import jwt
import pytest
import requests

from accounts import SourceAddress
from applications import declare
from conftest import ADMIN, GODWIT, Server, godwit
from edges import DATES, LONG, MARKS, NUMBERS, ROUNDS, SEED, TEXTS, Draw, places, quoted, short, text_of
from issuers import RSA_KEYS, GitHub, Graph, Imitation, Issuer
from loads import MB, resident

SECONDS = 3
CASES = max(ROUNDS // 100, 1) if ROUNDS else 10_000
GROWTH_BYTES_MAX = 250 * MB
MARK = "edge"
STATUSES = [*[200] * 4, 0, 99, 100, 101, 204, 206, 301, 304, 307, 401, 404, 408, 409, 412, 413, 416, 429, 429, 500, 503, 503, 999, 65_536]
LENGTHS = [number for number in NUMBERS if "e" not in number] + ["-", "", "abc", "5, 5", "+5"]
CONTENT = b"hello edges"
ENTRY = {"content_type": "text/plain", "revpos": 1, "digest": "md5-RHhBsTyGUYdEqEkmsiVFzw==", "length": 11, "stub": True,
         "encoding": "identity", "encoded_length": 11}
IDS = [f"{number:032x}" for number in range(1, 4)]


def document(name="a", data=True):
    entry = {key: value for key, value in ENTRY.items() if key not in ("stub", "encoding", "encoded_length")}
    return {"_id": name, "_rev": f"2-{IDS[1]}", "_revisions": {"start": 2, "ids": [IDS[1], IDS[0]]}, "n": 1, "list": [1, 2],
            "_attachments": {"f": {**entry, "data": "aGVsbG8gZWRnZXM="} if data else {**ENTRY, "stub": None, "follows": True}}}


def checkpoint(ident):
    past = {"session_id": "s", "recorded_seq": 1, "start_last_seq": 0, "end_last_seq": 1, "missing_checked": 1, "missing_found": 1,
            "docs_read": 1, "docs_written": 1, "doc_write_failures": 0, "start_time": "Sun, 06 Nov 1994 08:49:37 GMT",
            "end_time": "Sun, 06 Nov 1994 08:49:37 GMT"}
    return {"_id": f"_local/{ident}", "_rev": "0-1", "session_id": "s", "source_last_seq": 1, "replication_id_version": 3, "history": [past, past]}


ROOT = {"couchdb": "Welcome", "version": "3.3.3", "git_sha": "x", "uuid": "u" * 32, "features": ["partitioned"], "vendor": {"name": "V", "version": "1"}}
INFO = {"db_name": "x", "update_seq": "3-x", "doc_count": 3, "doc_del_count": 0, "instance_start_time": "1700000000", "purge_seq": 0,
        "compact_running": False, "disk_format_version": 8, "sizes": {"file": 1, "external": 2, "active": 3}, "disk_size": 5,
        "data_size": 4, "committed_update_seq": 3, "props": {"partitioned": False}, "cluster": {"q": 1, "n": 1, "w": 1, "r": 1}}
CHANGES = {"results": [{"seq": number, "id": "abc"[number - 1], "changes": [{"rev": f"2-{IDS[1]}"}], "deleted": False, "pending": 3 - number}
                       for number in (1, 2, 3)], "last_seq": 3, "pending": 0}
WRITTEN = {"ok": True, "id": "a", "rev": f"2-{IDS[1]}"}


class Case:
    """What one peer answers wrongly: a kind of answer with its variation, fixed by the seed."""

    KINDS = ["root", "info", "changes", "changes", "diff", "bulk get", "bulk get", "document", "document", "parts", "local", "local", "written",
             "bulk docs", "commit", "made", "attachment", "arrivals", "rows", "backup"]

    def __init__(self, number):
        self.draw = Draw(salt=f"peer{number}")
        self.kind, self.number = self.draw.one(self.KINDS), number
        self.way = self.draw.one(["body"] * 12 + ["status", "length", "header", "header", "chunks"])
        self.has_bulk_get, self.has_parts = self.draw.often(0.6), self.draw.often(0.5) or self.kind in ("parts", "attachment")
        self.has_local = self.kind == "local" or self.draw.often(0.3)
        self.told = None

    def vary(self, value):
        """The text of an answer with one part replaced; the same each time it is asked for."""
        draw = Draw(salt=f"answer{self.number}")
        if draw.often(0.02):
            path, edge = draw.one(list(places(value))), "marks"
            text = text_of(value, path, json.dumps(MARKS, ensure_ascii=draw.often(0.5)))
        else:
            path, edge, text = draw.variation(value)
        self.told = f"{self.kind}: {path} = {short(edge)}"
        return text.encode("utf-8", "surrogatepass")


class Peer(http.server.BaseHTTPRequestHandler):
    """A CouchDB whose database `case<N>` answers as case N does."""

    protocol_version = "HTTP/1.1"
    cases, answers = {}, itertools.count()

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(OSError, ValueError):
            super().handle()

    def answer(self):
        self.path = requests.utils.unquote(self.path)
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) if "chunked" not in (self.headers.get("Transfer-Encoding") or "") else self.chunks()
        segments = path.strip("/").split("/")
        name = segments[0]
        number = int(name[4:]) if name.startswith("case") and name[4:].isdigit() else max(self.cases, default=0)
        self.case = self.cases.setdefault(number, Case(number))
        self.respond(segments[1:], query, body, name)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_COPY = answer

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def respond(self, rest, query, body, name):
        place = rest[0] if rest else ""
        if not name:
            return self.send("root", ROOT)
        if not rest:
            return self.send("made", {"ok": True}, 201) if self.command == "PUT" else self.send("info", {**INFO, "db_name": name})
        if place == "_changes":
            if "feed=continuous" in query or "feed=eventsource" in query:
                return self.send_lines()
            if "feed=longpoll" in query and "since=3" in query:
                time.sleep(0.3)
            done = "since=3" in query
            return self.send("changes", {**CHANGES, "results": [] if done else CHANGES["results"]})
        if place == "_revs_diff":
            asked = json.loads(body or b"{}")
            return self.send("diff", {ident: {"missing": revs, "possible_ancestors": [f"1-{IDS[0]}"]} for ident, revs in asked.items()})
        if place == "_bulk_get":
            if not self.case.has_bulk_get:
                return self.send("bulk get", {"error": "not_found"}, 404)
            asked = json.loads(body or b"{}").get("docs", [])
            return self.send("bulk get", {"results": [{"id": row.get("id"), "docs": [{"ok": document(row.get("id"))}]} for row in asked]})
        if place == "_bulk_docs":
            return self.send("bulk docs", [{"ok": True, "id": doc.get("_id"), "rev": doc.get("_rev"), "error": "forbidden", "reason": "r"} for doc in json.loads(body or b"{}").get("docs", [])][:2], 201)
        if place == "_ensure_full_commit":
            return self.send("commit", {"ok": True, "instance_start_time": "0"}, 201)
        if place == "_local" or place.startswith("_local"):
            if self.command == "PUT":
                return self.send("written", {**WRITTEN, "rev": "0-1"}, 201)
            if not self.case.has_local:
                return self.send("local", {"error": "not_found", "reason": "missing"}, 404)
            return self.send("local", checkpoint(rest[-1]))
        if place == "_godwit":
            if rest[-1] == "arrivals":
                return self.send("arrivals", {"arrivals": [{"digest": ENTRY["digest"], "bytes": 5, "under_way": False}]})
            if self.case.kind != "backup":
                return self.send("backup", {"error": "not_found"}, 404)
            return self.send("backup", {"bytes": 5, "documents": 1})
        if place in ("_all_docs", "_find", "_design_docs"):
            rows = {"total_rows": 3, "offset": 0, "update_seq": 3, "rows": [{"id": "a", "key": "a", "value": {"rev": f"2-{IDS[1]}"}, "doc": document()}],
                    "docs": [document()], "bookmark": "nil"}
            return self.send("rows", rows)
        if place == "_session":
            return self.send("root", {"ok": True, "userCtx": {"name": "a", "roles": []}})
        if len(rest) > 1 and not place.startswith("_design"):
            if self.command == "GET":
                return self.send("attachment", None, raw=CONTENT, kind="text/plain")
        if self.command == "PUT":
            return self.send("written", {**WRITTEN, "id": place}, 201)
        if self.case.has_parts and "application/json" != self.headers.get("Accept"):
            return self.send_parts(place, "open_revs" in query)
        self.send("document", [{"ok": document(place)}] if "open_revs" in query else document(place))

    def send_parts(self, name, is_mixed):
        value = document(name, data=False)
        text = self.case.vary(value) if self.case.kind == "document" and self.case.way == "body" else json.dumps(value).encode()
        length = b"11"
        if self.case.kind in ("parts", "attachment") and self.case.way == "body":
            length = Draw(salt=f"length{self.case.number}").one(LENGTHS).encode()
            self.case.told = f"length of a part = {length}"
        related = (b"--rel\r\nContent-Type: application/json\r\n\r\n" + text + b'\r\n--rel\r\nContent-Disposition: attachment; filename="f"\r\n'
                   b"Content-Type: text/plain\r\nContent-Length: " + length + b"\r\n\r\n" + CONTENT + b"\r\n--rel--")
        if not is_mixed:
            return self.send("parts", None, raw=related, kind='multipart/related; boundary="rel"')
        mixed = b'--mix\r\nContent-Type: multipart/related; boundary="rel"\r\n\r\n' + related + b"\r\n--mix--"
        self.send("parts", None, raw=mixed, kind='multipart/mixed; boundary="mix"')

    def send_lines(self):
        lines = b""
        for number, row in enumerate([*CHANGES["results"], {"last_seq": 3, "pending": 0}]):
            is_varied = self.case.kind == "changes" and self.case.number % 4 == number
            lines += (self.case.vary(row) if is_varied else json.dumps(row).encode()) + b"\n"
        self.send_raw(200, {"Content-Type": "application/json", "Connection": "close"}, lines)
        self.close_connection = True

    def send(self, name, value, status=200, raw=None, kind="application/json"):
        content = raw if raw is not None else json.dumps(value).encode()
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "ETag": '"1-a"'}
        case = self.case
        if case.kind == name:
            draw = Draw(salt=f"way{case.number}")
            if case.way == "body" and raw is None:
                content = case.vary(value)
                headers["Content-Length"] = str(len(content))
            elif case.way == "status":
                status = draw.one(STATUSES)
                case.told = f"{name}: status {status}"
                headers["Retry-After"] = draw.one(["0", "1"])
            elif case.way == "length":
                headers["Content-Length"] = draw.one(LENGTHS)
                case.told = f"{name}: length {headers['Content-Length']}"
            elif case.way == "header":
                field = draw.one(["Retry-After", "Retry-After", "Content-Range", "ETag", "Date", "Age", "Expires", "Cache-Control", "Set-Cookie", "Content-MD5", "X-Couch-Update-NewRev", "Location", "Content-Encoding", "Server", "Accept-Ranges", "Keep-Alive", "Strict-Transport-Security"])
                edge = draw.one(TEXTS)
                if field == "Retry-After":
                    status, edge = draw.one([429, 503, 500, 200, 301]), draw.one([*NUMBERS, *DATES])
                elif field == "Content-Range":
                    status, edge = 206, draw.one(["bytes {0}-{0}/{0}", "bytes 0-{0}/*", "bytes */{0}", "bytes {0}-5/9"]).format(draw.one(NUMBERS))
                elif field == "Location":
                    status, edge = draw.one([301, 307, 308]), f"http://127.0.0.1:{draw.one(NUMBERS)}/x"
                elif field == "Set-Cookie":
                    edge = f"AuthSession=x; Max-Age={draw.one(NUMBERS)}; Expires={draw.one(DATES)}"
                elif field in ("Cache-Control", "Strict-Transport-Security"):
                    edge = f"max-age={draw.one(NUMBERS)}"
                elif field == "Keep-Alive":
                    edge = f"timeout={draw.one(NUMBERS)}, max={draw.one(NUMBERS)}"
                headers[field] = "".join(c if 32 <= ord(c) < 127 else " " for c in edge)[:20_000]
                case.told = f"{name}: {status} {field}: {short(headers[field])}"
            elif case.way == "chunks":
                size = draw.one(["ffffffffffffffff", "7fffffffffffffff", "8000000000000000", "10000000000000000", "0", "-1", "", "fffffffffffffffffffff", "5;" + "x" * 9_000])
                case.told = f"{name}: chunk of {size}"
                del headers["Content-Length"]
                headers["Transfer-Encoding"] = "chunked"
                content = size.encode() + b"\r\n" + content + b"\r\n0\r\n\r\n"
                self.close_connection = True
        self.send_raw(status, headers, content)

    def send_raw(self, status, headers, content):
        next(Peer.answers)
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
        with contextlib.suppress(OSError):
            self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if self.command == "HEAD" else content))
        if headers.get("Content-Length") != str(len(content)):
            self.close_connection = True


@pytest.fixture(scope="module")
def peer():
    class Threads(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 100

        def handle_error(self, *_):
            pass

    server = Threads(("127.0.0.1", 0), Peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("peers")
    site = Server(folder / "data", arguments=["--log-file", str(folder / "log")], environment={"SWIFT_BACKTRACE": "enable=no"})
    site.json("PUT", "/_node/_local/_config/replicator/max_jobs", json="500")
    site.json("PUT", "/full")
    site.json("POST", "/full/_bulk_docs", json={"new_edits": False, "docs": [{**document(name), "n": number} for number, name in enumerate("abc")]})
    site.json("POST", "/full/_bulk_docs", json={"docs": [{"_id": f"x{n}", "n": n} for n in range(5)]})
    yield site
    if site.process.poll() is None:
        site.stop()


def all_cases(work, seconds, threads=8):
    """Runs cases in several threads until the time is over; returns their number."""
    end, numbers = time.monotonic() + seconds, itertools.count(1)

    def run():
        count = 0
        while time.monotonic() < end or ROUNDS:
            number = next(numbers)
            if number > CASES or work(number) is False:
                break
            count += 1
        return count

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return sum(future.result() for future in [pool.submit(run) for _ in range(threads)])


def lives(server, recent):
    """Asserts that the server's process lives; otherwise names the last cases."""
    if server.process.poll() is None:
        return
    words = server.process.stderr.read()[-1_500:]
    server.start()
    raise AssertionError(f"DEAD, seed {SEED}\n{words}\n" + "\n".join(map(str, recent)))


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_replications_with_a_peer_of_edges(site, peer):
    recent, before, statuses = collections.deque(maxlen=24), resident(site), collections.Counter()

    def work(number):
        if site.process.poll() is not None:
            return False
        case = Peer.cases[number] = Case(number)
        draw, url = case.draw, f"{peer.replace('://', '://a:b@')}/case{number}"
        ends = {"source": url, "target": f"t{number % 50}", "create_target": True} if draw.often(0.65) else {"source": "full", "target": url, "create_target": draw.often(0.3)}
        recent.append((number, ends, case.kind, case.way, lambda: case.told))
        body = {**ends, "retries_per_request": 1, "connection_timeout": 2_000, "batch_size": 10}
        with contextlib.suppress(requests.RequestException):
            if draw.often(0.15):
                body |= {"continuous": True}
                requests.put(f"{site.url}/_replicator/r{number}", json=body, auth=ADMIN, timeout=10)
                time.sleep(0.5)
                found = requests.get(f"{site.url}/_replicator/r{number}", auth=ADMIN, timeout=10).json()
                requests.get(f"{site.url}/_scheduler/docs", auth=ADMIN, timeout=10)
                requests.delete(f"{site.url}/_replicator/r{number}?rev={found['_rev']}", auth=ADMIN, timeout=10)
            else:
                answer = requests.post(f"{site.url}/_replicate", json=body, auth=ADMIN, timeout=3)
                statuses[answer.status_code] += 1
                if number % 20 == 0:
                    requests.get(f"{site.url}/_active_tasks", auth=ADMIN, timeout=10)
        return True

    count = all_cases(work, SECONDS * 2)
    print(f"{count} peers, {next(Peer.answers)} answers, {dict(statuses)}")
    lives(site, [(*entry[:-1], entry[-1]()) for entry in recent])
    for name in site.json("GET", "/_all_dbs"):
        site.json("GET", f"/{name}/_all_docs?include_docs=true&conflicts=true&attachments=true")
        site.json("GET", f"/{name}/_changes?include_docs=true&style=all_docs")
        site.json("GET", f"/{name}/_local_docs?include_docs=true")
    time.sleep(1)
    assert resident(site) - before < GROWTH_BYTES_MAX, (resident(site) >> 20, before >> 20, SEED)


def test_addresses_of_edges(site):
    draw = Draw(salt="addresses")
    for number in NUMBERS if LONG else draw.sample(NUMBERS, 8):
        for url in (f"http://127.0.0.1:{number}/x", f"http://{number}/x", f"http://[::{number[:30]}]/x", f"http://a:{number}@127.0.0.1:9/x", f"https://127.0.0.1:{number}"):
            body = {"source": url, "target": "t", "create_target": True, "retries_per_request": 0, "connection_timeout": 500}
            with contextlib.suppress(requests.Timeout):
                answer = requests.post(f"{site.url}/_replicate", json=body, auth=ADMIN, timeout=0.7 if number[0] in "123456789" and len(number) < 11 else 4)
                assert answer.status_code >= 400
            lives(site, [url])


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 200)
def test_commands_with_a_peer_of_edges(site, peer, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"_id":"a","n":1}\n')
    dead, statuses = [], collections.Counter()

    def work(number):
        number += 1_000_000
        case = Peer.cases[number] = Case(number)
        url, folder = f"{peer}/case{number}", tmp_path / str(number)
        command = case.draw.one([
            ["replicate", url, f"{folder}/data/t"], ["replicate", f"{tmp_path}/filled/db", url], ["backup", url, f"{folder}.backup"],
            ["export", url, f"{folder}.jsonl", "--attachments"], ["export", url, f"{folder}.csv"], ["import", f"{tmp_path}/a.jsonl", url], ["replicate", site.database("full"), url],
            ["compare", url, site.database("full")], ["replicate", f"http://127.0.0.1:{case.draw.one(NUMBERS)}/x", f"{folder}/data/t"]])
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        process = subprocess.Popen([GODWIT, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            _, words = process.communicate(timeout=4)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                _, words = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                dead.append(f"does not stop: {command} {case.kind} {case.told}")
                return True
            if process.returncode == -15:
                return True
        statuses[process.returncode] += 1
        if process.returncode < 0:
            dead.append(f"{process.returncode}: {command} {case.kind} {case.way} {case.told}\n{words[-1_500:]}")
        return True

    godwit("import", f"{tmp_path}/a.jsonl", f"{tmp_path}/filled/db", "--create-target")
    count = all_cases(work, SECONDS * 1.5, threads=4)
    print(f"{count} commands, {dict(statuses)}")
    assert not dead, f"seed {SEED}\n" + "\n".join(dead)


class Varied:
    """An imitation whose answers at `/i<N>/…` are those of case N, with one part of one kind replaced."""

    def vary(self, number, kind, value):
        draw = Draw(salt=f"issuer{number}")
        if draw.one(["metadata", "jwks", "token", "claims", "header", "claims", "debug", "me", "user", "emails", "exchange", "check"] if self.kinds is None else self.kinds) != kind:
            return json.dumps(value)
        path, edge, text = draw.variation(value)
        self.told[number] = f"{kind}: {path} = {short(edge)}"
        return text


class EdgeIssuer(Issuer, Varied):
    kinds = ["metadata", "jwks", "token", "claims", "claims", "header"]

    def __init__(self):
        self.told, self.asked = {}, 0
        super().__init__()

    def route(self, method, path):
        first, _, rest = path.strip("/").partition("/")
        number, self.asked = int(first[1:]) if first[1:].isdigit() else 0, self.asked + 1
        base = f"{self.url}/i{number}"
        if rest.startswith(".well-known"):
            port = Draw(salt=f"port{number}").one(NUMBERS)
            value = {"issuer": base, "jwks_uri": base + "/jwks", "token_endpoint": base + "/token", "authorization_endpoint": base + "/authorize",
                     "userinfo_endpoint": base + "/me", "id_token_signing_alg_values_supported": ["RS256"], "expires_in": 5}
            if number % 9 == 0:
                value[Draw(salt=f"end{number}").one(["jwks_uri", "token_endpoint"])] = f"http://127.0.0.1:{port}/x"
            return lambda *_: (200, Text(self.vary(number, "metadata", value)))
        if rest == "jwks":
            return lambda *_: (200, Text(self.vary(number, "jwks", self.jwks()[1])))
        if rest == "token":
            value = {"access_token": "at", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r", "scope": "openid", "id_token": self.edge_token(number)}
            return lambda *_: (200, Text(self.vary(number, "token", value)))
        return None

    def edge_token(self, number):
        claims = {**self.claims(), "iss": f"{self.url}/i{number}", "nbf": int(time.time()) - 5, "auth_time": int(time.time()), "azp": "app", "nonce": "n", "sub": f"u{number}",
                  "groups": ["a"], "updated_at": 1, "amr": ["pwd"]}
        header = {"alg": "RS256", "kid": "one", "typ": "JWT"}
        encoded = [part.encode("utf-8", "surrogatepass") for part in (self.vary(number, "header", header), self.vary(number, "claims", claims))]
        signed = b".".join(jwt.utils.base64url_encode(part) for part in encoded)
        signature = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).sign(signed, RSA_KEYS[0])
        return (signed + b"." + jwt.utils.base64url_encode(signature)).decode()


class Text(str):
    """A JSON text as the value of an answer."""


def patch(imitation):
    """Lets an imitation send texts as they are, with edges in its headers."""
    handler = imitation.server.RequestHandlerClass

    def send(self, status, value, location=None):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, Text) else json.dumps(value).encode()
        draw = Draw(salt=f"{self.path}{imitation.asked}")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if draw.often(0.3):
            self.send_header("Cache-Control", f"max-age={draw.one(NUMBERS)}, s-maxage={draw.one(NUMBERS)}")
            self.send_header(draw.one(["Age", "Expires", "Retry-After", "Date"]), draw.one([*NUMBERS, *DATES]))
        self.end_headers()
        self.wfile.write(content)

    handler.send = send


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_logins_with_an_issuer_of_edges(site):
    declare(site)
    issuer = EdgeIssuer()
    patch(issuer)
    recent, statuses, faults = collections.deque(maxlen=24), collections.Counter(), []

    def work(number):
        if site.process.poll() is not None:
            return False
        app = f"{site.url}/_apps/app{number}"
        session = requests.Session()
        session.mount("http://", SourceAddress(f"127.0.{number // 250 % 250}.{number % 250 + 1}"))
        with contextlib.suppress(requests.RequestException):
            made = session.put(app, json={"database": {"prefix": f"p{number % 7}x{number}_"}, "users": f"us{number}", "registrations_per_minute": 1_000, "providers": {"corporate": {
                "kind": "oidc", "client_id": "app", "client_secret": "s", "issuer": f"{issuer.url}/i{number}", "roles_claim": "groups", "roles": {"a": "b"}}}}, auth=ADMIN, timeout=20)
            assert made.ok, made.text
            for proof in ({"id_token": issuer.edge_token(number), "nonce": "n"}, {"code": "c", "redirect_uri": "http://127.0.0.1:5999/x", "code_verifier": "v" * 43}, {"id_token": issuer.edge_token(number)}):
                recent.append((number, issuer.told.get(number), proof.keys()))
                answer = session.post(app + "/login", json={"provider": "corporate", **proof}, timeout=20)
                statuses[answer.status_code] += 1
                if answer.status_code >= 500 and answer.json().get("error") not in ("provider_misconfigured", "provider_unavailable"):
                    faults.append((answer.status_code, answer.text[:300], issuer.told.get(number)))
                elif answer.ok and answer.json().get("access_token"):
                    session.get(f"{app}/users/{quoted(answer.json()['name'])}", headers={"Authorization": "Bearer " + answer.json()["access_token"]}, timeout=20)
            session.delete(app, auth=ADMIN, timeout=20)
        return True

    count = all_cases(work, SECONDS, threads=6)
    print(f"{count} issuers, {issuer.asked} answers, {dict(statuses)}")
    issuer.stop()
    lives(site, recent)
    assert not faults, f"seed {SEED}\n" + "\n".join(map(str, faults))


class EdgeGraph(Graph, Varied):
    """Facebook's interface with one part of one answer replaced."""

    kinds = ["debug", "me", "exchange"]

    def __init__(self):
        self.told, self.asked = {}, 0
        super().__init__()

    def me(self, query, *_):
        return super().me({**query, "access_token": "good"} if query.get("access_token") not in self.tokens else query)

    def debug(self, query, *_):
        return 200, {"data": {"app_id": "app", "user_id": "7", "is_valid": True, "expires_at": 0, "data_access_expires_at": 1, "issued_at": 1, "scopes": ["email"]}}

    def route(self, method, path):
        handler = super().route(method, path)
        self.asked += 1
        if handler is None:
            return None

        def answer(*arguments):
            status, value = handler(*arguments)
            return status, Text(self.vary(self.asked // 3, handler.__name__, value))
        return answer


class EdgeHub(GitHub, Varied):
    """GitHub's interface with one part of one answer replaced."""

    kinds = ["user", "emails", "exchange", "check"]
    __init__ = EdgeGraph.__init__
    route = EdgeGraph.route

    def __init__(self):
        self.told, self.asked = {}, 0
        GitHub.__init__(self)

    def route(self, method, path):
        handler = GitHub.route(self, method, path)
        self.asked += 1
        if handler is None:
            return None

        def answer(*arguments):
            status, value = handler(*arguments)
            return status, Text(self.vary(self.asked // 3, handler.__name__, value))
        return answer


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 60)
@pytest.mark.parametrize("kind, make, proof", [
    ("facebook", EdgeGraph, {"access_token": "good"}), ("facebook", EdgeGraph, {"code": "graph code", "redirect_uri": "http://127.0.0.1:5999/x"}),
    ("github", EdgeHub, {"code": "hub code", "redirect_uri": "http://127.0.0.1:5999/x"})])
def test_logins_with_other_providers_of_edges(site, kind, make, proof):
    declare(site)
    provider = make()
    patch(provider)
    app, faults = f"/_apps/{kind}{len(proof)}", []
    site.json("PUT", app, json={"providers": {kind: provider.declaration()}, "registrations_per_minute": 1_000_000})
    end = time.monotonic() + (SECONDS * 20 if LONG else 2)
    number = 0
    while time.monotonic() < end:
        number += 1
        session = requests.Session()
        session.mount("http://", SourceAddress(f"127.1.{number // 250 % 250}.{number % 250 + 1}"))
        with contextlib.suppress(requests.ConnectionError):
            answer = session.post(site.url + app + "/login", json={"provider": kind, **proof}, timeout=20)
            if answer.status_code >= 500 and answer.json().get("error") not in ("provider_misconfigured", "provider_unavailable"):
                faults.append((answer.status_code, answer.text[:300], provider.told))
        lives(site, list(provider.told.items())[-5:])
    print(f"{number} logins")
    provider.stop()
    assert not faults, f"seed {SEED}\n" + "\n".join(map(str, faults))


class SMTP:
    """An SMTP server whose replies have edges."""

    def __init__(self):
        self.listener, self.number, self.told = socket.create_server(("127.0.0.1", 0)), 0, None
        self.url = f"smtp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        self.number += 1
        draw, place = Draw(salt=f"smtp{self.number}"), 0
        wrong, edge = draw.one(range(7)), "".join(c for c in draw.one(TEXTS) if 31 < ord(c) < 127)
        self.told = f"reply {wrong}: {short(edge)}"
        with client, contextlib.suppress(OSError), client.makefile("rb") as lines:
            client.settimeout(5)
            reply = "220 hello"
            while True:
                if place == wrong:
                    reply = draw.one([edge + " x", f"250-{edge}\r\n250 SIZE {edge}", f"{edge}-x\r\n{edge} y", "250 " + edge, f"4{edge[:2]} {edge}"])
                client.sendall(reply.encode() + b"\r\n")
                place += 1
                line = lines.readline().upper()
                if not line or line.startswith(b"QUIT"):
                    return
                if line.startswith(b"DATA"):
                    client.sendall(b"354 go on\r\n")
                    while lines.readline().strip() not in (b".", b""):
                        pass
                reply = "250-x\r\n250-SIZE 1000\r\n250 AUTH PLAIN" if line.startswith(b"EHLO") else "250 2.0.0 ok"


def test_mail_by_a_server_of_edges(site):
    declare(site)
    mail = SMTP()
    site.json("PUT", "/_apps/mailed", json={"url": site.url, "mail": {"server": mail.url, "from": "a@example.org"}, "registrations_per_minute": 1_000_000})
    for number in range(2_000 if LONG else 100):
        session = requests.Session()
        session.mount("http://", SourceAddress(f"127.2.{number // 250 % 250}.{number % 250 + 1}"))
        with contextlib.suppress(requests.ConnectionError):
            session.put(f"{site.url}/_apps/mailed/users/m{number}", json={"password": "a long password", "email": f"m{number}@example.org"}, timeout=20)
            session.post(f"{site.url}/_apps/mailed/mail/reset", json={"email": f"m{number}@example.org"}, timeout=20)
        lives(site, [mail.told])
    time.sleep(0.5)
    print(f"{mail.number} connections")
    lives(site, [mail.told])
    mail.listener.close()


OBJECTS = """<ListBucketResult><Name>b</Name><KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
<Contents><Key>o</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>"5d41402abc4b2a76b9719d911017c592"</ETag><Size>5</Size></Contents></ListBucketResult>"""
BUCKETS = "<ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name><CreationDate>2024-01-01T00:00:00.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>"


class Store(http.server.BaseHTTPRequestHandler):
    """An object store with edges in the numbers and dates of its lists and headers."""

    protocol_version, number = "HTTP/1.1", 0

    def log_message(self, *_):
        pass

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        first, _, key = path.strip("/").removeprefix("_s3").strip("/").partition("/")
        draw = Draw(salt=f"store{Store.number}")
        headers = {"ETag": '"5d41402abc4b2a76b9719d911017c592"', "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Type": "text/plain", "x-amz-meta-a": "1"}
        if key:
            content = b"hello"
        else:
            content = (OBJECTS if first else BUCKETS)
            for old in draw.sample(["2024-01-01T00:00:00.000Z", ">5<", ">2<", ">1000<", ">false<"], 1):
                content = content.replace(old, draw.one([*NUMBERS, *DATES]) if old[0] == "2" else f">{draw.one(NUMBERS)}<")
            content = content.encode()
        headers["Content-Length"] = str(len(content))
        if key and draw.often(0.7):
            headers[draw.one(list(headers))] = draw.one([*NUMBERS, *DATES])
        with contextlib.suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"Connection: close\r\n\r\n" + (b"" if self.command == "HEAD" else content))
        self.close_connection = True

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_copies_of_objects_from_a_store_of_edges():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    keys = {f"GODWIT_{end}_{kind}_KEY": "AKIAIOSFODNN7EXAMPLE" for end in ("SOURCE", "TARGET") for kind in ("ACCESS", "SECRET")}
    end = time.monotonic() + (SECONDS * 20 if LONG else 4)
    while time.monotonic() < end:
        Store.number += 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            run = subprocess.run([GODWIT, "objects", "copy", url, url + "/_s3", "--delete"], env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **keys}, capture_output=True, text=True, timeout=8)
            assert run.returncode >= 0, (SEED, Store.number, run.stderr[-1_500:])
    print(f"{Store.number} copies")
    server.shutdown()
