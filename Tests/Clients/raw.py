"""HTTP at the level of sockets: requests as bytes, parsed answers, feeds read line by line."""

import base64
import http.client
import json
import socket

ADMIN_HEADER = "Basic " + base64.b64encode(b"admin:secret").decode()
# Generous: on an idle machine the events arrive at once.
WAIT_SECONDS = 30


def connect(server, timeout=WAIT_SECONDS, received_bytes_max=None):
    """A connection; with `received_bytes_max` its kernel receives about that much of an answer, where others buffer
    megabytes."""
    connection = socket.socket()
    connection.settimeout(timeout)
    if received_bytes_max:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, received_bytes_max)
    connection.connect(("127.0.0.1", int(server.port)))
    return connection


def request(method, path, *headers, body=b"", version="1.1", login=True):
    """A request's bytes; a body gets its length unless a header describes its transfer."""
    lines = [f"{method} {path} HTTP/{version}", "Host: 127.0.0.1", *headers]
    if login:
        lines.append(f"Authorization: {ADMIN_HEADER}")
    if body and not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Answer:
    """One answer read from a stream (`socket.makefile("rb")`)."""

    def __init__(self, stream, method="GET", with_body=True):
        self.line = stream.readline(70_000).rstrip(b"\r\n").decode("latin-1")
        if not self.line:
            raise EOFError("the connection ended without an answer")
        if not self.line.startswith("HTTP/1."):
            raise ValueError(f"no answer begins with {self.line[:200]!r}")
        self.status = int(self.line.split(" ")[1])
        self.headers = {}
        while line := stream.readline(70_000).rstrip(b"\r\n"):
            name, _, value = line.decode("latin-1").partition(":")
            self.headers[name.lower()] = value.strip()
        self.stream = stream
        self.body = b""
        if with_body and method != "HEAD" and self.status >= 200 and self.status not in (204, 304):
            self.body = b"".join(self.pieces())

    def pieces(self):
        """The body, piece by piece."""
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int(self.stream.readline().split(b";")[0] or b"x", 16):
                yield self.exactly(size)
                assert self.stream.readline() == b"\r\n"
            while self.stream.readline().strip():
                pass
        elif "content-length" in self.headers:
            left = int(self.headers["content-length"])
            while left:
                piece = self.exactly(min(left, 65_536))
                left -= len(piece)
                yield piece
        else:
            yield self.stream.read()

    def exactly(self, size):
        piece = self.stream.read(size)
        if len(piece) != size:
            raise EOFError("the answer was cut")
        return piece

    def json(self):
        return json.loads(self.body)


def ask(server, text, method="GET"):
    """Sends bytes on a separate connection; returns the answer."""
    with connect(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(text)
        return Answer(stream, method)


class Feed:
    """A feed that is read as its rows arrive."""

    def __init__(self, server, path, method="GET", body=None, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", int(server.port), timeout=WAIT_SECONDS)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            fields["Content-Type"] = "application/json"
        self.connection.request(
            method, path, None if body is None else json.dumps(body), {"Authorization": ADMIN_HEADER, **fields})
        self.answer = self.connection.getresponse()
        self.status = self.answer.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def line(self):
        """The next line, empty for a heartbeat; `None` at the end of the feed."""
        line = self.answer.readline()
        return line.decode().rstrip("\r\n") if line else None

    def row(self):
        """The next line that is not a heartbeat, as JSON."""
        while (line := self.line()) == "":
            pass
        return line and json.loads(line)

    def rows(self):
        """All rows until the end."""
        return list(iter(self.row, None))

    def event(self):
        """The next event's fields; `None` at the end of the feed."""
        fields = {}
        while line := self.line():
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        return None if line is None else fields

    def change(self):
        """The next event that is not a heartbeat: its row and its id."""
        while (event := self.event()) is not None:
            if "event" not in event and event:
                return json.loads(event["data"]), event["id"].strip('"')
        return None

    def text(self):
        return self.answer.read().decode()
