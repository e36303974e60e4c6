"""A client of WebSockets for tests."""

import socket

# The kinds of frames.
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Socket:
    """A client of a WebSocket, which sends frames as they are given."""

    def __init__(self, site, path, **changed):
        self.socket = socket.create_connection(("127.0.0.1", int(site.port)), timeout=60)
        headers = {"Host": f"127.0.0.1:{site.port}", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
                   "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13", **changed}
        lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
        self.socket.sendall("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().decode().strip()):
            name, value = line.split(": ", 1)
            self.headers[name.lower()] = value

    def send(self, opcode, data=b"", is_last=True):
        """Sends a frame. A mask of zeros leaves the data as it is."""
        count = len(data)
        length = bytes([0x80 | count]) if count < 126 else b"\xfe" + count.to_bytes(2) if count < 1 << 16 else b"\xff" + count.to_bytes(8)
        self.socket.sendall(bytes([0x80 * is_last | opcode]) + length + bytes(4) + data)

    def frame(self):
        head = self.file.read(2)
        if len(head) < 2:
            return None
        length = head[1] & 0x7F
        if length == 126:
            length = int.from_bytes(self.file.read(2))
        elif length == 127:
            length = int.from_bytes(self.file.read(8))
        return head[0] & 0x0F, self.file.read(length)
