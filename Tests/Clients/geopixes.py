"""GeoPix's programs for tests: its server, and devices with the requests that their browsers send."""

import io
import json
import struct
import threading
import time
import zlib

import pytest
import requests

from conftest import ROOT, Server, eventually
from devices import DeviceProcess, program

PROGRAM = program("geopix")
PHOTOS = sorted((ROOT / "Examples/GeoPix/Photos").glob("*.jpg"))
PASSWORD = "heron-tern-plover"
KEY = "2f" * 32
STUDIO = {"GEOPIX_STUDIO": "ann:4711,ben:4712"}


def cloud(folder, **options):
    """A server of GeoPix."""
    return Server(folder / "cloud", program=PROGRAM, environment=STUDIO, **options)


class Device(DeviceProcess):
    """A device of GeoPix."""

    def __init__(self, home, server, *arguments, key=KEY, environment=None):
        super().__init__(
            "geopix", home, server, "--realm", "studio", *arguments,
            environment={**({"GEOPIX_KEY": key} if key else {}), **(environment or {})})

    def register(self, name):
        self.done("register", name=name, password=PASSWORD)
        return self

    def photo(self, file, **query):
        bytes_ = file if isinstance(file, bytes) else file.read_bytes()
        return self.browser.post(f"{self.url}/photos", params=query, data=bytes_, timeout=60)

    def taken(self, file, **query):
        answer = self.photo(file, **query)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def locate(self, latitude=47.3769, longitude=8.5417, age=0, **more):
        return self.done("location", latitude=latitude, longitude=longitude, accuracy=5,
                         time=round((time.time() - age) * 1000), **more)

    def settled(self):
        """Waits until the server has all photos."""
        return eventually(lambda: (state := self.state())["waiting"] == 0 and state, 60)


def events(url, browser=requests, stop=None):
    """Yields the server-sent events of an address as (name, data)."""
    with browser.get(url, stream=True, timeout=60) as response:
        assert response.status_code == 200, response.text
        name, data = "message", None
        for line in response.iter_lines(decode_unicode=True, chunk_size=1):
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and data is not None:
                yield name, data
                name, data = "message", None
            if stop is not None and stop.is_set():
                return


class Listener:
    """Collects the events of an address in a thread."""

    def __init__(self, url, browser=requests):
        self.found, self.stop = [], threading.Event()
        threading.Thread(target=self.run, args=(url, browser), daemon=True).start()

    def run(self, url, browser):
        try:
            for event in events(url, browser, self.stop):
                self.found.append(event)
        except requests.RequestException:
            pass


def png(width, height, rows=b""):
    """A PNG file of any declared size, whose pixels are zeros as far as they are given."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = rows or zlib.compress(bytes((width * 3 + 1) * height)) if width * height < 1 << 20 else rows
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def exif(entries):
    """The bytes of an EXIF block of a JPEG: entries of (tag, format, count, four bytes)."""
    block = b"II*\0" + struct.pack("<IH", 8, len(entries))
    for tag, kind, count, value in entries:
        block += struct.pack("<HHI", tag, kind, count) + value
    data = b"Exif\0\0" + block + struct.pack("<I", 0)
    return b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data


def with_exif(jpeg, entries):
    """A JPEG with other EXIF data."""
    return jpeg[:2] + exif(entries) + jpeg[2:]


@pytest.fixture
def site(tmp_path):
    """A server of GeoPix."""
    server = cloud(tmp_path)
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def device(tmp_path, site):
    """A device of the user ann."""
    device = Device(tmp_path / "ann", site.url).register("ann")
    yield device
    device.stop()
