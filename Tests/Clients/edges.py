"""Values at the edges of numbers, dates and texts, and the variations of a valid value with one of its parts replaced.

A variation is made of a seed alone: `GODWIT_SEED` repeats a run. `GODWIT_EDGE_ROUNDS` is the number of variations that the
tests draw together; `./test --long` sets a million."""

import json
import os
import random
import urllib.parse

SEED = int(os.environ.get("GODWIT_SEED") or random.SystemRandom().randrange(1 << 32))
LONG = bool(os.environ.get("GODWIT_LONG"))
ROUNDS = int(os.environ.get("GODWIT_EDGE_ROUNDS") or 0)

LONG_TEXT = "x" * 70_000
# Combining marks in the wrong order, after a vowel sign with which letters of Tibetan combine: `test_marks.py`.
MARKS_COUNT = int(os.environ.get("GODWIT_MARKS") or 300_000)
MARKS = "\u0f71" * (MARKS_COUNT // 3) + "a" + "\u0301" * (MARKS_COUNT // 3) + "\u0323" * (MARKS_COUNT // 3)
NUMBERS = [
    "0", "-1", "1", "127", "128", "255", "256", "1000", "65535", "65536", "65600", "2147483647", "2147483648",
    "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740992", "9007199254740993",
    "-9007199254740993", "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
    "-9223372036854775808", "-9223372036854775809", "9223372036854775000", "9223372036", "-9223372037", "9223372036855",
    "18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211456", "1e15", "1e18", "1e19",
    "1e100", "1e308", "-1e308", "1e309", "1e400", "-1e400", "1e99999999999", "5e-324", "1e-400", "0.5", "-0.5", "-0.0", "-0",
    "1.7976931348623157e308", "253402300799", "253402300800", "8640000000000000", "8640000000000001", "9" * 400,
    "0." + "0" * 400 + "1",
]
DATES = [
    "9999-12-31T23:59:59Z", "9999-12-31", "-271821-04-20", "-271821-04-20T00:00:00Z", "+275760-09-13",
    "275760-09-13", "0000-00-00T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
    "2024-02-30T25:61:61Z", "99999999999999999999-01-01T00:00:00Z", "2038-01-19T03:14:08.999999999999999999999Z",
    "2024-01-01T00:00:00+99:99", "20240101T000000Z", "99991231T235959Z", "00000000T000000Z",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Sun, 06 Nov 99999999999 08:49:37 GMT",
    "Thu, 00 Jan 0000 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
]
WORDS = [
    "", " ", "\u00e9", "a b", "NaN", "nan", "Infinity", "-Infinity", "inf", "0x10", "0x1p1023", "+1", "1_000", "1.", ".5", "-", "+", "1e",
    "\u0663", "null", "true", "%", "\u0000", "\ufeff1", "\U0001f600", "e\u0301", "-1-a",
    "9223372036854775807-a", "9223372036854775808-a", "0-", "1-" + "a" * 32, "18446744073709551616-x",
    "bytes=0-9223372036854775807", "bytes=9223372036854775807-9223372036854775807", "bytes=-9223372036854775808",
    "bytes=18446744073709551615-18446744073709551616", "a" * 255, "a" * 256, "a" * 4_096, LONG_TEXT,
]
# JSON that is no text and no number.
OTHERS = ["null", "true", "false", "[]", "{}", "[null]", "[[]]", '{"":null}', "[1,2,3,4,5,6,7,8,9]", "[9223372036854775807]"]
TEXTS = [*NUMBERS, *DATES, *WORDS, *OTHERS, "[-1e308,1e308]", '"9223372036854775807"', '[9223372036854775807,-1]']
# The texts of JSON values.
VALUES = [*NUMBERS, *OTHERS, *(json.dumps(text) for text in [*DATES, *WORDS, *NUMBERS[::4]])]
# The value that an edge replaces.
PLACE = "@edge@"


def places(value, path=()):
    """The paths of all parts of a JSON value, the whole first."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in items:
        yield from places(part, (*path, name))


def replaced(value, path, part):
    """The value with the part at a path replaced."""
    if not path:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], part)
    return copy


def text_of(value, path, edge):
    """The JSON text of a value whose part at a path is the edge, which is itself the text of a value."""
    return json.dumps(replaced(value, path, PLACE)).replace(json.dumps(PLACE), edge)


def variations(value, edges=VALUES):
    """Every variation of a JSON value with one part replaced by an edge, as texts."""
    for path in places(value):
        for edge in edges:
            yield path, edge, text_of(value, path, edge)


def members(value):
    """The paths of all members of objects, at any depth."""
    return [path for path in places(value) if path and isinstance(path[-1], str)]


def renamed(value, path, name):
    """The value with another name of the member at a path."""
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    return replaced(value, path[:-1], {name if old == path[-1] else old: part for old, part in parent.items()})


def varied_names(value):
    """Every variation of an object with one name of a member, at any depth, replaced by a text."""
    for path in members(value):
        for edge in (*NUMBERS[:4], "", "\u00e9", LONG_TEXT[:5_000]):
            yield path, edge, json.dumps(renamed(value, path, edge))


def quoted(text, safe=""):
    return urllib.parse.quote(text, safe=safe)


def short(value):
    """A value as a message shows it."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) < 300 else f"{text[:280]}… ({len(text)} characters)"


class Draw:
    """Draws from lists by a seed."""

    def __init__(self, seed=SEED, salt=""):
        self.random = random.Random(f"{seed}{salt}")

    def one(self, items):
        return self.random.choice(items)

    def sample(self, items, count):
        items = list(items)
        return items if len(items) <= count else self.random.sample(items, count)

    def often(self, share):
        return self.random.random() < share

    def variation(self, value):
        """A path, an edge, and the text of a variation of a JSON value; sometimes two parts or a name are replaced."""
        all, names = list(places(value)), members(value)
        if names and self.often(0.1):
            path, edge = self.one(names), self.one(WORDS)
            return path, edge, json.dumps(renamed(value, path, edge))
        path, edge = self.one(all), self.one(VALUES)
        if len(all) > 2 and self.often(0.2):
            other = self.one(all)
            if other[:len(path)] != path and path[:len(other)] != other:
                second = self.one(VALUES)
                text = json.dumps(replaced(replaced(value, path, PLACE), other, PLACE + "2"))
                text = text.replace(json.dumps(PLACE + "2"), second).replace(json.dumps(PLACE), edge)
                return (path, other), (edge, second), text
        return path, edge, text_of(value, path, edge)
