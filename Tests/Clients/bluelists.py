"""Bluelist's server and devices for tests."""

from conftest import Server, eventually
from devices import DeviceProcess, program

PASSWORD = "heron-tern-plover"
ENCRYPTION = "the list's own password"


def cloud(folder, **options):
    """A server of Bluelist."""
    site = Server(folder / "cloud", program=program("bluelist"), **options)
    # Hashes with the least work: the tests do not measure their time.
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    return site


class Device(DeviceProcess):
    """A device of Bluelist. `password` is the setting: empty for a plain list, `None` to ask in the browser."""

    def __init__(self, home, server, password=ENCRYPTION):
        super().__init__("bluelist", home, server, environment={} if password is None else {"BLUELIST_PASSWORD": password})

    def register(self, name):
        self.done("register", name=name, password=PASSWORD)
        return self

    def sign_in(self, name, password=PASSWORD):
        return self.done("signIn", name=name, password=password)

    def items(self):
        """The items that the filter shows, as (text, priority)."""
        return [(item["name"], item["priority"]) for item in self.get("/items").json()["items"]]

    def is_done(self, name):
        return any(item["isDone"] for item in self.get("/items").json()["items"] if item["name"] == name)

    def id(self, name):
        return next(item["id"] for item in self.get("/items").json()["items"] if item["name"] == name)

    def sent(self):
        """Waits until the server has all changes."""
        return eventually(lambda: self.state()["isSent"], 60)
