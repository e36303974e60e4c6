"""Devices of the example applications for tests: processes, with the requests that their browsers send."""

import os
import pathlib
import re
import signal
import subprocess

import requests

from conftest import GODWIT


def program(name):
    """The path of a program that was built with `godwit`."""
    return os.environ.get(name.upper().replace("-", "_"), str(pathlib.Path(GODWIT).with_name(name)))


class DeviceProcess:
    """A device's process, and the browser that is its screen."""

    def __init__(self, application, home, server, *arguments, environment=None):
        self.application, self.home, self.server, self.arguments = application, pathlib.Path(home), server, arguments
        self.environment = {**os.environ, **(environment or {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [program(self.application), "device", "--home", str(self.home), "--server", self.server, *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        match = re.fullmatch(self.application + r" device is at ((http://127\.0\.0\.1:\d+)/\?key=(\w+))\n", line)
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
