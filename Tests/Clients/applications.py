"""Applications and their users, for tests: declared, registered, logged in."""

import time

import requests

DESIGN = {"st_indexes": {"pointidx": {"index": "function (doc) { if (doc.geometry && doc.geometry.coordinates) "
                                               "{ st_index(doc.geometry); } }"}}}
TRACKER = {
    "users": "lt_users",
    "database": {"prefix": "lt_user_", "designs": {"points": DESIGN}},
    "shared": {"lt_places": {"designs": {"points": DESIGN}}},
    "consolidated": {"name": "lt_all", "designs": {"points": DESIGN}},
    # All users of the tests have one address.
    "registrations_per_minute": 100_000,
}
APP = "/_apps/tracker"


def declare(server, **changed):
    """Declares the tracker; a member that is `None` is left out."""
    # Hashes with the least work: the tests do not measure their time.
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    members = {**TRACKER, **changed}
    return server.json("PUT", APP, json={name: value for name, value in members.items() if value is not None})


class User:
    """A user of the tracker with a key and a session."""

    def __init__(self, server, name, password=None, *, registers=True, **login):
        self.server, self.name, self.password = server, name, password or f"{name}'s own password"
        if registers:
            answer = requests.put(self.path(), json={"password": self.password}, timeout=30)
            assert answer.status_code == 201, answer.text
        answer = self.log_in(**login)
        assert answer.status_code == 200, answer.text
        self.login = answer.json()
        self.cookie = answer.cookies["AuthSession"]
        self.database = self.login["database"]
        self.key = (self.login["api_key"], self.login["api_password"])
        self.token = {"Authorization": "Bearer " + self.login["access_token"]}

    def path(self, rest=""):
        return f"{self.server.url}{APP}/users/{requests.utils.quote(self.name, safe='')}{rest}"

    def log_in(self, **members):
        body = {"name": self.name, "password": self.password, "device": "phone", **members}
        return requests.post(f"{self.server.url}{APP}/login", json=body, timeout=30)

    def ask(self, method, path, **options):
        """Sends a request with the key."""
        return requests.request(method, self.server.url + path, auth=self.key, timeout=30, **options)

    def own(self, path=""):
        return f"/{requests.utils.quote(self.database, safe='')}{path}"

    def save(self, id, **members):
        answer = self.ask("PUT", self.own(f"/{id}"), json=members)
        assert answer.status_code == 201, answer.text
        return answer.json()["rev"]


def consolidated(server, **parameters):
    rows = server.json("GET", "/lt_all/_all_docs", params={"include_docs": "true", **parameters})["rows"]
    return {row["id"]: row["doc"] for row in rows if not row["id"].startswith("_design/")}


def soon(condition, seconds=10):
    """Waits until a condition has a value, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.02)
