"""Normalises two servers' answers: values that always differ are replaced by names (README.md, "Normalisation")."""

import gzip
import json
import re

REVISION = re.compile(r"(?<![0-9a-z-])(\d+)-([0-9a-f]{32})(?![0-9a-f])")
HASH = re.compile(r"(?<![0-9a-zA-Z-])([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-zA-Z])")
SEQUENCE = re.compile(r"(?<![0-9a-zA-Z-])(\d+)-(?:g[12][\w-]+|[0-9a-f]{8}(?![0-9a-f-]))")
HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d GMT")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
COOKIE = re.compile(r"AuthSession=[^;]+")
BOUNDARY = re.compile(r'boundary="?([^";\s]+)"?')
HASHED_PASSWORD = re.compile(r"-pbkdf2(:sha\d+)?-[0-9a-f]+,[0-9a-f]+,")

# Headers that clients use. `Date`, `Server` and framing depend on the server.
HEADERS = (
    "accept-ranges", "access-control-allow-credentials", "access-control-allow-headers",
    "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers", "allow",
    "cache-control", "content-disposition", "content-encoding", "content-md5", "content-range", "content-type", "etag",
    "location", "pragma", "set-cookie", "vary", "www-authenticate", "x-couch-full-commit", "x-doc-id", "x-rev-id",
)
# Values whose type is compared, not the value: sizes, times and names of machines.
MEASURES = {
    "active", "checkpoint_interval", "compact_running", "crash_count", "data_size", "disk_size", "doc_write_failures",
    "execution_time_ms", "external", "file", "git_sha", "last_updated", "node", "pid", "purge_seq",
    "source_seq", "through_seq", "token", "updated_on", "started_on", "waiting_commit", "uuid", "version", "results_returned",
}
# Statuses whose reason a client reads. The others' reasons are for people, and differ in detail.
REASONED = (401, 403, 404, 409, 410, 412, 416)


def named(text, address):
    """The text with names for values that always differ: revisions of 32 digits, hashes, sequences, dates, the address."""
    text = text.replace(address, "HOST")
    text = HASHED_PASSWORD.sub(r"-pbkdf2\1-key,salt,", text)
    text = REVISION.sub(r"\1-rev", text)
    text = SEQUENCE.sub(r"\1-seq", text)
    text = HASH.sub("hash", text)
    text = HTTP_DATE.sub("DATE", text)
    text = ISO_DATE.sub("DATE", text)
    return COOKIE.sub("AuthSession=COOKIE", text)


def normal(status, headers, body, address):
    """A normalised answer: status, relevant headers, and the body's content with names."""
    kept = headers_with_names(headers, address)
    if "etag" in kept and not re.search(r"\d+-rev", kept["etag"]):
        kept["etag"] = "ETAG"
    return {"status": status, "headers": kept, **content(status, headers, body, address)}


def headers_with_names(headers, address):
    """The relevant headers by their names in lower case."""
    kept = {}
    for name, value in headers:
        if name.lower() in HEADERS:
            # The boundary is replaced before hashes are.
            kept[name.lower()] = named(BOUNDARY.sub("boundary=BOUNDARY", value), address)
    # A route that answers GET answers HEAD.
    if "allow" in kept:
        methods = set(kept["allow"].split(","))
        kept["allow"] = ",".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))
    return kept


def content(status, headers, body, address):
    """The content of a body: `parts`, a JSON `body` with its `lines`, or a `text`."""
    headers = {name.lower(): value for name, value in headers}
    if headers.get("content-encoding") == "gzip" and body:
        body = gzip.decompress(body)
    boundary = BOUNDARY.search(headers.get("content-type", ""))
    if boundary:
        return {"parts": [
            {"headers": headers_with_names(part_headers, address), **content(status, part_headers, part, address)}
            for part_headers, part in parts(body, boundary[1].encode())]}
    text = named(body.decode("utf-8", "replace"), address)
    answer, value = {}, parsed(text)
    if value is not None:
        answer["body"] = masked(value, status)
        answer["lines"] = text.rstrip("\r\n").count("\n") + 1
    elif text:
        lines = [parsed(line) for line in text.splitlines() if line]
        answer["text"] = [masked(line, status) for line in lines] if lines and None not in lines else text
    return answer


def parts(body, boundary):
    """The parts of a multipart body: (headers, bytes)."""
    for piece in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:]:
        if piece.startswith(b"--"):
            return
        head, _, rest = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if piece.startswith(b"\r\n\r\n"):
            head, rest = b"", piece[4:]
        yield [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line], rest


def parsed(text):
    """JSON, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def masked(value, status):
    """The value with measurements by type, and reasons masked that are only for people."""
    if isinstance(value, list):
        return [masked(item, status) for item in value]
    if not isinstance(value, dict):
        return value
    # `ref` is a number of CouchDB's log.
    return {key: mask(key, item, value, status) for key, item in value.items() if key != "ref" or "error" not in value}


def mask(key, item, parent, status):
    if key == "instance_start_time":
        # A time; CouchDB counts seconds and Godwit microseconds. Before 3.3 it was always 0, which hid a new database.
        return "TIME" if isinstance(item, str) and re.fullmatch(r"[1-9]\d{9,15}", item) else item
    if key in MEASURES and isinstance(item, (int, float, str)):
        return type(item).__name__.upper()
    if key == "bookmark" and isinstance(item, str) and item != "nil":
        return "BOOKMARK"
    if key == "index_candidates":
        return sorted(masked(item, status), key=lambda candidate: json.dumps(candidate["index"], sort_keys=True))
    if key == "indexes" and "total_rows" in parent:
        return sorted(masked(item, status), key=lambda index: (index["type"] != "special", index["name"]))
    if key == "reason" and status not in REASONED and "error" in parent:
        return "REASON"
    return masked(item, status)


def differences(theirs, ours):
    """The differences of two answers: (path, their value, our value); if the statuses differ, the rest is not compared.

    The path of a status contains both, for example `status 500>400`."""
    if theirs["status"] != ours["status"]:
        return [(f"status {theirs['status']}>{ours['status']}", theirs["status"], ours["status"])]
    return unlike(theirs, ours, "")


def unlike(theirs, ours, path):
    """The differences of two values, with dotted paths; `absent` is a missing value, ` null` after a path a null of ours."""
    if type(theirs) is not type(ours):
        return [(path + " null" if ours is None else path, theirs, ours)]
    if isinstance(theirs, dict):
        found = []
        for key in sorted(theirs.keys() | ours.keys()):
            found += unlike(theirs.get(key, "absent"), ours.get(key, "absent"), f"{path}.{key}" if path else key)
        return found
    if isinstance(theirs, list):
        if len(theirs) != len(ours):
            return [(path + ".length", theirs, ours)]
        return [found for place, pair in enumerate(zip(theirs, ours)) for found in unlike(*pair, f"{path}.{place}")]
    return [] if theirs == ours else [(path, theirs, ours)]
