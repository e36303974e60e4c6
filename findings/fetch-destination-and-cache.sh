#!/usr/bin/env bash
# Sec-Fetch-Dest and the browser's cache: a server that decides by this header is not asked again.
#
# Chromium sends the purpose of a request in `Sec-Fetch-Dest`. A server can use it to refuse a file of a user as a script
# although the user may open it as a document. But a response that may be stored answers later requests for other purposes
# too: after the file was opened in a tab, a <script> element of the same site gets it from the cache, and the server sees no
# request. With `Vary: Sec-Fetch-Dest` the server sees the second request. So a decision by `Sec-Fetch-Dest` needs this
# `Vary` on every response that may be stored.
#
# Seen with Debian 12's chromium 156.0.8078.108 and selenium 4.27.1 (PyPI) in November 2026:
#   without Vary: 1 request (document); the script ran
#   with Vary:    2 requests (document, script)
set -euo pipefail

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
if [ ${#missing[@]} -gt 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check selenium==4.27.1
FOLDER=$folder "$folder/venv/bin/python" - <<'PY'
import http.server
import os
import sys
import threading

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

requests = []


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        is_script = self.path.endswith(".js")
        body = b"document.documentElement.dataset.ran = 'yes'" if is_script else b"<!doctype html><title>page</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_script else "text/html")
        if is_script:
            requests.append((self.path, self.headers["Sec-Fetch-Dest"]))
            self.send_header("Cache-Control", "max-age=600")
        if "vary" in self.path:
            self.send_header("Vary", "Sec-Fetch-Dest")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
options = Options()
options.binary_location = "/usr/bin/chromium"
for flag in ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={os.environ['FOLDER']}/profile"]:
    options.add_argument(flag)
browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
results = {}
for path in ("/plain.js", "/vary.js"):
    browser.get(f"http://127.0.0.1:{server.server_port}{path}")
    browser.get(f"http://127.0.0.1:{server.server_port}/")
    results[path] = browser.execute_async_script("""
        const [address, done] = arguments, script = document.createElement('script')
        script.onload = () => done(document.documentElement.dataset.ran)
        script.onerror = () => done('error')
        script.src = address
        document.head.append(script)""", path)
version = browser.capabilities["browserVersion"]
browser.quit()
plain = [purpose for path, purpose in requests if path == "/plain.js"]
vary = [purpose for path, purpose in requests if path == "/vary.js"]
print(f"chromium {version}\nwithout Vary: {len(plain)} request(s) {plain}, script: {results['/plain.js']}\n"
      f"with Vary:    {len(vary)} request(s) {vary}, script: {results['/vary.js']}")
sys.exit(0 if plain == ["document"] and results["/plain.js"] == "yes" and vary == ["document", "script"] else 1)
PY
