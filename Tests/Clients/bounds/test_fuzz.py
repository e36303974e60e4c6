"""Random requests from a grammar: for any request the answer is well formed, the server continues, and its files are sound.

`GODWIT_FUZZ_SECONDS` is the duration, `GODWIT_FUZZ_SEED` repeats a run: the same seed creates the same requests.
"""

import gzip
import json
import os
import random
import time
import urllib.parse

import pytest

from conftest import Server, godwit
from raw import ADMIN_HEADER, Answer, ask, connect, request
from loads import MB, resident

SECONDS = float(os.environ.get("GODWIT_FUZZ_SECONDS", "8"))
SEED = int(os.environ.get("GODWIT_FUZZ_SEED", random.SystemRandom().randrange(1 << 32)))
REQUESTS_BETWEEN_LOOKS = 50
NO_REPORT = {"SWIFT_BACKTRACE": "enable=no"}
GROWTH_BYTES_MAX = 250 * MB
# Far longer than any request of the grammar takes.
ANSWER_SECONDS_MAX = 20
FAULTS_MAX = 12

DATABASES = [
    "db", "db", "db", "db", "fuzz", "a/b", "other$()+-", "_users", "_replicator", "nowhere", "Upper", "x" * 300,
]
IDS = ["a", "b", "c", "d", "é", "a b", "a/b", "_x", "_design/d", "_design/", "_local/l", "%", "+", "\u0000", "x" * 300,
       "x" * 8_000, "\U0001f600", "org.couchdb.user:u", ".", "..", "'\"<>", "_changes", "key:part", ":"]
NAMES = ["a.txt", "b.bin", "dir/file", "_x", "é", "", "x" * 3_000, "..", "a\"b", "\n"]
REVISIONS = [
    "1-a", "1-" + "a" * 32, "2-" + "0" * 32, "0-1", "x", "", "-1-a", "1-", "-", "99999999999999999999-a", "1-é",
    "1-" + "A" * 600, "all", "1", "\"1-a\"",
]
SECTIONS = [
    "cors", "cors/origins", "cors/max_age", "nothing", "nothing/x", "chttpd_auth/timeout", "_reload", "log/level",
]
ROUTES = """/ /_up /_uuids /_utils /favicon.ico /_all_dbs /_dbs_info /_db_updates /_session /_active_tasks
    /_membership /_replicate /_scheduler/jobs /_scheduler/docs /_scheduler/docs/{db}
    /_scheduler/docs/{db}/{id} /_scheduler/jobs/{id} /_node/_local /_node/_local/_stats
    /_node/_local/_stats/{id}/{id} /_node/_local/_system /_node/_local/_versions /_node/_local/_prometheus
    /_node/{id} /_node/_local/_config /_node/_local/_config/{section} /_node/_local/_restart
    /_api/v2/db/{db}/_security /_api/v2/api_keys /_cluster_setup /_search_analyze /_nouveau_analyze /_reshard
    /{db} /{db} /{db}/_all_docs /{db}/_all_docs/queries /{db}/_design_docs /{db}/_local_docs
    /{db}/_design_docs/queries /{db}/_bulk_docs /{db}/_bulk_docs /{db}/_bulk_get /{db}/_bulk_get
    /{db}/_changes /{db}/_changes /{db}/_find /{db}/_index /{db}/_explain /{db}/_revs_diff /{db}/_missing_revs
    /{db}/_security /{db}/_ensure_full_commit /{db}/_compact /{db}/_compact/{id} /{db}/_view_cleanup
    /{db}/_sync_shards /{db}/_purge /{db}/_purged_infos_limit /{db}/_revs_limit /{db}/_shards
    /{db}/_shards/{id} /{db}/_partition/{id} /{db}/_partition/{id}/_all_docs /{db}/{id} /{db}/{id} /{db}/{id}
    /{db}/{id} /{db}/{id} /{db}/{id}/{name} /{db}/{id}/{name} /{db}/_design/{id} /{db}/_design/{id}/{name}
    /{db}/_design/{id}/_view/{id} /{db}/_design/{id}/_info /{db}/_local/{id} /{db}/_auto_purge
    /{db}/_temp_view /{db}/_unknown /_unknown /{db}/_design/{id}/_update/{id} /{db}/_design/{id}/_rewrite/x""".split()
METHODS = ["GET"] * 8 + ["PUT"] * 7 + ["POST"] * 7 + ["DELETE"] * 3 + ["HEAD"] * 2 + [
    "COPY", "OPTIONS", "PATCH", "TRACE", "MKCOL", "LOCK"]
POSTED = """_bulk_docs _bulk_get _revs_diff _missing_revs _purge queries _replicate api_keys _compact _view_cleanup
    _sync_shards _ensure_full_commit _find _explain""".split()
PARAMETERS = """rev revs revs_info open_revs conflicts deleted_conflicts meta latest local_seq attachments
    atts_since att_encoding_info new_edits batch key keys startkey start_key endkey end_key startkey_docid
    end_key_doc_id inclusive_end limit skip descending include_docs update_seq update stale stable sorted
    reduce group group_level partitioned q n feed since style filter doc_ids heartbeat timeout seq_interval
    last-event-id view selector count names partition w r full_commit next basic name password include_system
    bookmark""".split()
NUMBERS = [
    "0", "1", "-1", "2", "10", "1000", "-0", "+1", "1.5", "1e3", "NaN", "Infinity", "0x10", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "99999999999999999999999999", "٣", "1_000", " 1",
]
WORDS = [
    "true", "false", "null", "", "ok", "True", "TRUE", "yes", "normal", "longpoll", "continuous", "eventsource",
    "live", "now", "0-", "1-x", "999-zz", "all", "main_only", "all_docs", "_doc_ids", "_selector", "_design",
    "_view", "d/f", "lazy", "..", "\u0000", "\ufffd", "%", "&", "a" * 2_000,
]
TEXTS = [
    '"a"', '"', "{", "[", "[]", "{}", "[1", '["a","b"]', '[null]', '[[]]', '{"a":1}', '{"a":1,"a":2}', "[" * 900,
    "[" * 900 + "]" * 900, '{"a":' * 2_000 + "1" + "}" * 2_000, "1e999", "-", "01", "NaN", '"\\ud800"', '"\\u0000"',
    '["1-a"]', '["1-a",7]', '[["a"]]', '{"$gt":null}', "[1,2,]", "nul", '"é"', "\ufeff1",
]
# Valid values, so that other parameters of the same request are reached.
RIGHT = {
    "key": ['"a"'], "keys": ['["a","b"]', '["d","nothing"]'], "startkey": ['"a"', "null"],
    "start_key": ['"b"', "{}"], "endkey": ['"c"', "[]"], "end_key": ['"a"'], "limit": ["0", "1", "2", "100"],
    "skip": ["0", "1", "9"], "open_revs": ["all"], "since": ["0", "now", "2", "99-x"],
    "feed": ["normal", "longpoll", "continuous", "eventsource"], "count": ["1", "9"],
    "style": ["all_docs", "main_only"], "filter": ["_design", "_doc_ids", "_selector"], "doc_ids": ['["a","d"]'],
    "heartbeat": ["10", "true"], "timeout": ["1", "20"], "seq_interval": ["2", "1"], "last-event-id": ["1", "2-x"],
    "inclusive_end": ["false", "true"], "batch": ["ok"], "q": ["1", "8"], "n": ["1"], "w": ["1"],
    "update": ["true", "lazy"], "stable": ["true"], "stale": ["ok"], "group_level": ["1"], "names": ["a"],
    "partition": ["key"], "view": ["d/v"],
}

TYPES = [
    "application/json", "application/json;charset=utf-8", "APPLICATION/JSON", "text/plain", "", "image/png",
    "nonsense", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/related",
    "multipart/related;", 'multipart/related; boundary=""', 'multipart/related; boundary="x',
    "multipart/related; boundary=x", "multipart/related;boundary=" + "b" * 500, 'multipart/related; boundary="é"',
    "a/b; " + "c=d;" * 500, ";", "/",
]
RANGES = ["bytes=0-", "bytes=-1", "bytes=0-0", "bytes=5-1", "bytes=-", "bytes=", "bytes=0-1,3-4", "items=0-1", "x",
          "bytes=99999999999999999999-", "bytes=-99999999999999999999", "bytes=0-9223372036854775807", "bytes=a-b", ""]
ACCEPTED = ["*/*", "application/json", "text/plain", "multipart/related", "multipart/mixed", "multipart/mixed;q=0", "",
            "multipart/related, application/json;q=0.5", "q=;;,,", "a" * 3_000, "multipart/*;q=1.5", "text/html"]
ODD_VALUES = [
    None, True, False, 0, -1, 1.5, 1e308, 10 ** 30, "", "a", "_a", "\u0000", "é", "1-a", "x" * 3_000, [], {},
    [None], [[]], {"": None}, {"_id": "a"}, {"a": {"b": {"c": []}}}, "data", {"$gt": None}, ["1-a"],
]


class Grammar:
    """Creates requests, all from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        # Revisions from the server's answers.
        self.revisions = list(REVISIONS)

    def often(self, share):
        return self.random.random() < share

    def one(self, items):
        return self.random.choice(items)

    # MARK: Target

    def path(self):
        route = self.one(ROUTES)
        while "{" in route:
            for name, items in [("{db}", DATABASES), ("{id}", IDS), ("{name}", NAMES), ("{section}", SECTIONS)]:
                if name in route:
                    text = self.one(items[:5] if self.often(0.7) else items)
                    safe = "/" if name == "{section}" or self.often(0.2) else ""
                    route = route.replace(name, urllib.parse.quote(text, safe=safe), 1)
        return self.spoiled(route) if self.often(0.08) else route

    def spoiled(self, path):
        place = self.random.randrange(len(path) + 1)
        odd = self.one(["%ff", "%c3%28", "%ed%a0%80", "%00", "%2f", "%2F%2e%2e", "/..", "/.", "//", "/", "%", "%zz",
                        "%4", ";x",
                        "#f", "%25", "%0d%0a", "_", "/_", "\\", "|", "^", "~", "%F0%9F%98%80", "%e2%80%ae", "+",
                            "%20"])
        return path[:place] + odd + path[place:]

    def value(self, name):
        if name in ("rev", "open_revs", "atts_since") and self.often(0.7):
            revision = self.one(self.revisions)
            return revision if name == "rev" else self.one([json.dumps([revision]), "all", revision])
        if name in ("limit", "skip", "since", "count") and self.often(0.2):
            return self.one(NUMBERS)
        if self.often(0.7):
            return self.one(RIGHT.get(name, ["true", "false"]))
        return self.one(self.one([NUMBERS, WORDS, TEXTS]))

    def query(self):
        items = []
        for _ in range(self.one([0, 0, 1, 1, 2, 3, 5])):
            name = self.one(PARAMETERS)
            value = self.value(name)
            if self.often(0.95):
                value = urllib.parse.quote(value, safe="")
            else:
                value = self.one(["%", "%zz", "%ff", "%c3", "=", "", "a=b", "+", "%00"])
            items.append(f"{name}={value}" if self.often(0.97) else name)
        text = self.one(["&", "&", "&", "&&"]).join(items)
        return "?" + text if text or self.often(0.03) else ""

    # MARK: Body

    def document(self):
        document = {"n": self.one([1, 2.5, "x", None, [1], 1e300])}
        if self.often(0.4):
            document["_id"] = self.one(IDS)
        if self.often(0.5):
            document["_rev"] = self.one(self.revisions)
        if self.often(0.15):
            document["_deleted"] = self.one([True, False, 1])
        if self.often(0.2):
            document["_revisions"] = {"start": self.one([1, 2, 3, 0, -1, 10 ** 20, "1"]),
                                      "ids": self.one([["a"], ["b", "a"], ["c", "b", "a"], [], ["a"] * 50, [1], "a"])}
        if self.often(0.25):
            document["_attachments"] = {self.one(NAMES): self.attachment() for _ in range(self.one([1, 1, 2]))}
        if self.often(0.05):
            document[self.one(["_x", "_local_seq", "_conflicts", "_revs_info", "_exp", "_ttl",
                ""])] = self.one(ODD_VALUES)
        return document

    def attachment(self):
        entry = self.one([{"data": "aGVsbG8="}, {"stub": True}, {"follows": True, "length": 5}, {"data": "%"},
                          {"data": 7}, {},
                          {"data": "aGVsbG8", "encoding": "gzip"}, {"follows": True, "length": -1},
                          {"follows": True, "length": 10 ** 18}, {"follows": True}])
        entry = dict(entry)
        for name, items in [("content_type", TYPES), ("revpos", [0, 1, -1, 10 ** 20, "1"]),
                            ("digest", ["md5-XUFAKrxLKna5cZ2REBfFkg==", "md5-", "sha1-x", 7, ""])]:
            if self.often(0.3):
                entry[name] = self.one(items)
        return entry

    def template(self, path):
        """A valid body for the route."""
        documents = [self.document() for _ in range(self.one([0, 1, 2, 5]))]
        wanted = [{"id": self.one(IDS)}, {"id": self.one(IDS), "rev": self.one(self.revisions)}]
        revisions = {self.one(IDS): [self.one(self.revisions)] for _ in range(2)}
        selectors = [{"n": {"$gt": 1}}, {"$or": [{"n": 1}, {"_id": "a"}]}, {"n": {"$regex": "(a+)+$"}},
                     {"n": {"$in": 1}},
                     {"$and": []}, {"n.m": {"$size": -1}}, {"n": {"$mod": [0, 0]}}, {"n": {"$elemMatch": {"$x": 1}}}]
        for name, body in [
            ("_bulk_docs", {"docs": documents, **({"new_edits": False} if self.often(0.4) else {})}),
            ("_bulk_get", {"docs": wanted}), ("_revs_diff", revisions), ("_missing_revs", revisions), ("_purge",
            revisions),
            ("queries", {"queries": [self.wanted_rows() for _ in range(self.one([0, 1, 3]))]}),
            ("_docs", self.wanted_rows()), ("_dbs_info", {"keys": ["db", "nowhere", 7]}),
            ("_changes", {"doc_ids": ["a", "b"], "selector": self.one(selectors)}),
            ("_find", {"selector": self.one(selectors)}), ("_explain", {"selector": self.one(selectors)}),
            ("_index", {"index": {"fields": ["n", {"a": "desc"}]}, "name": "i", "ddoc": "d"}),
            ("_security", {"admins": {"names": ["a"], "roles": []}, "members": {"names": [], "roles": ["r"]}}),
            # A wrong password of the administrator would lock the account for this address.
            ("_session", self.one([
                {"name": "admin", "password": "secret"}, {"name": "nobody", "password": self.one(["wrong", 7])}])),
            ("_replicate", {"source": "db", "target": self.one(["fuzz", "nowhere"]), "doc_ids": ["a"]}),
            ("_limit", self.one([1, 0, -1, 1000, "1", 10 ** 20])), ("_config", self.one(["60", "", "x", 7])),
            ("_users", {"_id": "org.couchdb.user:u", "name": "u", "password": "p", "roles": [], "type": "user"}),
        ]:
            if name in path and self.often(0.9):
                return body
        return self.document()

    def wanted_rows(self):
        """The members of a body for `_all_docs`."""
        query = {}
        for _ in range(self.one([0, 1, 1, 2, 3])):
            name, items = self.one([
                ("limit", [0, 1, 100]), ("skip", [0, 1, 100]), ("descending", [True, False]), ("include_docs", [True]),
                ("keys", [["a", "b"], ["a", 7], [], "a"]), ("key", ["a", "d"]), ("startkey", ["a", None, {}]),
                ("endkey", ["c", "", []]), ("start_key", ["b"]), ("end_key", ["b"]), ("inclusive_end", [False]),
                ("conflicts", [True]), ("attachments", [True]), ("update_seq", [True]),
            ])
            value = self.one(items) if self.often(0.85) else self.one([*ODD_VALUES, -1, -10, 2 ** 63, -2 ** 63,
                2 ** 64])
            query[name] = value
        return query

    def spoil(self, value):
        """The value with an unusual part at a random position."""
        if isinstance(value, dict) and value and self.often(0.8):
            name = self.one(list(value))
            if self.often(0.15):
                return {key: item for key, item in value.items() if key != name}
            return {**value, name: self.spoil(value[name])}
        if isinstance(value, list) and value and self.often(0.8):
            place = self.random.randrange(len(value))
            return value[:place] + [self.spoil(value[place])] + value[place + 1:]
        return self.one(ODD_VALUES)

    def mutated(self, bytes):
        for _ in range(self.one([1, 1, 2, 5])):
            place = self.random.randrange(len(bytes) + 1)
            bytes = self.one([
                lambda: bytes[:place], lambda: bytes[:place] + bytes[place + 1:],
                lambda: bytes[:place] + self.one([b"\xff", b"\0", b'"', b"{", b"]", b",", b"\r\n", b"--",
                b"\\u"]) + bytes[place:],
                lambda: bytes[:place] + self.random.randbytes(3) + bytes[place + 3:], lambda: bytes + bytes[:place],
            ])()
        return bytes

    def json_body(self, path):
        value = self.template(path)
        if self.often(0.35):
            value = self.spoil(value)
        body = json.dumps(value, ensure_ascii=self.often(0.5)).encode("utf-8", "replace")
        if self.often(0.02):
            body = self.one(TEXTS).encode()
        return self.mutated(body) if self.often(0.12) else body

    def related(self, path):
        boundary = self.one(["x", "x", "--x", "a b", "b" * 70])
        content = self.one([b"hello", b"", b"\r\n--x\r\n", b"x" * 5_000])
        document = {**self.document(), "_attachments": {"a.txt": {
            "follows": True, "content_type": "text/plain", "length": len(content) + self.one([0, 0, 0, 0, 1, -1])}}}
        line = b"--" + boundary.encode()
        body = (line + b"\r\nContent-Type: application/json\r\n\r\n" + json.dumps(document).encode() + b"\r\n" + line
                + b"\r\nContent-Disposition: attachment; filename=\"a.txt\"\r\n\r\n" + content
                + b"\r\n" + line + b"--")
        if self.often(0.4):
            body = self.mutated(body)
        return body, f'Content-Type: multipart/related; boundary="{boundary}"'

    # MARK: Request

    def headers(self):
        options = [
            lambda: f"Range: {self.one(RANGES)}", lambda: f"If-Match: {self.one(self.revisions)}",
            lambda: f'If-None-Match: "{self.one(self.revisions)}"', lambda: f"Accept: {self.one(ACCEPTED)}",
            lambda: "Accept-Encoding: " + self.one(["gzip", "gzip;q=0", "br", "*", "", "identity", "gzip,gzip"]),
            lambda: f"Content-Type: {self.one(TYPES)}", lambda: "Destination: " + self.one(
                ["b", "c?rev=1-a", "", "a%2", "_x", "http://x/db/b", "b?rev=", "/db/b", "é", "%ff"]),
            lambda: "Cookie: " + self.one(["AuthSession=", "AuthSession=YWRtaW46", "AuthSession=%%%", "=;=;",
            "x" * 2_000]),
            lambda: "X-HTTP-Method-Override: " + self.one(["PUT", "DELETE", "HEAD", "COPY", "x", ""]),
            lambda: "Origin: " + self.one(["http://a", "null", "", "é"]),
            lambda: "X-Couch-Full-Commit: " + self.one(["true", "x"]),
            lambda: "Expect: 100-continue", lambda: "Last-Event-ID: " + self.one(["", "1", "x", "9-z", "-1", '"1"']),
            lambda: f"X-{'n' * self.one([1, 60, 2_000])}: {'v' * self.one([0, 1, 3_000])}", lambda: "Host:",
            lambda: "Host: a b",
            lambda: "X-CouchDB-WWW-Authenticate: Cookie", lambda: "X-Forwarded-Host: x", lambda: "Content-MD5: x",
            lambda: "Access-Control-Request-Method: " + self.one(["PUT", "", "x"]), lambda: "If-Match:",
            lambda: "Connection: x",
        ]
        headers = [self.one(options)() for _ in range(self.one([0, 0, 1, 1, 2, 4]))]
        return [line.encode().decode("latin-1") for line in headers]

    def next(self):
        """One request: its method, its bytes, and whether it is valid HTTP."""
        path = self.path()
        method = self.one(METHODS)
        if self.often(0.8):
            # A method that the route is likely to have.
            posted = any(name in path for name in POSTED)
            asked = any(name in path for name in ["_docs", "_dbs_info", "_changes", "_index", "_session"])
            told = ["GET"] if path.startswith("/_") else ["GET", "GET", "PUT", "PUT", "DELETE", "HEAD", "COPY"]
            method = "POST" if posted else self.one(["GET", "POST"]) if asked else self.one(told)
        target = path + self.query()
        headers = self.headers()
        body = b""
        if method in ("PUT", "POST") and self.often(0.95) or self.often(0.05):
            if self.often(0.15):
                body, header = self.related(path)
                headers.append(header)
            elif self.often(0.05):
                body = self.random.randbytes(self.one([1, 100, 40_000]))
            else:
                body = self.json_body(path)
                if self.often(0.9):
                    headers.append("Content-Type: application/json")
            if self.often(0.1):
                headers.append("Content-Encoding: " + self.one(["gzip", "gzip", "gzip", "deflate", "br", ""]))
                packed = gzip.compress(body)
                body = self.one([packed, packed, packed[:len(packed) // 2], packed[:-4], body, packed + packed,
                    packed + b"x"])
        if body and self.often(0.1):
            headers.append("Transfer-Encoding: chunked")
            half = len(body) // 2
            pieces = [piece for piece in (body[:half], body[half:]) if piece]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        login = self.often(0.93)
        if not login and self.often(0.7):
            headers.append("Authorization: " + self.one(
                ["Basic", "Basic %", "Basic YWRtaW4=", "Basic bm9ib2R5Ondyb25n", "Bearer x", "", "x" * 500,
                    "Basic /w=="]))
        elif not login and "DELETE" in method:
            login = True
        return Request(method, target, request(method, target, *headers, body=body, login=login))


class Request:
    def __init__(self, method, target, bytes):
        self.method, self.target, self.bytes = method, target, bytes
        # A feed may never end, so only its head is read.
        self.is_feed = "feed=" in target and any(route in target for route in ("_changes", "_db_updates", "_find"))
        lower = bytes.split(b"\r\n\r\n")[0].lower()
        # The HTTP parser itself refuses a target that does not begin with a slash, with another error body.
        self.is_malformed = not target.startswith("/")
        self.is_head = method == "HEAD" or b"method-override: head" in lower

    def __str__(self):
        text = repr(self.bytes.replace(f"Authorization: {ADMIN_HEADER}\r\n".encode(), b""))
        return text if len(text) < 3_000 else f"{text[:1_800]} … {text[-600:]}"


def fault(sent, answer):
    """The defect of an answer, or nothing."""
    if not 100 <= answer.status <= 599:
        return f"status {answer.status}"
    if answer.status in (500, 502, 503, 504):
        return f"status {answer.status}: {answer.body[:300]}"
    if sent.is_malformed and answer.status == 400:
        return None
    if sent.is_feed and answer.status == 200 or sent.is_head or answer.status in (204, 304):
        return None
    kind = answer.headers.get("content-type", "")
    # An attachment may have the type JSON without being JSON.
    is_json = kind.startswith("application/json") and "accept-ranges" not in answer.headers
    if answer.status >= 400 or is_json:
        body = answer.body
        try:
            if answer.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            value = json.loads(body)
        except (ValueError, EOFError, OSError) as error:
            return f"status {answer.status} with a body that is no JSON ({error}): {answer.body[:300]}"
        if answer.status >= 400 and (not isinstance(value, dict) or set(value) != {"error", "reason"}):
            return f"status {answer.status} with {answer.body[:300]}"
        if answer.status >= 400 and not all(isinstance(text, str) and text for text in value.values()):
            return f"status {answer.status} with {answer.body[:300]}"
    return None


def prepare(server):
    """Creates databases and documents for the requests; earlier requests may have changed them."""
    for name in ["db", "fuzz", "a%2Fb"]:
        ask(server, request("PUT", f"/{name}"))
    docs = [{"_id": name, "n": number} for number, name in enumerate(["a", "b", "c", "é", "a b"])]
    docs.append({"_id": "d", "_attachments": {"a.txt": {"data": "aGVsbG8=", "content_type": "text/plain"}}})
    tree = [{"_id": "c", "_revisions": {"start": 2, "ids": [name, "a"]}} for name in "xy"]
    for body in [{"docs": docs}, {"new_edits": False, "docs": tree}]:
        text = json.dumps(body).encode()
        ask(server, request("POST", "/db/_bulk_docs", "Content-Type: application/json", body=text))


class Line:
    """A connection that is opened again when it has ended."""

    def __init__(self, server):
        self.server, self.connection = server, None

    def close(self):
        if self.connection:
            self.stream.close()
            self.connection.close()
        self.connection = None

    def ask(self, sent):
        is_new = self.connection is None
        if is_new:
            self.connection = connect(self.server, ANSWER_SECONDS_MAX)
            self.stream = self.connection.makefile("rb")
        try:
            self.connection.sendall(sent.bytes)
            answer = Answer(self.stream, sent.method, with_body=not sent.is_feed)
            while answer.status == 100:
                answer = Answer(self.stream, sent.method, with_body=not sent.is_feed)
            if sent.is_feed and answer.status >= 400 and sent.method != "HEAD":
                answer.body = b"".join(answer.pieces())
        except (EOFError, OSError):
            self.close()
            # The connection may have ended before this request; a new one must not.
            if is_new:
                raise
            return self.ask(sent)
        if sent.is_feed or answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer


def run(server, seed, seconds):
    """Sends requests for a duration; returns the defects, the number of requests, and the number of each status."""
    grammar, line, faults, statuses = Grammar(seed), Line(server), {}, {}
    before = resident(server)
    end = time.monotonic() + seconds
    count, sent = 0, None
    while time.monotonic() < end and len(faults) < FAULTS_MAX:
        if server.process.poll() is not None:
            break
        if count % REQUESTS_BETWEEN_LOOKS == 0:
            prepare(server)
            assert ask(server, request("GET", "/_up", login=False)).status == 200
            grown = resident(server) - before
            assert grown < GROWTH_BYTES_MAX, f"{grown / MB:.0f} MB after {count} requests of seed {seed}"
        previous, sent = sent, grammar.next()
        count += 1
        try:
            answer = line.ask(sent)
            wrong = fault(sent, answer)
            if sent.method == "HEAD" and "transfer-encoding" in answer.headers:
                # See `test_head_has_no_body`.
                line.close()
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            if tag := answer.headers.get("etag", "").strip('"'):
                grammar.revisions = grammar.revisions[:40] + [tag]
        except (EOFError, OSError, ValueError) as error:
            wrong = f"no answer: {error!r}, after {previous}"
            line.close()
            # Long enough for a server that is ending to end.
            time.sleep(0.3)
        if wrong:
            key = (wrong[:60], sent.method, sent.target.split("?")[0].count("/"))
            faults.setdefault(key, f"seed {seed}, request {count}: {wrong}\n    {sent}")
    line.close()
    return list(faults.values()), count, statuses


def test_random_requests(tmp_path):
    """No request crashes the server, fills its disk or damages its files."""
    print(f"GODWIT_FUZZ_SEED={SEED}")
    server = Server(tmp_path / "data", environment=NO_REPORT)
    faults, count, statuses = run(server, SEED, SECONDS)
    print(f"{count} requests, {dict(sorted(statuses.items()))}")
    assert server.process.poll() is None, "the server is gone\n" + "\n".join(faults)
    server.stop()
    doctor = godwit("doctor", server.data)
    assert doctor.returncode == 0, f"seed {SEED}\n{doctor.stdout}{doctor.stderr}"
    assert not faults, "\n".join(faults)
    # The grammar reaches existing data: neither all nor no requests are refused.
    assert count < 300 or statuses.get(200, 0) + statuses.get(201, 0) > count / 10, statuses


@pytest.mark.parametrize("path", ["/db/_all_docs", "/db/_changes", "/_db_updates", "/_dbs_info"])
def test_head_of_what_comes_in_chunks(server, path):
    """The transport sends a last chunk even here: the connection is closed after it, so that it is not read as an answer."""
    server.json("PUT", "/db")
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("HEAD", path))
        answer = Answer(stream, "HEAD")
        assert answer.status == 200 and answer.headers["connection"] == "close"
        assert stream.read() in (b"", b"0\r\n\r\n")


BELOW_ZERO = [
    ("/db/_all_docs", {"skip": -1}), ("/db/_all_docs", {"limit": -1}), ("/db/_all_docs", {"keys": ["a"], "limit": -1}),
    ("/db/_all_docs", {"keys": ["a"], "skip": -1}), ("/db/_design_docs", {"skip": -1}), ("/db/_local_docs",
    {"skip": -1}),
    ("/db/_all_docs/queries", {"queries": [{"skip": -1}]}),
]


@pytest.fixture
def frail(tmp_path):
    """A server that may end at once, without a crash report, which takes seconds."""
    server = Server(tmp_path / "data", environment=NO_REPORT)
    prepare(server)
    yield server
    server.kill()


@pytest.mark.parametrize("path,body", BELOW_ZERO, ids=[f"{path} {json.dumps(body)}" for path, body in BELOW_ZERO])
def test_negative_numbers_in_bodies(frail, path, body):
    """Negative numbers do not end the server. CouchDB: 400 query_parse_error, in a body as in a query."""
    text = json.dumps(body).encode()
    answer = ask(frail, request("POST", path, "Content-Type: application/json", body=text))
    assert (answer.status, answer.json()["error"]) == (400, "query_parse_error")


def test_largest_local_revision(frail):
    """Any answer is accepted; there must be one."""
    text = b'{"_rev":"0-9223372036854775807"}'
    assert ask(frail, request("PUT", "/db/_local/x", body=text)).status in (201, 400, 409)


@pytest.mark.parametrize("body", [
    {"limit": 1.5}, {"limit": "x"}, {"descending": 1}, {"include_docs": "x"}], ids=json.dumps)
def test_wrong_types_in_bodies(frail, body):
    """CouchDB checks the members of a body as those of a query: 400 query_parse_error."""
    text = json.dumps(body).encode()
    answer = ask(frail, request("POST", "/db/_all_docs", "Content-Type: application/json", body=text))
    assert (answer.status, answer.json()["error"]) == (400, "query_parse_error")
