"""Login by JSON Web Token: accepted and refused keys and claims."""

import base64
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import requests
from conftest import Server

CONFIG = "/_node/_local/_config/"
SECRET = b"a secret of more than thirty-two bytes"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())


def pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("tokens") / "data")
    settings = {
        "jwt_keys/hmac:_default": base64.b64encode(SECRET).decode(), "jwt_keys/rsa:one": pem(RSA),
        "jwt_keys/ec:two": pem(CURVE).replace("\n", "\\n"),
        "chttpd/authentication_handlers": "{chttpd_auth, jwt_authentication_handler}, "
                                          "{chttpd_auth, default_authentication_handler}"}
    for key, value in settings.items():
        site.json("PUT", CONFIG + key, json=value)
    yield site
    site.stop()


def claims(**more):
    return {"sub": "ann", "exp": time.time() + 3600, "_couchdb.roles": ["boss"], **more}


def who(site, token):
    return requests.get(site.url + "/_session", headers={"Authorization": f"Bearer {token}"}, timeout=10)


@pytest.mark.parametrize("key, algorithm, kid", [
    (SECRET, "HS256", None), (RSA, "RS256", "one"), (RSA, "RS384", "one"),
    (CURVE, "ES256", "two")])
def test_taken(site, key, algorithm, kid):
    answer = who(site, jwt.encode(claims(), key, algorithm, headers={"kid": kid} if kid else None)).json()
    assert answer["userCtx"] == {"name": "ann", "roles": ["boss"]}
    assert answer["info"]["authenticated"] == "jwt"


def refused():
    yield "over", jwt.encode(claims(exp=time.time() - 5), SECRET, "HS256"), "exp"
    yield "not begun", jwt.encode(claims(nbf=time.time() + 3600), SECRET, "HS256"), "nbf"
    yield "no name", jwt.encode({"exp": time.time() + 3600}, SECRET, "HS256"), "sub"
    yield "no end", jwt.encode({"sub": "ann"}, SECRET, "HS256"), "exp"
    yield "another secret", jwt.encode(claims(), b"x" * 40, "HS256"), "signature"
    yield "unknown key", jwt.encode(claims(), RSA, "RS256", headers={"kid": "nine"}), "kid"
    yield "unsigned", jwt.encode(claims(), None, "none"), "algorithm"
    yield "nonsense", "a.b.c", "Malformed"
    # A public key is no shared secret, whatever the header names.
    confused = jwt.api_jws.PyJWS()
    confused._algorithms["HS256"].prepare_key = lambda key: key
    yield "confused", confused.encode(b'{"sub":"admin"}', pem(RSA).encode(), "HS256", headers={"kid": "one"}), "kid"


@pytest.mark.parametrize("name, token, reason", list(refused()), ids=lambda value: str(value)[:14])
def test_refused(site, name, token, reason):
    answer = who(site, token)
    assert answer.status_code == 401 and reason in answer.json()["reason"], answer.text


def test_claims_are_a_setting(site):
    site.json("PUT", CONFIG + "jwt_auth/roles_claim_path", json="realm.roles")
    token = jwt.encode(claims(realm={"roles": ["_admin"]}), SECRET, "HS256")
    assert who(site, token).json()["userCtx"]["roles"] == ["_admin"]
    assert requests.get(site.url + "/_active_tasks", headers={"Authorization": f"Bearer {token}"}, timeout=10).ok
    site.request("DELETE", CONFIG + "jwt_auth/roles_claim_path")
    site.json("PUT", CONFIG + "jwt_auth/required_claims", json="exp, iss")
    assert "iss" in who(site, jwt.encode(claims(), SECRET, "HS256")).json()["reason"]
    site.request("DELETE", CONFIG + "jwt_auth/required_claims")


def test_secrets_are_not_shown(site):
    keys = site.json("GET", CONFIG + "jwt_keys")
    assert keys["hmac:_default"] == "(hidden)" and "PUBLIC KEY" in keys["rsa:one"]
    assert base64.b64encode(SECRET).decode() not in site.request("GET", CONFIG.rstrip("/")).text
    assert site.request("PUT", CONFIG + "jwt_keys/strange", json="x").status_code == 400


def test_off_by_default(server):
    token = jwt.encode(claims(), SECRET, "HS256")
    # As with any scheme that is not enabled, the request is anonymous.
    assert who(server, token).json()["userCtx"] == {"name": None, "roles": []}


def test_required_claims_with_values(site):
    key = CONFIG + "jwt_auth/required_claims"
    site.json("PUT", key, json='exp, {iss, "https://issuer.example"}')
    assert site.json("GET", key) == 'exp, {iss, "https://issuer.example"}'
    for issuer, reason in (("https://issuer.example", None), ("https://other.example", "Invalid iss claim"),
                           (7, "Invalid iss claim"), (None, "Missing iss claim.")):
        # The library cannot write an issuer that is no text.
        token = jwt.api_jws.encode(
            json.dumps(claims(**({} if issuer is None else {"iss": issuer}))).encode(), SECRET, "HS256",
            headers={"typ": "JWT"})
        answer = who(site, token)
        assert answer.status_code == (401 if reason else 200), answer.text
        assert reason is None or answer.json()["reason"] == reason
    for setting in ("{iss}", '{iss, "x"', "exp iss", "{iss, x}", "{,}"):
        assert site.request("PUT", key, json=setting).status_code == 400, setting
    site.request("DELETE", key)
    assert site.json("GET", key) == "exp"
