"""BluePic's devices for tests: processes, with the requests that their browsers send."""

import os
import pathlib
import re
import signal
import subprocess

import requests

from bluepics import PASSWORD, PROGRAM
from conftest import eventually

KEY = "3e" * 32


class Device:
    """A device's process, and the browser that is its screen."""

    def __init__(self, home, server, key=KEY):
        self.home, self.server = pathlib.Path(home), server
        self.environment = {**os.environ, **({"BLUEPIC_KEY": key} if key else {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "device", "--home", str(self.home), "--server", self.server],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"bluepic device is at ((http://127\.0\.0\.1:\d+)/\?key=(\w+))\n", line)
        assert match, line + self.process.stderr.read()
        self.address, self.url = match[1], match[2]
        self.browser = requests.Session()
        assert self.browser.get(self.address, timeout=60).status_code == 200
        return self

    def get(self, path, **options):
        return self.browser.get(self.url + path, timeout=60, **options)

    def state(self):
        return self.get("/state").json()

    def act(self, action, **arguments):
        return self.browser.post(f"{self.url}/actions/{action}", json=arguments, timeout=60)

    def done(self, action, **arguments):
        answer = self.act(action, **arguments)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def register(self, name, full_name=None):
        self.done("register", name=name, password=PASSWORD, fullName=full_name or name.title())
        return self

    def chosen(self, file, **query):
        answer = self.browser.post(f"{self.url}/photos", params=query, data=file, timeout=60)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def posted(self, file, caption=""):
        id = self.chosen(file)
        self.done("post", id=id, caption=caption)
        return id

    def feed(self, **query):
        return self.get("/feed", params=query).json()["photos"]

    def shows(self, id):
        """Waits until the feed of the device has an image, and no post for it."""
        return eventually(lambda: any(photo["id"] == id for photo in self.feed()) and not self.state()["posts"], 60)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            _, complaints = self.process.communicate(timeout=20)
            assert self.process.returncode == 0, complaints
