"""Many connections, much data, slow and rude clients: what they cost the server, and that others are served meanwhile.

The sizes are for every day; with `GODWIT_LONG` in the environment they are those of the promise.
"""

import base64
import contextlib
import gzip
import json
import os
import pathlib
import resource
import selectors
import socket
import threading
import time
import zlib

import pytest

from conftest import Server
from raw import WAIT_SECONDS, Answer, ask, connect, request

LONG = bool(os.environ.get("GODWIT_LONG"))
KB, MB, GB = 1 << 10, 1 << 20, 1 << 30

IDLE_FEEDS = 10_000 if LONG else 1_000
IDLE_FEED_BYTES_MAX = 100 * KB
WOKEN_SECONDS_MAX = 5 * (IDLE_FEEDS / 1_000)

DOCUMENTS = 1_000_000 if LONG else 100_000
DOCUMENTS_IN_A_BATCH = 5_000
SCAN_BYTES_MAX = 60 * MB
FIRST_BYTE_SECONDS_MAX = 1

# Of 20 MB that are uploaded.
ATTACHMENT_BYTES_MAX = 15 * MB

# Three attachments of a document that are read within JSON.
INLINE_BYTES = 100 * MB if LONG else 12 * MB
INLINE_GROWTH_BYTES_MAX = 20 * MB

SILENT_READERS = 1_000 if LONG else 200
FIRST_SILENT_READERS = 250
SILENT_READER_BYTES_MAX = 140 * KB
# Nothing of zlib is held; 44 to 47 KB in release.
SILENT_PACKED_READER_BYTES_MAX = 90 * KB

SLOW_WRITERS = 200 if LONG else 30
# How long they drip: in the long run until they are cut off, which is after 60 s and a look each 60 s.
DRIPS = 150 if LONG else 2
LEFT_CONNECTIONS = 1_000 if LONG else 100
# What an ordinary request takes at most while others are rude.
SERVED_SECONDS_MAX = 5
# By then a connection that is to be closed is.
CLOSED_SECONDS_MAX = 2

BOMB_BYTES = GB
BOMB_GROWTH_BYTES_MAX = 150 * MB


def resident(server):
    """The server's resident memory in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * KB


class Growth:
    """The most that the server's resident memory grew in a block."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.before, self.most = resident(self.server), 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.stop.is_set():
            self.look()
            self.stop.wait(0.02)

    def look(self):
        self.most = max(self.most, resident(self.server) - self.before)

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.look()
        print(f"grew by {self.most / MB:.1f} MB")


def serves_others(server, times=20):
    """Ordinary requests are answered in time."""
    for _ in range(times):
        begun = time.monotonic()
        assert ask(server, request("GET", "/_up", login=False)).status == 200
        assert ask(server, request("GET", "/db")).status == 200
        assert time.monotonic() - begun < SERVED_SECONDS_MAX


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("loads") / "data")
    server.json("PUT", "/db")
    server.json("PUT", "/db/kept", json={"n": 1})
    yield server
    server.stop()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A server with a database of many documents."""
    server = Server(tmp_path_factory.mktemp("full") / "data")
    server.json("PUT", "/db")
    for start in range(0, DOCUMENTS, DOCUMENTS_IN_A_BATCH):
        docs = [{"_id": f"{number:08}", "n": number, "text": "abcdefgh" * 20}
                for number in range(start, start + DOCUMENTS_IN_A_BATCH)]
        assert server.request("POST", "/db/_bulk_docs", json={"docs": docs}).status_code == 201
    # A process that has no memory left over from the writes.
    server.stop()
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True, scope="module")
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# MARK: Memory


@pytest.mark.timeout(600 if LONG else 120)
def test_idle_feeds_cost_little_and_wake_together(server):
    """Each idle continuous feed costs less than `IDLE_FEED_BYTES_MAX`; one write reaches all of them in seconds."""
    server.json("PUT", "/db")
    text = request("GET", "/db/_changes?feed=continuous&since=now&heartbeat=600000")
    # The first ones pay for what is there once.
    with contextlib.ExitStack() as stack:
        def feed():
            connection = stack.enter_context(connect(server))
            connection.sendall(text)
            answer = Answer(stack.enter_context(connection.makefile("rb", buffering=0)), with_body=False)
            assert answer.status == 200
            return connection

        for _ in range(20):
            feed()
        before = resident(server)
        feeds = [feed() for _ in range(IDLE_FEEDS)]
        each = (resident(server) - before) / IDLE_FEEDS
        print(f"{each / KB:.0f} KB for an idle feed")
        assert each < IDLE_FEED_BYTES_MAX, f"{each / KB:.0f} KB each"
        selector = selectors.DefaultSelector()
        for connection in feeds:
            selector.register(connection, selectors.EVENT_READ, bytearray())
        begun = time.monotonic()
        server.json("PUT", "/db/x", json={})
        waiting = IDLE_FEEDS
        while waiting and time.monotonic() - begun < WOKEN_SECONDS_MAX:
            for key, _ in selector.select(0.2):
                key.data.extend(key.fileobj.recv(4096))
                if b'"id":"x"' in key.data and key.data.endswith(b"}\n\r\n"):
                    selector.unregister(key.fileobj)
                    waiting -= 1
        selector.close()
        assert waiting == 0, f"{waiting} of {IDLE_FEEDS} were not told"
    serves_others(server, 3)


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("path", ["/db/_all_docs?include_docs=true", "/db/_changes?include_docs=true"])
def test_large_answers_are_streamed(full, path):
    """However long an answer is, the server holds little of it, and its first byte comes at once."""
    begun = time.monotonic()
    count = 0
    with Growth(full) as growth, connect(full) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("GET", path))
        answer = Answer(stream, with_body=False)
        pieces = answer.pieces()
        last = next(pieces)
        assert time.monotonic() - begun < FIRST_BYTE_SECONDS_MAX
        for piece in pieces:
            count += last.count(b"\n")
            last = piece
        count += last.count(b"\n")
    assert answer.status == 200 and last.endswith(b"}\n")
    # A line for each row, and the two around them.
    assert DOCUMENTS <= count <= DOCUMENTS + 3
    assert growth.most < SCAN_BYTES_MAX, f"{growth.most / MB:.0f} MB"


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    """A server with a document of three large attachments, and their bytes; the lengths leave 0, 1 and 2 of three."""
    server = Server(tmp_path_factory.mktemp("inline") / "data")
    server.json("PUT", "/db")
    contents, revision = [], ""
    for number in range(3):
        contents.append(os.urandom(INLINE_BYTES // 3 * 3 + number))
        saved = server.json("PUT", f"/db/x/{number}{revision}", data=contents[-1], headers={"Content-Type": "a/b"})
        revision = f"?rev={saved['rev']}"
    server.stop()
    server.start()
    yield server, contents
    server.stop()


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("text,place", [
    (request("GET", "/db/x?attachments=true"), []),
    (request("GET", "/db/x?attachments=true", "Accept-Encoding: gzip"), []),
    (request("GET", "/db/x?open_revs=all&attachments=true"), [0, "ok"]),
    (request("GET", "/db/_all_docs?include_docs=true&attachments=true"), ["rows", 0, "doc"]),
    (request("POST", "/db/_bulk_get?attachments=true", "Content-Type: application/json", body=b'{"docs":[{"id":"x"}]}'),
     ["results", 0, "docs", 0, "ok"]),
    (request("GET", "/db/_changes?include_docs=true&attachments=true"), ["results", 0, "doc"]),
], ids=["document", "packed", "open_revs", "all_docs", "bulk_get", "changes"])
def test_attachments_within_json_are_streamed(inline, text, place):
    """However large the attachments of a document are, the server holds little of them."""
    server, contents = inline
    with Growth(server) as growth:
        answer = ask(server, text)
    assert answer.status == 200
    body = gzip.decompress(answer.body) if "content-encoding" in answer.headers else answer.body
    document = json.loads(body)
    for step in place:
        document = document[step]
    found = {name: base64.b64decode(item["data"]) for name, item in document["_attachments"].items()}
    assert found == {str(number): content for number, content in enumerate(contents)}
    assert growth.most < INLINE_GROWTH_BYTES_MAX, f"{growth.most / MB:.0f} MB"


def test_attachments_within_json_and_their_length(inline):
    server, contents = inline
    head = ask(server, request("HEAD", "/db/x?attachments=true"), "HEAD")
    length = int(ask(server, request("HEAD", "/db/x"), "HEAD").headers["content-length"])
    for content in contents:
        length += len('"data":""') + len(base64.b64encode(content)) - len(f'"length":{len(content)},"stub":true')
    assert int(head.headers["content-length"]) == length


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("path,headers,bytes_max", [
    ("/db/_all_docs?include_docs=true", [], SILENT_READER_BYTES_MAX),
    ("/db/_changes?include_docs=true", [], SILENT_READER_BYTES_MAX),
    ("/db/large/a", [], SILENT_READER_BYTES_MAX), ("/db/large?attachments=true", [], SILENT_READER_BYTES_MAX),
    ("/db/_all_docs?include_docs=true", ["Accept-Encoding: gzip"], SILENT_PACKED_READER_BYTES_MAX),
    ("/db/_find", ["Content-Type: application/json"], SILENT_READER_BYTES_MAX),
], ids=["all_docs", "changes", "attachment", "inline", "packed", "find"])
def test_readers_that_read_nothing(full, path, headers, bytes_max):
    """Clients that ask for a large answer and read nothing cost less than `bytes_max` each."""
    full.request("PUT", "/db/large/a", data=b"x" * 12 * MB, headers={"Content-Type": "a/b"})
    # What an earlier answer left free would hide what this one takes.
    full.stop()
    full.start()
    with contextlib.ExitStack() as stack:
        def ask_and_leave(count):
            for _ in range(count):
                connection = stack.enter_context(connect(full))
                if path == "/db/_find":
                    connection.sendall(request("POST", path, *headers, body=b'{"selector":{},"limit":1000000}'))
                else:
                    connection.sendall(request("GET", path, *headers))
            # Until all were begun and wait for their clients.
            time.sleep(3)

        # The first ones pay for what is there once, and get larger pieces.
        ask_and_leave(FIRST_SILENT_READERS)
        before = resident(full)
        ask_and_leave(SILENT_READERS)
        serves_others(full, 5)
        each = (resident(full) - before) / SILENT_READERS
        print(f"{each / KB:.0f} KB for a silent reader")
    assert each < bytes_max, f"{each / KB:.0f} KB each"
    serves_others(full, 2)


def bomb():
    """`{"docs":["aaa…` of `BOMB_BYTES`, packed a thousand times smaller."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(b'{"docs":["') + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"a" * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (BOMB_BYTES // MB)


@pytest.mark.parametrize("method,path", [
    ("POST", "/db/_bulk_docs"), ("PUT", "/db/bomb"), ("POST", "/db/_all_docs"), ("POST", "/db/_revs_diff"),
    ("POST", "/db/_changes?filter=_doc_ids"), ("POST", "/_session"),
])
def test_gzip_bomb(shared, method, path):
    """1 GB in 1 MB is refused, and never held."""
    packed = bomb()
    with Growth(shared) as growth:
        text = request(method, path, "Content-Encoding: gzip", "Content-Type: application/json", body=packed)
        assert send_all_and_ask(shared, text).status == 413
    assert growth.most < BOMB_GROWTH_BYTES_MAX, f"{growth.most / MB:.0f} MB"
    assert shared.request("GET", "/db/bomb").status_code == 404


def send_all_and_ask(server, text):
    """Sends what the server may not read to its end; the answer."""
    with connect(server) as connection, connection.makefile("rb") as stream:
        def send():
            with contextlib.suppress(OSError):
                connection.sendall(text)

        thread = threading.Thread(target=send)
        thread.start()
        answer = Answer(stream)
        connection.close()
        thread.join(WAIT_SECONDS)
        return answer


# MARK: Slow and silent clients

DRIPPING = {
    "body": request("PUT", "/db/slow", "Content-Length: 100000") + b'{"a":"',
    "attachment": request("PUT", "/db/slow/a", "Content-Length: 100000", "Content-Type: a/b"),
    "chunks": request("PUT", "/db/slow", "Transfer-Encoding: chunked") + b"100000\r\n{\"a\":\"",
    "header": request("GET", "/db")[:-2] + b"X-Slow: ",
    "line": b"GET /db?slow=",
}


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("place", DRIPPING)
def test_writers_of_a_byte_a_second(shared, place):
    """Clients that send a byte a second hold nobody up; in the long run they are cut off."""
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect(shared)) for _ in range(SLOW_WRITERS)]
        for connection in slow:
            connection.sendall(DRIPPING[place])
        closed = set()
        for drip in range(DRIPS):
            begun = time.monotonic()
            for connection in slow:
                try:
                    connection.sendall(b"x")
                except OSError:
                    closed.add(connection)
            serves_others(shared, 3)
            if len(closed) == SLOW_WRITERS:
                break
            if drip < DRIPS - 1:
                time.sleep(max(0, begun + 1 - time.monotonic()))
    assert shared.request("GET", "/db/slow").status_code == 404
    if LONG:
        assert len(closed) == SLOW_WRITERS, f"{SLOW_WRITERS - len(closed)} go on"


def test_connections_that_are_left(shared):
    """Connections that never ask anything, and such that ask once and stay, are in nobody's way."""
    with contextlib.ExitStack() as stack:
        for number in range(LEFT_CONNECTIONS):
            connection = stack.enter_context(connect(shared))
            if number % 2:
                connection.sendall(request("GET", "/db"))
        serves_others(shared)
        assert shared.json("GET", "/db/kept")["n"] == 1
    serves_others(shared)


CUT = [
    request("PUT", "/db/cut", body=b'{"a":"' + b"x" * 100 + b'"}'),
    request("POST", "/db/_bulk_docs", "Content-Type: application/json",
        body=b'{"docs":[{"_id":"cut"},{"_id":"cut2"}]}'),
    request("PUT", "/db/cut/a.bin", "Content-Type: a/b", body=b"x" * 200),
    request("PUT", "/db/cut", "Transfer-Encoding: chunked", body=b"10\r\n{\"a\":\"xxxxxxxxx\"\r\n1\r\n}\r\n0\r\n\r\n"),
]


@pytest.mark.parametrize("text", CUT, ids=["document", "bulk", "attachment", "chunks"])
def test_requests_that_are_cut(shared, text):
    """A request that ends too early, wherever, writes nothing."""
    last = shared.json("GET", "/db")["update_seq"]
    for end in range(1, len(text) - 8, 5):
        for abruptly in [False, True]:
            with connect(shared) as connection:
                connection.sendall(text[:end])
                if abruptly:
                    # Closed with a reset instead of an end.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    time.sleep(0.2)
    assert shared.json("GET", "/db")["update_seq"] == last
    serves_others(shared, 2)


# MARK: Connections


def test_pipelined_requests_are_answered_in_order(shared):
    """Reads, writes, refusals and long answers on one connection, all sent before the first is read."""
    texts, expected = [], []

    def add(method, path, status, check, body=b""):
        texts.append(request(method, path, "Content-Type: application/json", body=body))
        expected.append((method, status, check))

    for number in range(30):
        name = f"piped{number}"
        add("GET", f"/db/{name}", 404, lambda answer: answer["reason"] == "missing")
        add("PUT", f"/db/{name}", 201, lambda answer, name=name: answer["id"] == name, b'{"n":%d}' % number)
        add("GET", f"/db/{name}", 200, lambda answer, number=number: answer["n"] == number)
        add("HEAD", f"/db/{name}", 200, None)
        add("PUT", f"/db/{name}", 409, lambda answer: answer["error"] == "conflict", b'{}')
        add("PUT", f"/db/_{name}", 400, lambda answer: answer["error"] == "illegal_docid", b'{}')
        add("POST", "/db/_revs_diff", 200, lambda answer: answer == {}, b"{}")
        add("GET", f'/db/_all_docs?key="{name}"', 200, lambda answer, name=name: answer["rows"][0]["id"] == name)
        add("POST", "/nowhere", 404, lambda answer: answer["error"] == "not_found", b'{"a":1}')
    with connect(shared) as connection, connection.makefile("rb") as stream:
        threading.Thread(target=connection.sendall, args=(b"".join(texts),)).start()
        for place, (method, status, check) in enumerate(expected):
            answer = Answer(stream, method)
            assert answer.status == status, (place, answer.body)
            assert check is None or check(answer.json()), (place, answer.body)


def test_connections_are_kept(shared):
    """A connection serves on after answers, refusals and bodies that nobody read."""
    steps = [
        (request("GET", "/db"), 200), (request("GET", "/nowhere"), 404),
        (request("PUT", "/db", body=b"x" * 5_000), 412),
        (request("POST", "/nowhere/_bulk_docs", "Content-Type: text/plain", body=b"y" * 50_000), 404),
        (request("PUT", "/db/kept", login=False, body=b"{}"), 401), (request("PATCH", "/db", body=b"z" * 100), 405),
        (request("PUT", "/db/bad", body=b"{"), 400), (request("DELETE", "/db/kept"), 409),
        (request("GET", "/_up"), 200),
        (request("GET", "/db/_all_docs?limit=1"), 200), (request("GET", "/db/_changes?limit=1"), 200),
    ]
    with connect(shared) as connection, connection.makefile("rb") as stream:
        for turn in range(20):
            for text, status in steps:
                connection.sendall(text)
                answer = Answer(stream)
                assert answer.status == status, (turn, text[:60], answer.body)
                assert answer.headers.get("connection", "").lower() != "close"
        connection.sendall(request("GET", "/db", "Connection: close"))
        assert Answer(stream).status == 200
        assert stream.read() == b"", "closed, as the client wished"


@pytest.mark.parametrize("path", ["/db", "/db/kept", "/db/_all_docs", "/db/_changes", "/_all_dbs"])
def test_http_1_0(shared, path):
    """A client of HTTP/1.0 knows no chunks: a body ends with the connection or by its length."""
    with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
        connection.sendall(request("GET", path, version="1.0"))
        answer = Answer(stream)
        assert answer.status == 200
        assert "transfer-encoding" not in answer.headers
        assert isinstance(answer.json(), (dict, list))
        assert stream.read() == b"", "the connection ends"


def test_http_1_0_kept(shared):
    with connect(shared) as connection, connection.makefile("rb") as stream:
        for _ in range(3):
            connection.sendall(request("GET", "/db/kept", "Connection: keep-alive", version="1.0"))
            answer = Answer(stream)
            assert answer.json()["n"] == 1 and answer.headers["connection"].lower() == "keep-alive"


def test_http_1_0_kept_where_it_can_be(shared):
    """An answer without a length ends the connection although the client would keep it; nobody is told to go on."""
    text = request("GET", "/db/_all_docs", "Connection: keep-alive", version="1.0")
    with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
        connection.sendall(text + text)
        answer = Answer(stream)
        assert answer.headers["connection"] == "close" and "rows" in answer.json()
        assert stream.read() == b""
    head = request("PUT", "/db/expected_by_none", EXPECT, version="1.0", body=b"{}")
    assert ask(shared, head).status == 201, "no 100 comes before it"


@pytest.mark.parametrize("wish", ["close", "Close", "TE, close"])
def test_connections_end_as_clients_wish(shared, wish):
    for method, path in [("GET", "/db"), ("GET", "/db/_all_docs"), ("HEAD", "/db/kept"), ("GET", "/nowhere")]:
        with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
            connection.sendall(request(method, path, f"Connection: {wish}") + request("GET", "/db"))
            assert Answer(stream, method).headers["connection"] == "close"
            assert stream.read() == b""


@pytest.mark.parametrize("text,name", [
    (request("GET", "/db", "X-Long: " + "x" * 100_000), "header of 100 KB"),
    (request("GET", "/db", *[f"X-{number}: {'x' * 90}" for number in range(1_100)]), "1 100 headers"),
    (request("GET", "/db/" + "x" * 20_000), "path of 20 KB"),
    (request("GET", "/db/_all_docs?key=%22" + "x" * 200_000 + "%22"), "query of 200 KB"),
    (request("GET", "/db/" + "x" * 200_000), "path of 200 KB"),
    (request("X" * 20_000, "/db"), "method of 20 KB"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_heads_that_are_too_large(shared, text, name):
    """What is too long gets a 4xx, not silence, and the server goes on."""
    answer = send_all_and_ask(shared, text)
    print(answer.line)
    assert 400 <= answer.status < 500
    serves_others(shared, 1)


@pytest.mark.parametrize("text", [
    b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /db\r\n\r\n",
    b"GET /db HTTP/9.9\r\n\r\n",
    b"GET /db HTTP/1.1\r\nno colon\r\n\r\n", b"GET  /db HTTP/1.1\r\nHost: x\r\n\r\n",
    request("PUT", "/db/x", "Content-Length: -1"), request("PUT", "/db/x", "Content-Length: 2", "Content-Length: 3"),
    request("PUT", "/db/x", "Content-Length: 2", "Transfer-Encoding: chunked", body=b"{}"),
    request("PUT", "/db/x", "Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n"),
    request("PUT", "/db/x", "Transfer-Encoding: chunked", body=b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
], ids=range(11))
def test_what_is_no_http(shared, text):
    """It gets a 4xx or an end, and never an answer that takes its bytes for something else."""
    with connect(shared) as connection, connection.makefile("rb") as stream:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(EOFError, ConnectionResetError):
            assert 400 <= Answer(stream).status < 506
    assert shared.request("GET", "/db/x").status_code == 404
    serves_others(shared, 1)


# MARK: Expect

EXPECT = "Expect: 100-continue"


def asked_first(server, head, body):
    """Sends a body only when the server asks for it: the answer, and whether it was asked for."""
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(head)
        answer = Answer(stream)
        if answer.status != 100:
            return answer, False
        connection.sendall(body)
        return Answer(stream), True


def test_continue_for_a_document(shared):
    body = json.dumps({"text": "x" * 100_000}).encode()
    head = request("PUT", "/db/expected", EXPECT, f"Content-Length: {len(body)}")
    answer, asked = asked_first(shared, head, body)
    assert asked and answer.status == 201
    assert len(shared.json("GET", "/db/expected")["text"]) == 100_000


def test_continue_for_a_large_attachment(shared):
    body = os.urandom(MB) * 20
    head = request("PUT", "/db/photo/a.jpg", EXPECT, "Content-Type: image/jpeg", f"Content-Length: {len(body)}")
    with Growth(shared) as growth:
        answer, asked = asked_first(shared, head, body)
    assert asked and answer.status == 201
    assert shared.request("GET", "/db/photo/a.jpg").content == body
    assert growth.most < ATTACHMENT_BYTES_MAX, f"{growth.most / MB:.0f} MB"


@pytest.mark.parametrize("head,status", [
    (request("PUT", "/db/no", EXPECT, "Content-Length: 1000", login=False), 401),
    (request("PUT", "/db/no/a", EXPECT, "Content-Type: a/b", "Content-Length: 1000000", login=False), 401),
    (request("PUT", "/db/no", EXPECT, f"Content-Length: {GB}"), 413),
    (request("POST", "/db/_bulk_docs", EXPECT, "Content-Type: application/json", f"Content-Length: {GB}"), 413),
    (request("PUT", "/db/no/a", EXPECT, "Content-Type: a/b", f"Content-Length: {5 * GB}"), 413),
    (request("PUT", "/nowhere/no", EXPECT, "Content-Length: 1000"), 404),
    (request("POST", "/db/_bulk_docs", EXPECT, "Content-Type: text/plain", "Content-Length: 1000"), 415),
], ids=["login", "login-attachment", "document", "bulk", "attachment", "database", "type"])
def test_refused_before_the_body_is_sent(shared, head, status):
    answer, asked = asked_first(shared, head, b"")
    assert not asked and answer.status == status
    assert set(answer.json()) == {"error", "reason"}
    assert shared.request("GET", "/db/no").status_code == 404


@pytest.mark.parametrize("text,status", [
    (request("PUT", "/db/no", body=b'{"a":"' + b"x" * 70 * MB + b'"}'), 413),
    (request("PUT", "/db/no", "Transfer-Encoding: chunked",
             body=b"".join(b"100000\r\n" + b"1" * MB + b"\r\n" for _ in range(70)) + b"0\r\n\r\n"), 413),
    (request("PUT", "/db/no/a", "Content-Type: a/b", login=False, body=b"x" * 20 * MB), 401),
], ids=["length", "chunks", "login"])
def test_refused_while_the_body_is_sent(shared, text, status):
    """A client that sends without asking gets its answer too, as CouchDB's replicator needs it."""
    assert send_all_and_ask(shared, text).status == status
    serves_others(shared, 1)


def test_refused_clients_that_send_first_and_read_then(shared):
    """An answer reaches a client that looks for it when it has sent everything, and the connection ends."""
    for text in [
        request("PUT", "/db/no/a", "Content-Type: a/b", login=False, body=b"x" * 20 * MB),
        request("PUT", "/db/no/a", "Content-Type: a/b", "Transfer-Encoding: chunked", login=False,
            body=b"100000\r\n" + b"1" * MB + b"\r\n" + b"0\r\n\r\n"),
    ]:
        with connect(shared, timeout=CLOSED_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
            connection.sendall(text)
            answer = Answer(stream)
            assert answer.status == 401 and answer.headers["connection"] == "close"
            assert stream.read() == b""


def test_refused_clients_that_never_end(shared):
    """Who goes on sending what nobody reads is cut off."""
    with connect(shared) as connection, Growth(shared) as growth:
        connection.sendall(request("PUT", "/db/no/a", f"Content-Length: {2 * GB}", login=False))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(2 * GB // MB):
                connection.sendall(b"x" * MB)
    assert growth.most < ATTACHMENT_BYTES_MAX, f"{growth.most / MB:.0f} MB"
    serves_others(shared, 1)


# MARK: gzip


def test_packed_requests(shared):
    docs = [{"_id": f"packed{number}", "text": "x" * 1_000} for number in range(500)]
    body = gzip.compress(json.dumps({"docs": docs}).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    saved = shared.json("POST", "/db/_bulk_docs", data=body, headers=headers)
    assert len(saved) == 500 and all(row["ok"] for row in saved)
    assert shared.json("GET", "/db/packed499")["text"] == "x" * 1_000
    cut = shared.request("POST", "/db/_bulk_docs", data=body[:-20], headers=headers)
    assert cut.status_code == 400 and set(cut.json()) == {"error", "reason"}
    broken = shared.request("POST", "/db/_bulk_docs", data=b"no gzip", headers=headers)
    assert broken.status_code == 400
    other = shared.request("POST", "/db/_bulk_docs", data=body, headers={**headers, "Content-Encoding": "br"})
    assert other.status_code == 415


def test_packed_answers(shared):
    shared.json("PUT", "/packed")
    docs = [{"_id": f"{number:05}", "text": "x" * 200} for number in range(3_000)]
    shared.json("POST", "/packed/_bulk_docs", json={"docs": docs})
    for path in ["/packed/_all_docs?include_docs=true", "/packed/_changes?include_docs=true"]:
        plain = ask(shared, request("GET", path))
        identity = ask(shared, request("GET", path, "Accept-Encoding: identity"))
        assert "content-encoding" not in plain.headers and "content-encoding" not in identity.headers
        assert plain.body == identity.body and len(plain.body) > 600_000
        for accepted in ["gzip", "deflate, gzip;q=0.5", "gzip, br"]:
            packed = ask(shared, request("GET", path, f"Accept-Encoding: {accepted}"))
            assert packed.headers["content-encoding"] == "gzip"
            assert "accept-encoding" in packed.headers["vary"].lower()
            assert len(packed.body) < len(plain.body) / 5
            assert gzip.decompress(packed.body) == plain.body
        for accepted in ["gzip;q=0", "br", ""]:
            assert "content-encoding" not in ask(shared, request("GET", path, f"Accept-Encoding: {accepted}")).headers


def test_packed_attachments_stay_what_they_are(shared):
    content = base64.b64encode(os.urandom(3_000))
    shared.json("PUT", "/db/text/a.txt", data=content, headers={"Content-Type": "text/plain"})
    for accepted in ["identity", "gzip"]:
        answer = ask(shared, request("GET", "/db/text/a.txt", f"Accept-Encoding: {accepted}"))
        body = gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body
        assert body == content
