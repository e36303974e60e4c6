"""Users, sessions and settings of one server, shared by the tests of accounts, settings and rights."""

import pytest
import requests
import requests.adapters

from conftest import Server

USERS = "/_users/org.couchdb.user:"
USER = {"name": "new", "type": "user", "roles": []}
CONFIG = "/_node/_local/_config/"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("site") / "data")
    configure(site, "chttpd_auth/iterations", "1000")
    site.json("PUT", "/db")
    yield site
    site.stop()


class SourceAddress(requests.adapters.HTTPAdapter):
    """Sends requests from one of this machine's addresses."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


def configure(site, key, value):
    return site.json("PUT", CONFIG + key, json=value)


@pytest.fixture
def settings(site):
    """A function that changes settings; they are restored at the end of the test."""
    changed = []

    def set_(**values):
        for name, value in values.items():
            key = name.replace("__", "/")
            changed.append((key, configure(site, key, value)))

    yield set_
    for key, value in reversed(changed):
        # The former secret is not known: a new one is made.
        if value == "(hidden)":
            site.request("DELETE", f"/_node/_local/_config/{key}")
        else:
            configure(site, key, value)


def make_user(site, name, **members):
    user = {"name": name, "type": "user", "roles": [], "password": f"{name}-1", **members}
    user = {key: value for key, value in user.items() if value is not None}
    return site.json("PUT", USERS + name, json=user)


def ask(site, method, path, name=None, password=None, **options):
    """Sends a request of a user, without any earlier cookie."""
    credentials = (name, f"{name}-1" if password is None else password) if name else None
    return requests.request(method, site.url + path, auth=credentials, timeout=30, **options)


def log_in(site, name, password=None, **options):
    form = {"name": name, "password": f"{name}-1" if password is None else password}
    return ask(site, "POST", "/_session", data=form, **options)


def who(site, cookie):
    """The session of a cookie."""
    return session(site, cookie).json()["userCtx"]["name"]


def session(site, cookie):
    return ask(site, "GET", "/_session", headers={"Cookie": f"AuthSession={cookie}"})


@pytest.fixture
def open_users(site):
    before = site.json("GET", "/_users/_security")
    site.request("PUT", CONFIG + "couchdb/users_db_security_editable", json="true")
    site.json("PUT", "/_users/_security", json={})
    yield
    site.json("PUT", "/_users/_security", json=before)
    site.json("DELETE", CONFIG + "couchdb/users_db_security_editable")
