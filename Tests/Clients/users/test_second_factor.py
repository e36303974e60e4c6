"""Second factors: one-time passwords of an app for codes (`pyotp`), and recovery codes."""

import time

import pyotp
import pytest
import requests

from applications import APP, User, declare
from conftest import Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("factors") / "data")
    declare(site)
    yield site
    site.stop()


def error(answer):
    return answer.status_code, answer.json()["error"]


class Protected(User):
    """A user with an active second factor."""

    def __init__(self, site, name):
        super().__init__(site, name)
        begun = self.factor("POST", password=self.password).json()
        assert begun["address"] == f"otpauth://totp/tracker:{name}?secret={begun['secret']}&issuer=tracker"
        self.codes = pyotp.TOTP(begun["secret"])
        self.moment = time.time()
        self.recovery = self.factor("PUT", code=self.codes.at(self.moment)).json()["recovery_codes"]

    def factor(self, method, **body):
        return requests.request(method, self.path("/second_factor"), json=body, headers=self.token, timeout=30)

    def next(self):
        """The code of the next step, which the server accepts too: the code of this step was used."""
        return self.codes.at(self.moment + 30)


def test_a_login_needs_the_code_once_it_is_active(site):
    user = Protected(site, "ann")
    assert error(user.log_in()) == (401, "second_factor_required")
    assert user.log_in(password="wrong").json()["error"] == "unauthorized"
    # A code is valid once.
    assert error(user.log_in(second_factor=user.codes.at(user.moment))) == (401, "unauthorized")
    code = user.next()
    assert user.log_in(second_factor=code).status_code == 200
    assert error(user.log_in(second_factor=code)) == (401, "unauthorized")
    account = requests.get(user.path(), headers=user.token, timeout=30).json()
    assert account["has_second_factor"] is True


def test_recovery_codes_are_valid_once(site):
    user = Protected(site, "bob")
    assert len(set(user.recovery)) == 10
    assert user.log_in(second_factor=user.recovery[0].lower()).status_code == 200
    assert error(user.log_in(second_factor=user.recovery[0])) == (401, "unauthorized")
    assert user.log_in(second_factor=user.recovery[1]).status_code == 200


def test_wrong_codes_lock_the_second_factor_for_an_address(site):
    user = Protected(site, "carl")
    for number in range(5):
        assert error(user.log_in(second_factor=f"{number}00000x")) == (401, "unauthorized")
    assert error(user.log_in(second_factor=user.next())) == (403, "forbidden")


def test_setting_up_needs_the_password_and_removing_needs_a_code(site):
    user = User(site, "dora")
    path = user.path("/second_factor")
    assert requests.post(path, json={"password": "wrong"}, headers=user.token, timeout=30).status_code == 401
    assert requests.post(path, json={}, headers=user.token, timeout=30).status_code == 400
    assert requests.post(path, json={"password": user.password}, timeout=30).status_code == 401
    assert requests.put(path, json={"code": "000000"}, headers=user.token, timeout=30).status_code == 401
    # Begun, but not active: logins need no code.
    assert requests.post(path, json={"password": user.password}, headers=user.token, timeout=30).status_code == 200
    assert user.log_in().status_code == 200
    other = Protected(site, "emil")
    assert error(other.factor("POST", password=other.password)) == (401, "second_factor_required")
    proof = {"password": other.password, "second_factor": other.recovery[1]}
    assert error(other.factor("POST", **proof)) == (409, "second_factor_exists")
    assert other.factor("DELETE", second_factor=other.recovery[0]).status_code == 400
    assert error(other.factor("DELETE", password=other.password, second_factor="000000")) == (401, "unauthorized")
    assert other.factor("DELETE", password=other.password, second_factor=other.recovery[0]).status_code == 200
    assert other.log_in().status_code == 200


def test_an_administrator_removes_a_lost_second_factor(site):
    user = Protected(site, "fred")
    assert requests.delete(user.path("/second_factor"), auth=("admin", "secret"), timeout=30).status_code == 200
    assert user.log_in().status_code == 200
    assert "secret" not in requests.get(user.path(), headers=user.token, timeout=30).text
