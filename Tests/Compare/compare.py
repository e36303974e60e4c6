#!/usr/bin/env python3
"""Sends the scenarios' requests to a server and compares the answers with a CouchDB's (README.md).

    compare.py record URL [SCENARIO...]     sends the requests to a real CouchDB and stores its answers
    compare.py report URL [SCENARIO...]     sends the requests to a Godwit and prints the differences from the stored answers
"""

import base64
import fnmatch
import http.client
import json
import sys
import time
import urllib.parse
from dataclasses import dataclass

from normal import differences, normal
from scenario import AWAITED_SECONDS, AWAITED_TIMES_MAX, FOLDER, Request, fill, scenarios


@dataclass
class Expected:
    """A line of differences.txt: the part of an answer that may differ, and the row of docs/compatibility.md with the
    reason."""

    scenario: str
    request: str
    path: str
    row: str

    def covers(self, scenario, title, path):
        return (fnmatch.fnmatchcase(scenario, self.scenario) and fnmatch.fnmatchcase(title, self.request)
                and fnmatch.fnmatchcase(path, self.path))


def expected_differences():
    """The lines of differences.txt: four columns, with three spaces or more between them."""
    lines = (FOLDER / "differences.txt").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in lines if line and line[0] != "#"]
    return [Expected(*row) for row in rows]


def open_differences():
    """The number of unexplained differences in each scenario's answers (open.txt)."""
    lines = (FOLDER / "open.txt").read_text().splitlines()
    return {name: int(count) for name, count in (line.split() for line in lines if line and line[0] != "#")}


class Runner:
    """Sends one scenario's requests to one server, in order, over one connection."""

    def __init__(self, url, name):
        parts = urllib.parse.urlsplit(url)
        self.address = f"{parts.hostname}:{parts.port}"
        self.logins = {"admin": f"{parts.username or 'admin'}:{parts.password or 'secret'}"}
        self.variables = {"host": f"http://{self.address}", "db": f"compare_{name}", "adminurl":
                          f"http://{self.logins['admin']}@{self.address}"}
        for number in range(2, 6):
            self.variables[f"db{number}"] = f"compare_{name}_{number}"
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)

    def headers(self, request):
        headers = {name: fill(value, self.variables) for name, value in request.headers.items()}
        if request.login != "-" and "Authorization" not in headers and "Cookie" not in headers:
            login = self.logins.get(request.login, f"{request.login}:{request.login}-password")
            headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        return headers

    def send(self, request):
        """Sends one request; returns (status, headers, body)."""
        path, body = fill(request.path, self.variables), request.body
        if body is not None:
            body = fill(body, self.variables).encode()
        self.connection.request(request.method, path, body, self.headers(request))
        response = self.connection.getresponse()
        answer = response.status, response.getheaders(), response.read()
        # A CouchDB that failed may send a second answer to the same request.
        if response.status >= 500:
            self.connection.close()
        return answer

    def answer(self, request):
        """One request's normalised answer; repeats the request until the answer is the expected one."""
        for _ in range(AWAITED_TIMES_MAX if request.awaited else 1):
            try:
                status, headers, body = self.send(request)
            except (http.client.HTTPException, OSError) as error:
                self.connection.close()
                return {"status": type(error).__name__}
            if not request.awaited or self.value(request.awaited[0], status, headers, body) == request.awaited[1]:
                break
            time.sleep(AWAITED_SECONDS)
        self.remember(request, status, headers, body)
        return normal(status, headers, body, self.address)

    def value(self, source, status, headers, body):
        """The text at `header.NAME` or `body.A.0.B` of an answer; empty if the answer does not have it."""
        kind, _, path = source.partition(".")
        if kind == "status":
            return str(status)
        if kind == "header":
            return next((value for name, value in headers if name.lower() == path), "")
        try:
            value = json.loads(body)
            for step in path.split(".") if path else []:
                value = value[int(step)] if isinstance(value, list) else value[step]
        except (ValueError, LookupError, TypeError):
            return ""
        return value if isinstance(value, str) else json.dumps(value)

    def remember(self, request, status, headers, body):
        """Stores the values that the scenario captures, and the revision of each written document."""
        for name, source in request.captures.items():
            self.variables[name] = self.value(source, status, headers, body)
        try:
            rows = json.loads(body) if request.method in ("POST", "PUT", "DELETE", "COPY") and status < 300 else []
        except ValueError:
            return
        for row in rows if isinstance(rows, list) else [rows]:
            if isinstance(row, dict) and isinstance(row.get("rev"), str):
                self.variables["rev"] = row["rev"]
                self.variables[f"rev:{row.get('id')}"] = row["rev"]
                self.variables[f"hash:{row.get('id')}"] = row["rev"].partition("-")[2]

    def clean(self):
        """Removes the scenario's databases."""
        for name in [name for variable, name in self.variables.items() if variable.startswith("db")]:
            self.connection.request("DELETE", f"/{name}", headers=self.headers(Request("admin", "DELETE", name)))
            self.connection.getresponse().read()

    def run(self, requests):
        """The answers to all requests, in order; the scenario's databases are deleted before and after."""
        self.clean()
        try:
            return [self.answer(request) for request in requests]
        finally:
            self.connection.close()
            self.clean()


def answers_file(name):
    return FOLDER / "answers" / f"{name}.jsonl"


def kept_answers(name):
    """The recorded answers of a real CouchDB: (request, answer) in order."""
    lines = answers_file(name).read_text().splitlines()
    return [(kept.pop("request"), kept) for kept in map(json.loads, lines)]


def record(url, name, requests):
    """Sends the requests to a real CouchDB and stores its answers; returns their number."""
    answers = Runner(url, name).run(requests)
    lines = [json.dumps({"request": request.title, **answer}, ensure_ascii=False, sort_keys=True)
             for request, answer in zip(requests, answers)]
    answers_file(name).write_text("\n".join(lines) + "\n")
    return len(lines)


def found_differences(url, name, requests):
    """The differences of a server's answers from the stored ones: (request, path, theirs, ours)."""
    kept, answers = kept_answers(name), Runner(url, name).run(requests)
    if [title for title, _ in kept] != [request.title for request in requests]:
        raise ValueError(f"{name}: other requests than those recorded: record them again")
    return [(title, *difference) for (title, theirs), ours in zip(kept, answers)
            for difference in differences(theirs, ours)]


def unexplained(found, name):
    """The differences of a scenario that no line of differences.txt covers."""
    expected = expected_differences()
    return [each for each in found if not any(line.covers(name, each[0], each[1]) for line in expected)]


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ("record", "report"):
        sys.exit(__doc__)
    action, url, *names = arguments
    all_of_them = scenarios()
    for name in names or all_of_them:
        if action == "record":
            print(f"{name}: {record(url, name, all_of_them[name])} answers")
            continue
        for title, path, theirs, ours in unexplained(found_differences(url, name, all_of_them[name]), name):
            print(f"{name}  {title[:300]}\n    {path}\n      CouchDB {json.dumps(theirs)[:300]}\n"
                  f"      Godwit  {json.dumps(ours)[:300]}")


if __name__ == "__main__":
    main(sys.argv[1:])
