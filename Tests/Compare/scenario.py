"""Reads scenarios: files with one request per line, which README.md describes."""

import itertools
import pathlib
import re
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent
ALTERNATIVES = re.compile(r"<([^<>]*(?:\|[^<>]*)+)>")
VARIABLE = re.compile(r"\{([a-z][\w:./%-]*)\}")
FIRST_LINE = re.compile(r"(?:@(\S+) )?([A-Z]+) (\S+)(?: (.*))?")
# The maximum number of attempts until the answer is the expected one, and the seconds between them.
AWAITED_TIMES_MAX, AWAITED_SECONDS = 100, 0.1


@dataclass
class Request:
    """One line of a scenario, with chosen alternatives and without values of variables."""

    login: str
    method: str
    path: str
    body: str | None = None
    headers: dict = field(default_factory=dict)
    captures: dict = field(default_factory=dict)
    awaited: tuple | None = None

    @property
    def title(self):
        """The name of the request in recorded answers and in the list of differences."""
        login = f"@{self.login} " if self.login != "admin" else ""
        headers = "".join(f" {name}={value}" for name, value in self.headers.items())
        body = " " + self.body if self.body is not None else ""
        return f"{login}{self.method} {self.path}{headers}{body}"


def alternatives(text):
    """The texts for each choice of each `<a|b|c>`."""
    pieces = ALTERNATIVES.split(text)
    choices = [[piece] if place % 2 == 0 else piece.split("|") for place, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def read(path):
    """The requests of a scenario's file, in order; ValueError names the line that cannot be read."""
    requests, group = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("  "):
            if not group:
                raise ValueError(f"{path.name}:{number}: what is indented belongs to a request")
            add(line[2:], group, f"{path.name}:{number}")
            continue
        requests += group or []
        match = FIRST_LINE.fullmatch(line)
        if not match:
            raise ValueError(f"{path.name}:{number}: not LOGIN METHOD PATH BODY: {line}")
        login, method, target, body = match.groups()
        group = [
            Request(login or "admin", method, chosen, chosen_body or None)
            for chosen in alternatives(target)
            for chosen_body in (alternatives(body) if body else [None])
        ]
        for request in group:
            if request.body is not None:
                request.headers["Content-Type"] = "application/json"
    return requests + (group or [])


def add(line, group, place):
    """Adds an indented line, a header, a capture, a line of the body or an expected value, to its requests."""
    if line.startswith("> "):
        name, _, source = line[2:].partition(" = ")
        for request in group:
            request.captures[name] = source
    elif line.startswith("? "):
        source, _, value = line[2:].partition(" = ")
        for request in group:
            request.awaited = (source, value)
    elif line.startswith("|"):
        for request in group:
            request.body = line[2:] if request.body is None else request.body + "\r\n" + line[2:]
    elif match := re.fullmatch(r"([A-Za-z0-9-]+):(?: (.*))?", line):
        chosen = alternatives(match[2] or "")
        copies = [
            Request(old.login, old.method, old.path, old.body,
                    {**old.headers, match[1]: value}, old.captures, old.awaited)
            for old in group for value in chosen
        ]
        # `Name: -` removes a header that would be sent by default.
        for request in copies:
            if request.headers[match[1]] == "-":
                del request.headers[match[1]]
        group[:] = copies
    else:
        raise ValueError(f"{place}: neither a header, a capture (>), a body (|) nor an awaited value (?): {line}")


def fill(text, variables):
    """The text with its variables' values; a variable without a value stays, and fails at the server."""
    return VARIABLE.sub(lambda match: variables.get(match[1], match[0]), text)


def scenarios():
    """All scenarios by name."""
    return {path.stem: read(path) for path in sorted((FOLDER / "requests").glob("*.txt"))}
