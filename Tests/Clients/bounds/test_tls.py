"""TLS, with HTTP/2 and HTTP/1.1 on one port."""

import datetime
import ipaddress
import os
import pathlib
import re
import socket
import ssl
import subprocess
import time
import warnings

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from conftest import ADMIN, GODWIT, godwit


def made(folder, alternative):
    """Creates a self-signed certificate for a name or an address, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now).not_valid_after(now + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName([alternative]), False)
        .sign(key, hashes.SHA256()))
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (folder / "key.pem").chmod(0o600)
    return str(folder / "certificate.pem"), str(folder / "key.pem")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A certificate for this machine."""
    return made(tmp_path_factory.mktemp("tls"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The file of the server's log."""
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def url(files, log, tmp_path_factory):
    with open(log, "wb") as said:
        process = subprocess.Popen(
            [GODWIT, "serve", "--data", str(tmp_path_factory.mktemp("secure")), "--port", "0", "--admin", "admin:secret",
             "--tls-certificate", files[0], "--tls-key", files[1]], stdout=subprocess.PIPE, stderr=said, text=True)
    line = process.stdout.readline()
    yield re.fullmatch(r"Godwit is listening on (https://127\.0\.0\.1:\d+)\n", line)[1]
    process.terminate()
    assert process.wait(15) == 0


def test_http_1(url, files):
    with requests.Session() as session:
        # The environment may name other trusted certificates.
        session.auth, session.verify, session.trust_env = ADMIN, files[0], False
        assert session.put(url + "/db", timeout=10).status_code == 201
        assert session.put(url + "/db/x", json={"n": 1}, timeout=10).status_code == 201
        assert session.get(url + "/db/x", timeout=10).json()["n"] == 1
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(url, timeout=10)


def test_http_2(url, files):
    """curl speaks HTTP/2, many requests on one connection."""
    paths = [f"{url}/_uuids?count=1" for _ in range(20)]
    run = subprocess.run(
        ["curl", "--silent", "--http2", "--cacert", files[0], "--user", "admin:secret", "--parallel",
         "--write-out", "%{http_version} %{http_code} %{num_connects}\n", *paths],
        capture_output=True, text=True, timeout=30, check=True)
    told = re.findall(r"^(\S+) (\d+) (\d+)$", run.stdout, re.M)
    assert len(told) == 20 and all(version == "2" and status == "200" for version, status, _ in told)
    requests.put(url + "/files", auth=ADMIN, verify=files[0], timeout=10)
    upload = subprocess.run(
        ["curl", "--silent", "--http2", "--cacert", files[0], "--user", "admin:secret", "-X", "PUT",
         "--data-binary", "@-", f"{url}/files/x/a"], input=os.urandom(3 << 20), capture_output=True, timeout=30)
    assert b'"rev"' in upload.stdout


def test_http_2_refusals(url, files):
    """A refusal is an ordinary answer: while the body arrives, with `Expect`, and to HEAD without a length."""
    requests.put(url + "/refused", auth=ADMIN, verify=files[0], timeout=10)
    command = ["curl", "--silent", "--http2", "--cacert", files[0], "--write-out", "%{http_version} %{http_code}"]
    for headers in [[], ["--header", "Expect: 100-continue"]]:
        upload = subprocess.run(
            [*command, *headers, "-X", "PUT", "--data-binary", "@-", f"{url}/refused/x/a"], input=os.urandom(20 << 20),
            capture_output=True, timeout=30)
        assert upload.returncode == 0 and upload.stdout.endswith(b"2 401"), upload.stdout
    head = subprocess.run(
        [*command, "--user", "admin:secret", "--head", "--output", os.devnull, f"{url}/refused/_all_docs"],
        capture_output=True, timeout=30)
    assert head.returncode == 0 and head.stdout == b"2 200"


def test_an_upload_over_http_2_that_is_broken_off_writes_nothing_and_is_no_failure(url, files, log):
    requests.put(url + "/broken", auth=ADMIN, verify=files[0], timeout=10)
    uploads = []
    # Of two attachments, of incomplete JSON, and of valid JSON.
    for path, begin in [("a/a", b"x"), ("b/a", b"y"), ("c", b'{"a":"'), ("d", b'{"a":1}')]:
        uploads.append(subprocess.Popen(
            ["curl", "--silent", "--http2", "--cacert", files[0], "--user", "admin:secret", "--upload-file", "-",
             f"{url}/broken/{path}"], stdin=subprocess.PIPE))
        uploads[-1].stdin.write(begin + b" " * (1 << 20))
        uploads[-1].stdin.flush()
    # Until the server reads the bodies.
    time.sleep(1)
    for upload in uploads:
        upload.kill()
        upload.wait(10)
    time.sleep(0.5)
    assert requests.get(url + "/broken", auth=ADMIN, verify=files[0], timeout=10).json()["doc_count"] == 0
    assert " error " not in log.read_text()


def test_cookies_are_for_tls_alone(url, files):
    answer = requests.post(url + "/_session", json={"name": "admin", "password": "secret"}, verify=files[0], timeout=10)
    assert "; Secure" in answer.headers["Set-Cookie"]


def test_files_that_cannot_be_used(files, tmp_path):
    run = godwit("serve", "--data", str(tmp_path / "d"), "--tls-certificate", files[0])
    assert run.returncode == 2 and "must be used together" in run.stderr
    run = godwit("serve", "--data", str(tmp_path / "d"), "--tls-certificate", files[1], "--tls-key", files[0])
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and "certificate" in run.stderr


def shake_hands(url, version, ciphers="ALL:@SECLEVEL=0"):
    """Connects with one version of TLS: the negotiated version and cipher."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    context.set_ciphers(ciphers)
    with socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), timeout=10) as plain:
        with context.wrap_socket(plain) as secure:
            return secure.version(), secure.cipher()[0]


def test_number_10_old_versions_and_suites_of_tls_are_refused(url):
    assert shake_hands(url, ssl.TLSVersion.TLSv1_3)[0] == "TLSv1.3"
    assert shake_hands(url, ssl.TLSVersion.TLSv1_2)[0] == "TLSv1.2"
    for ciphers in ("ECDHE+AESGCM", "ECDHE+CHACHA20"):
        assert shake_hands(url, ssl.TLSVersion.TLSv1_2, ciphers)[1].startswith("ECDHE-ECDSA-")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        shake_hands(url, ssl.TLSVersion.TLSv1_2, "ECDHE+SHA1:ECDHE+SHA256:ECDHE+SHA384:!AESGCM:!CHACHA20:@SECLEVEL=0")
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with pytest.raises((ssl.SSLError, ConnectionError, ValueError)):
            shake_hands(url, version)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620])
def test_number_10_a_key_that_others_can_read_is_not_taken(files, tmp_path, mode):
    key = tmp_path / "key.pem"
    key.write_bytes(pathlib.Path(files[1]).read_bytes())
    key.chmod(mode)
    run = godwit("serve", "--data", str(tmp_path / "data"), "--port", "0", "--tls-certificate", files[0], "--tls-key", str(key))
    assert run.returncode == 1 and f"chmod 600 {key}" in run.stderr, run.stderr


def test_commands_say_what_is_wrong_with_a_connection_and_trust_an_authority_that_is_given(url, files, tmp_path):
    with requests.Session() as session:
        session.auth, session.verify, session.trust_env = ADMIN, files[0], False
        assert session.put(url + "/trusted", timeout=10).status_code == 201
        assert session.put(url + "/trusted/x", json={"n": 1}, timeout=10).status_code == 201
    (tmp_path / "a.jsonl").write_text('{"_id": "y"}\n')
    there = url.replace("://", "://admin:secret@") + "/trusted"
    commands = [
        ["replicate", there, "here/db", "--create-target"], ["backup", there, "copy"],
        ["import", "a.jsonl", there], ["export", there, "b.jsonl"], ["restore", "copy", there + "2"]]
    for command in commands:
        if command[0] != "restore":
            run = godwit(*command, cwd=tmp_path)
            assert run.returncode == 1 and "certificate" in run.stderr and "--ca-file" in run.stderr, run.stderr
            assert "NIOSSL" not in run.stderr and [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    for command in commands:
        run = godwit(*command, "--ca-file", files[0], cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    bench = ["bench", "--url", url.replace("://", "://admin:secret@"), "--scale", "0.01"]
    run = godwit(*bench)
    assert run.returncode == 1 and "certificate" in run.stderr and "--ca-file" in run.stderr, run.stderr
    run = godwit(*bench, "--ca-file", files[0])
    assert run.returncode == 0 and "create a database" in run.stdout, run.stderr
    run = godwit("replicate", there, "c/db", "--create-target", "--ca-file", "a.jsonl", cwd=tmp_path)
    assert run.returncode == 1 and "a.jsonl cannot be read as certificates" in run.stderr, run.stderr
    assert not (tmp_path / "c").exists()


def test_a_certificate_for_another_name_is_told_of(tmp_path):
    certificate, key = made(tmp_path, x509.DNSName("other.example"))
    process = subprocess.Popen(
        [GODWIT, "serve", "--data", f"{tmp_path}/data", "--port", "0", "--admin", "admin:secret-1", "--tls-certificate",
         certificate, "--tls-key", key], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    there = process.stdout.readline().split()[-1]
    run = godwit("backup", f"{there}/db", f"{tmp_path}/copy", "--ca-file", certificate)
    process.terminate()
    process.communicate(timeout=15)
    assert run.returncode == 1 and "is not for the host name of the URL" in run.stderr, run.stderr


def test_a_command_that_speaks_tls_to_a_plain_server_is_told_so(server):
    run = godwit("backup", server.database("db").replace("http:", "https:"), "copy")
    assert run.returncode == 1 and "does not speak TLS on this port" in run.stderr, run.stderr


def test_a_server_names_the_file_that_is_no_certificate(files, tmp_path):
    run = godwit("serve", "--data", f"{tmp_path}/data", "--tls-certificate", "none.pem", "--tls-key", files[1])
    assert run.returncode == 1 and "none.pem cannot be read as a certificate" in run.stderr, run.stderr
    assert not (tmp_path / "data").exists()
