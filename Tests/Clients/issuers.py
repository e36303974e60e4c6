"""Identity providers for tests.

`Issuer` imitates an issuer of OpenID Connect; a test controls its tokens, keys and outages. Tests with a real provider use
`oidc_provider_mock`. `Graph`, `Apple` and `GitHub` are imitations of Facebook, Apple and GitHub, written from their published
documents; no test reaches these providers.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

# Creating a key takes some tenths of a second.
RSA_KEYS = [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def public_pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def challenge(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class Imitation:
    """An HTTP server in a thread: `routes` maps a method and a path to a function of query, form and headers."""

    def __init__(self):
        self.is_down = False
        self.requests = []
        imitation = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                imitation.requests.append((self.command, parts.path))
                values = {name: items[0] for name, items in parse_qs(parts.query).items()}
                if imitation.is_down:
                    return self.send(503, {"error": "down"})
                handler = imitation.route(self.command, parts.path)
                if not handler:
                    return self.send(404, {"error": "not_found"})
                is_json = (self.headers.get("Content-Type") or "").startswith("application/json")
                form = json.loads(body) if is_json and body else {k: v[0] for k, v in parse_qs(body).items()}
                self.send(*handler(values, form, self.headers))

            def send(self, status, value, location=None):
                content = json.dumps(value).encode()
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def route(self, method, path):
        return self.routes().get((method, path))

    def count(self, path):
        return sum(1 for _, asked in self.requests if asked == path)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Issuer(Imitation):
    """An issuer of OpenID Connect for the app `app`."""

    def __init__(self):
        super().__init__()
        self.keys = {"one": RSA_KEYS[0]}
        self.codes = {}
        self.user = {"sub": "u1", "name": "Ann", "email": "ann@example.org", "email_verified": True}

    def routes(self):
        return {
            ("GET", "/.well-known/openid-configuration"): self.metadata, ("GET", "/jwks"): self.jwks,
            ("GET", "/authorize"): self.authorize, ("POST", "/token"): self.exchange,
        }

    def metadata(self, *_):
        return 200, {"issuer": self.url, "jwks_uri": self.url + "/jwks", "token_endpoint": self.url + "/token",
                     "authorization_endpoint": self.url + "/authorize"}

    def jwks(self, *_):
        keys = []
        for kid, key in self.keys.items():
            is_rsa = isinstance(key, rsa.RSAPrivateKey)
            algorithm = jwt.algorithms.RSAAlgorithm if is_rsa else jwt.algorithms.ECAlgorithm
            keys.append({**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig"})
        return 200, {"keys": keys}

    def authorize(self, query, *_):
        """Logs the current user in without a question."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return 302, {}, query["redirect_uri"] + "?" + urlencode({"code": code, "state": query["state"]})

    def exchange(self, _, form, headers):
        asked = self.codes.pop(form.get("code"), None)
        if asked is None or asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if challenge(form.get("code_verifier", "")) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "at", "token_type": "Bearer", "id_token": self.token(nonce=asked.get("nonce"))}

    def claims(self, **changed):
        now = int(time.time())
        # Each token has an identifier, as without a nonce a token is accepted once.
        claims = {"iss": self.url, "aud": "app", "iat": now, "exp": now + 600, "jti": secrets.token_hex(8), **self.user,
                  **changed}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, *, key=None, kid=None, algorithm="RS256", **changed):
        name, known = next(iter(self.keys.items()))
        return jwt.encode(self.claims(**changed), key or known, algorithm=algorithm, headers={"kid": kid or name})

    def declaration(self, **changed):
        return {"kind": "oidc", "client_id": "app", "client_secret": "issuer's secret", "issuer": self.url, **changed}


class Apple(Issuer):
    """Sign in with Apple: the client secret is a token that the app's key signs, and the name comes in a form."""

    def __init__(self):
        super().__init__()
        self.app_key = ec.generate_private_key(ec.SECP256R1())
        self.secrets = []

    def exchange(self, query, form, headers):
        claims = jwt.decode(
            form["client_secret"], public_pem(self.app_key), algorithms=["ES256"], audience=self.url)
        assert jwt.get_unverified_header(form["client_secret"])["kid"] == "key1"
        assert (claims["iss"], claims["sub"]) == ("team1", "app") and claims["exp"] - claims["iat"] <= 15_777_000
        self.secrets.append(claims)
        return super().exchange(query, form, headers)

    def declaration(self, **changed):
        return {"kind": "apple", "client_id": "app", "issuer": self.url, "team_id": "team1", "key_id": "key1",
                "private_key": pem(self.app_key), **changed}


class Graph(Imitation):
    """Facebook's Graph API: access tokens with the app that requested them, and users."""

    SECRET = "graph secret"

    def __init__(self):
        super().__init__()
        self.tokens = {"good": ("app", "7"), "foreign": ("another app", "7")}
        self.proofs = []

    def routes(self):
        return {("GET", "/debug_token"): self.debug, ("GET", "/me"): self.me,
                ("POST", "/oauth/access_token"): self.exchange}

    def debug(self, query, *_):
        if query["access_token"] != f"app|{self.SECRET}":
            return 400, {"error": {"code": 190}}
        app, user = self.tokens.get(query["input_token"], ("", ""))
        return 200, {"data": {"app_id": app, "user_id": user, "is_valid": bool(app), "expires_at": 0}}

    def me(self, query, *_):
        proof = hmac.new(self.SECRET.encode(), query["access_token"].encode(), hashlib.sha256).hexdigest()
        self.proofs.append(query.get("appsecret_proof"))
        if query.get("appsecret_proof") != proof:
            return 400, {"error": {"code": 100}}
        return 200, {"id": self.tokens[query["access_token"]][1], "name": "Fay", "email": "ann@example.org",
                     "picture": {"data": {"url": "https://example.org/fay.jpg"}}}

    def exchange(self, _, form, headers):
        if form.get("code") != "graph code" or form.get("client_secret") != self.SECRET:
            return 400, {"error": {"code": 100}}
        return 200, {"access_token": "good", "token_type": "bearer"}

    def declaration(self, **changed):
        return {"kind": "facebook", "client_id": "app", "client_secret": self.SECRET, "api_url": self.url,
                "issuer": self.url, **changed}


class GitHub(Imitation):
    """GitHub's OAuth 2 and API."""

    def routes(self):
        return {("POST", "/login/oauth/access_token"): self.exchange, ("GET", "/user"): self.user,
                ("GET", "/user/emails"): self.emails, ("POST", "/applications/app/token"): self.check}

    def exchange(self, _, form, headers):
        is_right = form.get("code") == "hub code" and form.get("client_secret") == "hub secret"
        return 200, {"access_token": "hub token"} if is_right else {"error": "bad_verification_code"}

    def user(self, query, form, headers):
        if headers["Authorization"] != "Bearer hub token":
            return 401, {"message": "Bad credentials"}
        return 200, {"id": 42, "login": "hugh", "name": None, "email": "public@example.org", "avatar_url": "https://x/y"}

    def emails(self, *_):
        return 200, [{"email": "spare@example.org", "primary": False, "verified": True},
                     {"email": "hugh@example.org", "primary": True, "verified": True}]

    def check(self, query, form, headers):
        expected = "Basic " + base64.b64encode(b"app:hub secret").decode()
        if headers["Authorization"] != expected or form.get("access_token") != "hub token":
            return 404, {"message": "Not Found"}
        return 200, {"user": {"id": 42}}

    def declaration(self, **changed):
        return {"kind": "github", "client_id": "app", "client_secret": "hub secret", "issuer": self.url,
                "api_url": self.url, **changed}
