"""Requests of several clients to one server, each a valid request of a catalogue with some of its parts replaced by edges.

`edge_requests.py` has the catalogue of the server. A world has its entries, and the names and bodies that they need."""

import contextlib
import json
import re
import threading
import time

from edge_requests import PASSWORDS, fill_text
from edges import LONG, ROUNDS, SEED, TEXTS, Draw, quoted, short
from objectstores import Request
from raw import Answer, connect

# Each has a separate connection and seed. Most of its time it waits for feeds, so a long run has more of them.
CLIENTS = 24 if LONG or ROUNDS else 6
# A login of a locked address waits up to 16 s, and longer on a machine that does other work.
ANSWER_SECONDS_MAX = 90 if LONG or ROUNDS else 20
FAULTS_MAX = 20
# A function of a design document, a peer or a provider that fails is not a fault of the server; nor is a feature that is not there.
NO_FAULTS = {501, 502, 503, 504, 507}
# Headers that any request may have.
HEADERS = {
    "Accept": "application/json;q=0.5", "If-None-Match": '"1-a"', "Range": "bytes=0-9", "Content-Type": "application/json; charset=utf-8",
    "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "Last-Event-ID": "1", "X-Couch-Full-Commit": "true", "Origin": "http://a:80",
    "Accept-Encoding": "gzip;q=0.5", "Accept-Language": "de;q=0.5", "X-App-Version": "1.2", "X-Forwarded-For": "10.0.0.1", "Expect": "",
    "Cookie": "AuthSession=bWlhOjY1NTM1OmFhYQ", "Authorization": "Bearer e30.e30.e30", "Content-Encoding": "identity",
    "X-Auth-CouchDB-UserName": "mia", "X-Auth-Token": "x", "Traceparent": "00-0-0-00", "X-Couch-Request-ID": "1", "Priority": "u=1",
    "Host": "127.0.0.1:5984", "Connection": "keep-alive", "Keep-Alive": "timeout=5", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
    "If-Match": '"1-a"', "X-HTTP-Method-Override": "GET", "Upgrade": "x/1", "Max-Forwards": "1", "DNT": "1",
}
# The names of what requests make have the number of the request, or a UUID. The world's own documents have shorter numbers.
MADE_DATABASES = re.compile(r"(?:(?:made|back|copy|restored|gone)-|lt_user_u|gone)(\d+)(?:_\w+)?")
MADE_DOCUMENTS = re.compile(r"(?:_design/|org\.couchdb\.user:)?[a-z]+-?(\d{4,})(?:-\d+)?|(?:upd-)?[0-9a-f]{32}")
# These work on all databases, in the background: they are drawn less often.
HEAVY = {"POST /_godwit/backups", "POST /_godwit/check", "POST /_godwit/backups/{backup}/restore", "POST /_godwit/backups/{backup}/check"}


class Sent:
    """A request of an entry with at most some parts replaced."""

    def __init__(self, world, draw, entry, number):
        self.entry = entry
        self.parameters = sorted({name for entry in world["entries"] for name in entry.query})
        self.names = {**world["names"], "{n}": str(number), "{rev}": ""}
        for method, path, body in entry.before:
            answer = world["server"].request(method, fill_text(path, self.names), json=fill(body, self.names))
            with contextlib.suppress(ValueError, AttributeError):
                self.names["{rev}"] = answer.json().get("rev", "")
        self.where, self.edge = None, None
        path = fill_text(entry.path, self.names)
        query = {name: fill_text(value, self.names) for name, value in entry.query.items()}
        headers = {name: fill_text(value, self.names) for name, value in entry.headers.items()}
        body = world["bodies"].get(entry.body, entry.body) if isinstance(entry.body, str) else entry.body
        text = None if body is None else fill_text(body if isinstance(body, str) else json.dumps(body), self.names)
        for _ in range(2 if draw.often(0.2) else 1):
            path, text = self.vary(draw, path, query, headers, body, text)
        self.path = path + ("?" + "&".join(f"{quoted(name)}={quoted(value)}" for name, value in query.items()) if query else "")
        self.query, self.headers, self.body = query, headers, text
        members = ["member"] if entry.route in world["administrators"] else ["member"] * 5
        self.role = draw.one(["admin"] * 9 + members + ["nobody"] + [entry.auth] * 20 * bool(entry.auth))
        self.authorize(world)

    def vary(self, draw, path, query, headers, body, text):
        """Replaces one part; returns the path and the body."""
        kinds = ["query"] * (4 * bool(query)) + ["headers"] * (3 * bool(headers)) + ["any header"] + ["body"] * (6 * bool(text))
        kinds += ["path"] * bool(self.entry.places) + ["more"]
        kind, edge = draw.one(kinds), draw.one(TEXTS)
        self.edge = edge
        if kind in ("query", "headers"):
            values = query if kind == "query" else headers
            self.where = draw.one(list(values))
            old = values[self.where]
            # Numbers within a text too: ranges, polygons, entity tags.
            values[self.where] = within(draw, old, edge) if draw.often(0.4) else edge
        elif kind == "any header":
            self.where = draw.one(list(HEADERS))
            headers[self.where] = within(draw, HEADERS[self.where], edge) if draw.often(0.5) else edge
        elif kind == "more":
            self.where = draw.one(self.parameters)
            query[self.where] = edge
        elif kind == "path":
            segments = path.split("/")
            place = min(draw.one(self.entry.places), len(segments) - 1)
            self.where, segments[place] = f"segment {place}", quoted(edge)[:20_000] or "x"
            path = "/".join(segments)
        elif isinstance(body, str):
            if self.entry.type == "application/x-www-form-urlencoded" or not re.search(r"\d", text):
                text = within(draw, text, edge) if draw.often(0.8) else edge
            else:
                text = within(draw, text, edge)
            self.where = "text"
        elif self.entry.type == "application/x-www-form-urlencoded":
            form = dict(body)
            self.where = draw.one(list(form))
            form[self.where] = edge
            text = "&".join(f"{quoted(name)}={quoted(str(value))}" for name, value in form.items())
        else:
            self.where, self.edge, text = draw.variation(body)
            text = fill_text(text, self.names)
        return path, text

    def authorize(self, world):
        headers = self.headers
        fields = {name.lower() for name in headers}
        if self.body is not None and "content-type" not in fields:
            headers["Content-Type"] = self.entry.type or "application/json"
        if self.role in PASSWORDS and "authorization" not in fields:
            headers["Authorization"] = PASSWORDS[self.role]
        elif self.role == "app":
            headers.setdefault("Authorization", world["ann"].token["Authorization"])
        elif self.role == "swift":
            headers.setdefault("X-Auth-Token", world["names"]["{swift}"])
        elif self.role == "s3":
            path, _, _ = self.path.partition("?")
            signed = Request(self.entry.method, path.removeprefix("/_s3"), self.query.items(),
                             {name.lower(): clean(value) for name, value in headers.items()}, (self.body or "").encode())
            signed.sign(world["account"])
            self.path, self.headers = path + ("?" + signed.query_text() if self.query else ""), signed.headers

    def bytes(self):
        body = (self.body or "").encode("utf-8", "surrogatepass")
        lines = [f"{self.entry.method} {self.path} HTTP/1.1"]
        if not any(name.lower() == "host" for name in self.headers):
            lines.append("Host: 127.0.0.1")
        lines += [f"{name}: {clean(value)}" for name, value in self.headers.items()]
        if body or self.entry.method in ("PUT", "POST"):
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body

    def __str__(self):
        return (f"{self.entry.route} as {self.role}, {self.where} = {short(self.edge)}:\n  {short(self.path)} "
                f"{ {name: short(value) for name, value in self.headers.items() if name.lower() not in ('authorization', 'x-auth-token')} }\n  {short(self.body or '')}")


def clean(value):
    """A value that a header can have: line ends would begin another header."""
    return re.sub(r"[\r\n\0]", " ", value).strip()


def fill(value, names):
    return None if value is None else json.loads(fill_text(json.dumps(value), names))


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def within(draw, text, edge):
    """The text with one of its numbers replaced."""
    found = list(NUMBER.finditer(text))
    if not found:
        return edge
    match = draw.one(found)
    return text[:match.start()] + edge + text[match.end():]


class Client(threading.Thread):
    """Sends requests on one connection until the run ends."""

    def __init__(self, run, number):
        super().__init__(daemon=True)
        self.run_, self.number, self.draw = run, number, Draw(salt=number)
        self.connection, self.recent, self.count = None, [], 0
        # Every entry comes as often as the others, in an order of its own.
        self.order = []

    def run(self):
        while self.run_.goes_on():
            if not self.order:
                entries = [entry for entry in self.run_.world["entries"] if entry.route not in HEAVY or self.draw.often(0.1)]
                self.order = self.draw.sample(entries, len(entries) - 1)
            try:
                if self.number % CLIENTS == 0 and self.count % 200 == 199:
                    self.sweep()
                self.step(self.order.pop())
            except Exception as problem:
                self.close()
                if self.run_.dead():
                    return
                if not isinstance(problem, (OSError, EOFError, ValueError)):
                    self.run_.faults.append(f"{type(problem).__name__} {problem} after {self.recent[-1] if self.recent else ''}")

    def sweep(self):
        """Reads and deletes older databases, documents and indexes that requests have made, so that their number does not grow."""
        server = self.run_.server
        for name in server.json("GET", "/_all_dbs"):
            if self.is_old(MADE_DATABASES.fullmatch(name)):
                server.request("DELETE", f"/{name}")
        for name in ("db", "rights", "_replicator", "_users"):
            rows = server.json("GET", f"/{name}/_all_docs?include_docs=true")["rows"]
            server.request("POST", f"/{name}/_bulk_docs", json={"docs": [
                {"_id": row["id"], "_rev": row["value"]["rev"], "_deleted": True} for row in rows
                if self.is_old(MADE_DOCUMENTS.fullmatch(row["id"]))]})

    def is_old(self, number):
        return number and int(number[1] or 0) % 10_000_000 < self.count - 200

    def step(self, entry):
        self.count += 1
        sent = Sent(self.run_.world, self.draw, entry, self.number * 10_000_000 + self.count)
        self.recent = [*self.recent[-2:], sent]
        begun = time.monotonic()
        if self.connection is None:
            self.connection = connect(self.run_.server, timeout=ANSWER_SECONDS_MAX)
            self.stream = self.connection.makefile("rb")
        is_feed = any(word in sent.path for word in ("feed=", "heartbeat", "timeout", "_changes", "_db_updates", "_find?", "socket", "events"))
        self.connection.settimeout(1 if is_feed else ANSWER_SECONDS_MAX)
        try:
            self.connection.sendall(sent.bytes())
            answer = Answer(self.stream, entry.method, with_body=not is_feed)
            if is_feed and not self.read_feed(answer, entry.method):
                self.close()
        except TimeoutError:
            self.close()
            if not is_feed:
                self.run_.faults.append(f"no answer in {ANSWER_SECONDS_MAX} s: {sent}")
            return
        except (OSError, EOFError, ValueError):
            self.close()
            return
        took = time.monotonic() - begun
        self.run_.note(sent, answer, took)
        if answer.headers.get("connection", "").lower() == "close":
            self.close()

    def read_feed(self, answer, method):
        """Reads an answer that may never end; returns whether it has ended."""
        if method == "HEAD" or answer.status in (204, 304):
            return True
        end = time.monotonic() + 0.3
        for piece in answer.pieces():
            answer.body += piece[:1_000]
            if time.monotonic() > end:
                return False
        return True

    def close(self):
        if self.connection is not None:
            with contextlib.suppress(OSError):
                self.stream.close()
                self.connection.close()
            self.connection = None


class Run:
    """Requests of several clients to one server, started again after each end of the process."""

    def __init__(self, world, rounds, seconds):
        self.world, self.server, self.rounds = world, world["server"], rounds
        self.end = time.monotonic() + seconds
        self.faults, self.deaths, self.seen, self.statuses, self.slow = [], [], set(), {}, []
        self.clients = []
        self.stopped = False

    def goes_on(self):
        return (not self.stopped and time.monotonic() < self.end and len(self.faults) < FAULTS_MAX
                and sum(client.count for client in self.clients) < self.rounds)

    def dead(self):
        if self.server.process.poll() is not None:
            self.stopped = True
        return self.stopped

    def note(self, sent, answer, took):
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        if took > 5:
            self.slow.append((took, str(sent)))
        if answer.status >= 500 and answer.status not in NO_FAULTS:
            kind = (sent.entry.route, answer.body[:60])
            if kind not in self.seen and not is_known(sent, answer) and answer.body.strip() not in self.world.get("documented", ()):
                self.seen.add(kind)
                self.faults.append(f"{answer.status} {short(answer.body.decode('utf-8', 'replace'))} to {sent}")

    def go(self):
        first = 0
        while True:
            self.stopped = False
            self.clients = [*self.clients, *(Client(self, first + number) for number in range(CLIENTS))]
            for client in self.clients[-CLIENTS:]:
                client.start()
            for client in self.clients[-CLIENTS:]:
                client.join()
            first += CLIENTS
            if self.server.process.poll() is None:
                break
            suspects = [sent for client in self.clients[-CLIENTS:] for sent in client.recent[-2:]]
            words = self.server.process.stderr.read()
            self.server.start()
            self.deaths.append((f"returned {self.server.process.returncode}", words[-1_500:], self.culprit(suspects)))
            if len(self.deaths) >= 10 or not self.goes_on_after():
                break
        return self

    def goes_on_after(self):
        return time.monotonic() < self.end

    def culprit(self, suspects):
        """The request that ends the process by itself, if one of the last does."""
        for sent in suspects:
            with contextlib.suppress(OSError, EOFError, ValueError):
                with connect(self.server, timeout=5) as connection, connection.makefile("rb") as stream:
                    connection.sendall(sent.bytes())
                    Answer(stream, sent.entry.method)
            time.sleep(0.05)
            if self.server.process.poll() is not None:
                self.server.start()
                return str(sent)
        return "one of these, or several:\n" + "\n".join(map(str, suspects))


def is_known(sent, answer):
    """Whether a function of a design document failed, which is not a fault of the server."""
    with contextlib.suppress(ValueError, AttributeError):
        return answer.json().get("error") in FUNCTIONS_FAIL
    return False


FUNCTIONS_FAIL = {"render_error", "TypeError", "ReferenceError", "compilation_error", "unnamed_error", "os_process_error",
                  "bad_response_content_type", "provider_misconfigured", "invalid_value", "replication_failed"}


def report(run):
    lines = [f"seed {SEED} (GODWIT_SEED), {sum(client.count for client in run.clients)} requests, {dict(sorted(run.statuses.items()))}"]
    for returned, words, culprit in run.deaths:
        lines.append(f"DEAD: {returned}\n{words}\n{culprit}")
    return "\n\n".join([*lines, *run.faults[:FAULTS_MAX]])
