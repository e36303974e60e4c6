"""Pages of other origins (CORS)."""

import re

from accounts import ask, settings, site  # noqa: F401

APP = "https://app.example"


def preflight(site, origin=APP, method="PUT", headers="content-type"):
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    return ask(site, "OPTIONS", "/db/x", headers=asked)


def cors(response):
    prefix = "access-control-"
    headers = {key.lower(): value for key, value in response.headers.items()}
    return {key.removeprefix(prefix): value for key, value in headers.items() if key.startswith(prefix)}


def test_no_origins_until_switched_on(site, settings):
    settings(cors__origins=APP)
    assert cors(preflight(site)) == {} and cors(ask(site, "GET", "/", headers={"Origin": APP})) == {}


def test_origins(site, settings):
    settings(chttpd__enable_cors="true", cors__origins=f"{APP}, http://localhost:8100", cors__credentials="true")
    for origin in (APP, "http://localhost:8100"):
        response = preflight(site, origin)
        allowed = cors(response)
        assert response.status_code == 204 and response.content == b""
        assert allowed["allow-origin"] == origin and allowed["allow-credentials"] == "true"
        assert "PUT" in allowed["allow-methods"] and "content-type" in allowed["allow-headers"].lower()
        assert int(allowed["max-age"]) == 600
    for path, status in (("/", 200), ("/db/x", 401), ("/nowhere/x", 401)):
        response = ask(site, "GET", path, headers={"Origin": APP})
        assert response.status_code == status
        assert cors(response)["allow-origin"] == APP and cors(response)["allow-credentials"] == "true"
        assert {"etag", "content-type", "x-couch-request-id"} <= set(
            re.split(r",\s*", cors(response)["expose-headers"].lower()))
    for origin in ("https://evil.example", "https://app.example.evil", "null"):
        assert cors(preflight(site, origin)) == {}
        assert cors(ask(site, "GET", "/", headers={"Origin": origin})) == {}
    assert cors(ask(site, "GET", "/")) == {}
    assert "allow-methods" not in cors(preflight(site, method="PATCH"))
    assert "allow-headers" not in cors(preflight(site, headers="x-strange"))


def test_every_origin(site, settings):
    settings(chttpd__enable_cors="true", cors__origins="*")
    for response in (preflight(site), ask(site, "GET", "/", headers={"Origin": APP})):
        assert cors(response)["allow-origin"] in ("*", APP)
        assert "allow-credentials" not in cors(response)


def test_every_origin_with_credentials(site, settings):
    settings(chttpd__enable_cors="true", cors__origins="*", cors__credentials="true")
    for response in (preflight(site), ask(site, "GET", "/", headers={"Origin": APP})):
        assert cors(response)["allow-origin"] == APP
        assert cors(response)["allow-credentials"] == "true"


def test_preflight_of_a_server_that_wants_valid_users(site, settings):
    settings(chttpd__enable_cors="true", cors__origins=APP, chttpd__require_valid_user="true")
    assert preflight(site).status_code == 204 and cors(preflight(site))["allow-origin"] == APP
    assert cors(ask(site, "GET", "/", headers={"Origin": APP}))["allow-origin"] == APP
