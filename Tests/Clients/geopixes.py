"""GeoPix's programs for tests: its server, and devices with the requests that their browsers send."""

import io
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import threading
import time
import zlib

import pytest
import requests

from conftest import GODWIT, ROOT, Server, eventually

PROGRAM = os.environ.get("GEOPIX", str(pathlib.Path(GODWIT).with_name("geopix")))
PHOTOS = sorted((ROOT / "Examples/GeoPix/Photos").glob("*.jpg"))
PASSWORD = "heron-tern-plover"
KEY = "2f" * 32
STUDIO = {"GEOPIX_STUDIO": "ann:4711,ben:4712"}


def cloud(folder, **options):
    """A server of GeoPix."""
    return Server(folder / "cloud", program=PROGRAM, environment=STUDIO, **options)


class Device:
    """A device's process, and the browser that is its screen."""

    def __init__(self, home, server, *arguments, key=KEY, environment=None):
        self.home, self.server, self.arguments = pathlib.Path(home), server, arguments
        self.environment = {**os.environ, **({"GEOPIX_KEY": key} if key else {}), **(environment or {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "device", "--home", str(self.home), "--server", self.server, "--realm", "studio",
             *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"geopix device is at ((http://127\.0\.0\.1:\d+)/\?key=(\w+))\n", line)
        assert match, line + self.process.stderr.read()
        self.address, self.url = match[1], match[2]
        self.browser = requests.Session()
        answer = self.browser.get(self.address, timeout=60)
        assert answer.status_code in (200, 404), answer.text
        return self

    def get(self, path, **options):
        return self.browser.get(self.url + path, timeout=60, **options)

    def state(self):
        return self.get("/state").json()

    def act(self, action, **arguments):
        return self.browser.post(f"{self.url}/actions/{action}", json=arguments, timeout=60)

    def done(self, action, **arguments):
        answer = self.act(action, **arguments)
        assert answer.status_code == 200, answer.text
        return answer.json()

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

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            _, complaints = self.process.communicate(timeout=20)
            assert self.process.returncode == 0, complaints


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
