"""The confinement of processes for functions (issue 21, number 11)."""

import platform
import shutil
import subprocess
import sys

import pytest

from conftest import CLIENTS, GODWIT, ROOT, Server

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"), reason="seccomp is Linux's")

# Runs a program whose seccomp(2) fails, as in some containers.
WITHOUT_SECCOMP = """#!{python}
import ctypes, os, struct, sys
seccomp = {{"x86_64": 317, "aarch64": 277}}[os.uname().machine]
# Loads the number of the call; EPERM for this one, all others are allowed.
code = b"".join(struct.pack("HBBI", *line) for line in [
    (0x20, 0, 0, 0), (0x15, 0, 1, seccomp), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)])
kept = ctypes.create_string_buffer(code)
libc = ctypes.CDLL(None, use_errno=True)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
os.execv({godwit!r}, [{godwit!r}, *sys.argv[1:]])
"""


def test_number_11_calls_that_a_confined_process_makes(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip("there is no C compiler")
    worker = ROOT / "Sources/C/CWorker"
    sources = [CLIENTS / "Data/confined.c", *(worker / f"{name}.c" for name in ("confinement", "calls", "landlock"))]
    program = tmp_path / "confined"
    subprocess.run([compiler, f"-I{worker}", f"-I{worker}/include", *sources, "-o", program, "-lpthread"], check=True)
    run = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert run.returncode == 0, run
    refused, working = run.stdout.split("now what works\n")
    assert all(line.endswith(" refused") for line in refused.splitlines()) and "userfaultfd" in refused, refused
    assert all(line.endswith(" works") for line in working.splitlines()) and "thread" in working, working
    assert (tmp_path / "folder").is_dir() and not (tmp_path / "other").exists() and not (tmp_path / "pipe").exists()


def test_number_11_functions_do_not_run_unconfined_unless_told(tmp_path):
    program = tmp_path / "without-seccomp"
    program.write_text(WITHOUT_SECCOMP.format(python=sys.executable, godwit=GODWIT))
    program.chmod(0o700)
    site = Server(tmp_path / "data", program=str(program))
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/d", json={"shows": {"s": "function () { return 'ran'; }"}})
    for _ in range(2):
        answer = site.request("GET", "/db/_design/d/_show/s")
        assert (answer.status_code, answer.json()["error"]) == (500, "functions_not_confined"), answer.text
        assert "query_server_config/allow_unconfined" in answer.json()["reason"]
    site.json("PUT", "/_node/_local/_config/query_server_config/allow_unconfined", json="true")
    assert site.request("GET", "/db/_design/d/_show/s").text == "ran"
    assert "functions_not_confined" in site.stop()


def test_number_11_all_of_javascript_works_confined(server):
    """Threads that collect garbage and compile, time zones, collation."""
    server.json("PUT", "/db")
    server.json("PUT", "/db/_design/d", json={"shows": {
        "zones": """function () {
            return new Intl.DateTimeFormat('de', {timeZone: 'Asia/Tokyo', hour: 'numeric', hour12: false})
                .format(new Date(0)) + new Date(0).getTimezoneOffset() + new Intl.Collator('sv').compare('z', 'ö'); }""",
        "garbage": """function () { var held; for (var turn = 0; turn < 10; turn++) {
            held = []; for (var n = 0; n < 100000; n++) held.push({n: n, text: 'x' + n}); } return '' + held.length; }""",
        "hot": """function () { function f(a, b) { return (a * 31 + b) % 1000003; }
            var x = 1; for (var n = 0; n < 5000000; n++) x = f(x, n); return '' + (x > 0); }"""}})
    for name, words in [("zones", "9 Uhr"), ("garbage", "100000"), ("hot", "true")]:
        answer = server.request("GET", f"/db/_design/d/_show/{name}")
        assert answer.status_code == 200 and words in answer.text, answer.text
