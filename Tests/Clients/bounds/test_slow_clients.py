"""Slow, silent and misbehaving clients: their costs for the server, and service for others meanwhile."""

import contextlib
import socket
import time

import pytest

from loads import KB, LONG, MB, full, many_files, resident, serves_others, shared
from raw import connect, request

# The first clients pay the costs that occur once, and get larger pieces.
FIRST = 250
# With the first ones a thousand at once.
FURTHER = 1_000 if LONG else 750
# 43 to 58 KB for a reader in debug, 40 to 53 in release.
BYTES_MAX = 80 * KB
# 16 to 18 KB; without a limit the system may buffer 4 MB.
SYSTEM_BYTES_MAX = 64 * KB
# The duration of their slow writes: in the long run until they are disconnected, after 60 s and a check each 60 s.
DRIPS = 150 if LONG else 2
LEFT_CONNECTIONS = 1_000 if LONG else 100


def system_bytes(server):
    """The system's buffers of the server's answers for each connection: sent or not, until the client's system has received
    them."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [int(row[4].split(":")[0], 16) for row in rows if int(row[1].split(":")[1], 16) == int(server.port)]


VIEW = {"views": {"n": {"map": "function(doc) { emit(doc.n, doc.text) }"}}}


@pytest.mark.timeout(600 if LONG else 300)
@pytest.mark.parametrize("path,headers", [
    ("/db/_all_docs?include_docs=true", []), ("/db/_changes?include_docs=true", []),
    ("/db/large/a", []), ("/db/large?attachments=true", []),
    ("/db/_all_docs?include_docs=true", ["Accept-Encoding: gzip"]),
    ("/db/_find", ["Content-Type: application/json"]), ("/db/_design/by/_view/n?include_docs=true", []),
], ids=["all_docs", "changes", "attachment", "inline", "packed", "find", "view"])
def test_readers_that_read_nothing(full, path, headers):
    """A thousand clients that request a large answer and read nothing cost little each."""
    full.request("PUT", "/db/large/a", data=b"x" * 12 * MB, headers={"Content-Type": "a/b"})
    if "_view" in path:
        full.request("PUT", "/db/_design/by", json=VIEW)
        full.json("GET", "/db/_design/by/_view/n?limit=0")
    # Memory that an earlier answer freed would hide the memory of this one.
    full.stop()
    full.start()
    with contextlib.ExitStack() as stack:
        def ask_and_leave(count):
            for _ in range(count):
                connection = stack.enter_context(connect(full, received_bytes_max=4 * KB))
                if path == "/db/_find":
                    connection.sendall(request("POST", path, *headers, body=b'{"selector":{},"limit":1000000}'))
                else:
                    connection.sendall(request("GET", path, *headers))
            # Until all have begun and wait for their clients.
            time.sleep(3)

        ask_and_leave(FIRST)
        before = resident(full)
        ask_and_leave(FURTHER)
        serves_others(full, 5)
        each = (resident(full) - before) / FURTHER
        kept = max(system_bytes(full))
        print(f"{each / KB:.0f} KB for a silent reader, {kept / KB:.0f} KB in the system")
        assert 0 < kept < SYSTEM_BYTES_MAX, f"{kept / KB:.0f} KB in the system"
    assert each < BYTES_MAX, f"{each / KB:.0f} KB each"
    serves_others(full, 2)


DRIPPING = {
    "body": request("PUT", "/db/slow", "Content-Length: 100000") + b'{"a":"',
    "attachment": request("PUT", "/db/slow/a", "Content-Length: 100000", "Content-Type: a/b"),
    "chunks": request("PUT", "/db/slow", "Transfer-Encoding: chunked") + b"100000\r\n{\"a\":\"",
    "header": request("GET", "/db")[:-2] + b"X-Slow: ",
    "line": b"GET /db?slow=",
}


@pytest.mark.timeout(600 if LONG else 300)
@pytest.mark.parametrize("place", DRIPPING)
def test_writers_of_a_byte_a_second(shared, place):
    """A thousand clients that send a byte a second cost little each and delay no others; in the long run they are
    disconnected."""
    shared.stop()
    shared.start()
    with contextlib.ExitStack() as stack:
        def begin(count):
            slow = [stack.enter_context(connect(shared)) for _ in range(count)]
            for connection in slow:
                connection.sendall(DRIPPING[place])
            serves_others(shared, 3)
            return slow

        slow = begin(FIRST)
        before = resident(shared)
        slow += begin(FURTHER)
        closed = set()
        for drip in range(DRIPS):
            begun = time.monotonic()
            for connection in slow:
                try:
                    connection.sendall(b"x")
                except OSError:
                    closed.add(connection)
            serves_others(shared, 3)
            if drip == 0:
                each = (resident(shared) - before) / FURTHER
                print(f"{each / KB:.0f} KB for a slow writer")
                assert each < BYTES_MAX, f"{each / KB:.0f} KB each"
            if len(closed) == len(slow):
                break
            if drip < DRIPS - 1:
                time.sleep(max(0, begun + 1 - time.monotonic()))
    assert shared.request("GET", "/db/slow").status_code == 404
    if LONG:
        assert len(closed) == len(slow), f"{len(slow) - len(closed)} go on"


def test_connections_that_are_left(shared):
    """Connections without a request, and those that stay open after one, do not affect others."""
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
    """A request that ends too early, at any point, writes nothing."""
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
