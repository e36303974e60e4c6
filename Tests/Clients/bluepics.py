"""BluePic's server for tests, and the requests of its users."""

import base64
import hashlib
import uuid
import zlib

import requests

from conftest import ROOT, Server
from devices import program
from geopixes import png

PROGRAM = program("bluepic")
PHOTOS = sorted((ROOT / "Examples/GeoPix/Photos").glob("*.jpg"))
PASSWORD = "heron-tern-plover"


def picture(color=(30, 90, 160), width=64, height=48):
    """A small PNG of one color."""
    return png(width, height, zlib.compress((b"\0" + bytes(color) * width) * height))


def base64_text(file):
    return base64.b64encode(file).decode()


def media_type(file):
    return "image/png" if file.startswith(b"\x89PNG") else "image/jpeg"


class Site(Server):
    """A server of BluePic."""

    def __init__(self, folder, *, arguments=(), **options):
        super().__init__(folder / "cloud", program=PROGRAM, arguments=arguments, **options)
        # Hashes with the least work: the tests do not measure their time.
        self.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")

    def get(self, path, **options):
        """A request of a guest."""
        return requests.get(self.url + path, timeout=60, **options)

    def ids(self, path="/images"):
        return [image["_id"] for image in self.get(path).json()]

    def user(self, name, **options):
        return User(self, name, **options)


class User:
    """A user with a session."""

    def __init__(self, site, name, registers=True):
        self.site, self.name = site, name
        if registers:
            answer = requests.put(f"{site.url}/_apps/bluepic/users/{name}", json={"password": PASSWORD}, timeout=60)
            assert answer.status_code == 201, answer.text
        self.log_in()

    def log_in(self):
        answer = requests.post(f"{self.site.url}/_apps/bluepic/login", timeout=60,
                               json={"name": self.name, "password": PASSWORD, "device": "phone"})
        assert answer.status_code == 200, answer.text
        self.token, self.refresh_token = answer.json()["access_token"], answer.json()["refresh_token"]

    def ask(self, method, path, **options):
        headers = {"Authorization": "Bearer " + self.token, **options.pop("headers", {})}
        return requests.request(method, self.site.url + path, headers=headers, timeout=60, **options)

    def grant(self, file, id, **changed):
        body = {"id": id, "bytes": len(file), "type": media_type(file), "sha256": hashlib.sha256(file).hexdigest(),
                **changed}
        return self.ask("POST", "/uploads", json=body)

    def send(self, file, id, grant, type=None):
        headers = {"X-Upload-Grant": grant, "Content-Type": type or media_type(file)}
        return self.ask("PUT", f"/uploads/{id}", data=file, headers=headers)

    def upload(self, file, id=None):
        id = id or str(uuid.uuid4())
        granted = self.grant(file, id)
        assert granted.status_code == 201, granted.text
        sent = self.send(file, id, granted.json()["grant"])
        assert sent.status_code in (200, 201), sent.text
        return id

    def post(self, id, caption="", **members):
        return self.ask("POST", "/images", json={"id": id, "caption": caption, **members})

    def posted(self, file=None, caption="", **members):
        """Uploads a picture and posts it; returns the image."""
        answer = self.post(self.upload(file or picture()), caption, **members)
        assert answer.status_code == 201, answer.text
        return answer.json()
