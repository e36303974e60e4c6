"""Devices that are blocked or lost, versions with messages, and the keys of devices."""

import base64
import threading
import time

import pytest
import requests

from applications import APP, User, declare
from conftest import Server
from issuers import Issuer


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("devices") / "data")
    declare(site)
    yield site
    site.stop()


def error(answer):
    return answer.status_code, answer.json()["error"]


def refresh(site, user):
    return requests.post(f"{site.url}{APP}/refresh", json={"refresh_token": user.login["refresh_token"]}, timeout=30)


def set_state(site, user, device, state, password=None, **options):
    """Changes the state of a device. A user authenticates again; an administrator need not."""
    body = {"state": state, "password": user.password if password is None else password}
    return requests.put(user.path(f"/devices/{device}/state"), json=body, timeout=30, **options)


class OpenFeed:
    """A continuous feed of a user's database that is read until it ends."""

    def __init__(self, site, user):
        self.answer = requests.get(
            site.url + user.own("/_changes"), params={"feed": "continuous", "heartbeat": 500}, headers=user.token,
            stream=True, timeout=30)
        self.ended = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            list(self.answer.iter_content(1))
        except requests.exceptions.ChunkedEncodingError:
            pass  # The server broke the answer off.
        self.ended.set()


DEVICE = {"id": "4F1E-phone_1", "name": "her phone", "platform": "iOS", "model": "iPhone15,2", "system": "18.1"}


def test_all_logins_of_a_device_are_one_entry(site):
    user = User(site, "one", device=DEVICE, version="1.0")
    assert user.login["device"] == DEVICE["id"]
    user.log_in(device={**DEVICE, "system": "18.2"}, version="1.1")
    # The next login of the device replaced the first one, whose token is not valid any more.
    assert requests.get(user.path("/devices"), headers=user.token, timeout=30).status_code == 401
    browser = {"Authorization": "Bearer " + user.log_in(device="a browser").json()["access_token"]}
    devices = requests.get(user.path("/devices"), headers=browser, timeout=30).json()["devices"]
    assert [device["name"] for device in devices] == ["her phone", "a browser"]
    assert {**devices[0], "since": 0, "used": 0} == {
        **DEVICE, "system": "18.2", "version": "1.1", "state": "active", "since": 0, "used": 0}


@pytest.mark.parametrize("device, status", [
    ({"id": "a b"}, 400), ({"id": "x" * 65}, 400), ({"name": "x" * 201}, 400), ({"color": "red"}, 400),
    ({"id": 1}, 400), (1, 400), ({}, 200), ({"id": "x" * 64}, 200)])
def test_details_are_checked(site, device, status):
    user = User(site, f"checked{time.monotonic_ns()}")
    assert user.log_in(device=device).status_code == status


def test_a_lost_device_is_ordered_to_delete_its_data_and_reports_it(site):
    user = User(site, "loser", device=DEVICE)
    tablet = User(site, "loser", "loser's own password", registers=False, device="tablet")
    feed = OpenFeed(site, user)
    # Who has only a session cannot make devices delete their data.
    assert set_state(site, user, DEVICE["id"], "lost", "wrong", headers=tablet.token).status_code == 401
    assert set_state(site, user, DEVICE["id"], "lost", headers=tablet.token).status_code == 200
    assert feed.ended.wait(5)
    assert error(refresh(site, user)) == (403, "device_lost")
    assert error(requests.get(site.url + user.own(), headers=user.token, timeout=30)) == (403, "device_lost")
    assert error(user.log_in(device=DEVICE)) == (403, "device_lost")
    # It may have the account's key and a cookie: they are revoked.
    assert user.ask("GET", user.own()).status_code == 401
    cookie = {"Cookie": f"AuthSession={user.cookie}"}
    assert requests.get(site.url + user.own(), headers=cookie, timeout=30).status_code == 401
    # The other device's session continues.
    assert requests.get(site.url + user.own(), headers=tablet.token, timeout=30).status_code == 200

    wiped = f"{site.url}{APP}/wiped"
    assert requests.post(wiped, json={"refresh_token": tablet.login["refresh_token"]}, timeout=30).status_code == 401
    report = {"refresh_token": user.login["refresh_token"]}
    assert requests.post(wiped, json=report, timeout=30).status_code == 200
    assert requests.post(wiped, json=report, timeout=30).status_code == 401
    # Its access token does not come back to life, neither now nor after the next login of this device.
    assert requests.get(site.url + user.own(), headers=user.token, timeout=30).status_code == 401
    devices = requests.get(user.path("/devices"), headers=tablet.token, timeout=30).json()["devices"]
    assert [device["state"] for device in devices] == ["wiped", "active"]
    assert user.log_in(device=DEVICE).status_code == 200
    assert requests.get(site.url + user.own(), headers=user.token, timeout=30).status_code == 401


def test_requests_with_invented_tokens_write_nothing(site):
    user = User(site, "written")
    before = site.json("GET", "/lt_users")["sizes"]["file"]
    for number in range(20):
        name = base64.urlsafe_b64encode(f"nobody {number} {'x' * 70}".encode()).rstrip(b"=").decode()
        for path in ["logout", "wiped", "refresh"]:
            body = {"refresh_token": f"{name}.d.s"}
            assert requests.post(f"{site.url}{APP}/{path}", json=body, timeout=30).status_code == 401
        body = {"refresh_token": base64.urlsafe_b64encode(b"x" * 20_000).decode() + ".d.s"}
        assert requests.post(f"{site.url}{APP}/logout", json=body, timeout=30).status_code == 401
    names = [row["id"] for row in site.json("GET", "/lt_users/_local_docs")["rows"]]
    assert not [name for name in names if "nobody" in name or "xxxx" in name]
    assert site.json("GET", "/lt_users")["sizes"]["file"] <= before + 65_536
    assert refresh(site, user).status_code == 200


def test_administrators_block_devices_and_users_do_not_unblock_them(site):
    user = User(site, "blocked device", device=DEVICE)
    other = User(site, "blocked device", "blocked device's own password", registers=False, device="other")
    assert error(set_state(site, user, DEVICE["id"], "blocked", headers=other.token)) == (403, "forbidden")
    assert set_state(site, user, DEVICE["id"], "blocked", auth=("admin", "secret")).status_code == 200
    assert error(refresh(site, user)) == (403, "device_blocked")
    for state in ["active", "lost"]:
        assert error(set_state(site, user, DEVICE["id"], state, headers=other.token)) == (403, "forbidden")
    assert set_state(site, user, DEVICE["id"], "active", auth=("admin", "secret")).status_code == 200
    assert refresh(site, user).status_code == 200
    assert set_state(site, user, "unknown", "lost", headers=other.token).status_code == 404
    for state in ["wiped", "gone", 1]:
        assert set_state(site, user, DEVICE["id"], state, auth=("admin", "secret")).status_code == 400
    stranger = User(site, "stranger")
    assert set_state(site, user, DEVICE["id"], "lost", headers=stranger.token).status_code == 404


def test_a_device_that_logs_in_with_a_provider_has_its_own_key(site):
    issuer = Issuer()
    declare(site, providers={"corporate": issuer.declaration()})
    logins = [
        requests.post(f"{site.url}{APP}/login", timeout=30, json={
            "provider": "corporate", "id_token": issuer.token(), "device": {"id": name}}).json()
        for name in ["phone", "tablet"]]

    def status(login):
        key = (login["api_key"], login["api_password"])
        return requests.get(f"{site.url}/{login['database']}", auth=key, timeout=30).status_code

    assert [status(login) for login in logins] == [200, 200]
    path = f"{site.url}{APP}/users/{logins[0]['name']}/devices/phone"
    token = {"Authorization": "Bearer " + logins[1]["access_token"]}
    assert requests.delete(path, headers=token, timeout=30).status_code == 200
    assert [status(login) for login in logins] == [401, 200]
    # The key of one user's device is not that of another's.
    forged = (logins[1]["api_key"].replace("tablet", "phone"), logins[1]["api_password"])
    assert requests.get(f"{site.url}/{logins[1]['database']}", auth=forged, timeout=30).status_code == 401
    issuer.stop()


def test_versions_are_warned_of_and_refused_with_a_message_and_an_address(site):
    refusal = {"message": "Please update.", "url": "https://example.org/app"}
    warning = {"message": "Version 2 is here.", "url": "https://example.org/new"}
    declare(site, versions={"warned_before": "1.5", "refusal": refusal, "warning": warning})
    user = User(site, "old app", version="1.4")
    assert user.login["warning"] == warning
    assert refresh(site, user).json()["warning"] == warning
    assert "warning" not in user.log_in(version="1.5").json()
    user = User(site, "old app", "old app's own password", registers=False, version="1.4")
    feed = OpenFeed(site, user)
    declare(site, versions={"first": "1.5", "refusal": refusal})
    assert feed.ended.wait(5)
    for answer in [user.log_in(version="1.4"), refresh(site, user),
                   requests.get(site.url + user.own(), headers=user.token, timeout=30)]:
        assert error(answer) == (403, "version_refused")
        assert answer.json()["reason"] == "Please update." and answer.json()["url"] == "https://example.org/app"
    declare(site)


def test_a_cookie_ends_with_the_session_of_its_device_and_not_with_others(site):
    phone = User(site, "cookies", device="phone")
    pad = User(site, "cookies", registers=False, device="pad")

    def status(user, **options):
        answer = requests.get(
            site.url + user.own(), headers={"Cookie": f"AuthSession={user.cookie}"}, timeout=30, **options)
        return answer.status_code

    assert (status(phone), status(pad)) == (200, 200)
    session = requests.get(site.url + "/_session", headers={"Cookie": f"AuthSession={phone.cookie}"}, timeout=30)
    assert session.json()["userCtx"]["name"] == "tracker/cookies"
    path = f"{site.url}{APP}/logout"
    assert requests.post(path, json={"refresh_token": phone.login["refresh_token"]}, timeout=30).ok
    assert (status(phone), status(pad)) == (401, 200)
    # A new login on the device does not revive the old cookie.
    again = User(site, "cookies", registers=False, device={"id": pad.login["device"], "name": "pad"})
    assert (status(pad), status(again)) == (401, 200)
    # No password opens the account of a cookie, whose name is in it.
    name = base64.urlsafe_b64decode(again.cookie + "==").split(b":")[0].decode()
    assert name.startswith("session-")
    assert requests.get(site.url + again.own(), auth=(name, ""), timeout=30).status_code == 401
    assert requests.post(f"{path}", json={"everywhere": True}, headers=again.token, timeout=30).ok
    assert status(again) == 401


def test_a_lost_device_gets_its_order_whatever_its_version_and_with_any_token_of_its_login(site):
    user = User(site, "old", device=DEVICE, version="1.0")
    first = user.login["refresh_token"]
    assert requests.post(f"{site.url}{APP}/refresh", json={"refresh_token": first}, timeout=30).ok
    assert set_state(site, user, DEVICE["id"], "lost", headers=user.token).ok
    declare(site, versions={"first": "2.0"})
    site.json("PUT", f"{APP}/users/old/blocked", json=True)
    try:
        # The answer with the current token was lost: the device has the former one.
        for path in ("/refresh", "/logout"):
            answer = requests.post(f"{site.url}{APP}{path}", json={"refresh_token": first, "version": "1.0"}, timeout=30)
            assert error(answer) == (403, "device_lost"), path
        forged = first[:-40] + "A" * 40
        assert error(requests.post(f"{site.url}{APP}/wiped", json={"refresh_token": "a.b.c"}, timeout=30))[0] == 401
        assert requests.post(f"{site.url}{APP}/wiped", json={"refresh_token": forged}, timeout=30).ok
    finally:
        declare(site)
    devices = site.json("GET", f"{APP}/users/old/devices")["devices"]
    assert [device["state"] for device in devices] == ["wiped"]
