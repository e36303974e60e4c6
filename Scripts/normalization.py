#!/usr/bin/env python3
"""Writes the table of Unicode's canonical decompositions: Sources/C/CText/Data/normalization.bin.

    Scripts/normalization.py [FILE]

It asks Debian's ICU 72 (package libicu72). The syllables of Hangul are not in the table: they follow from a rule.
`Data/README.md` describes the format."""

import ctypes as c
import struct
import sys

ICU = 72
FORMAT = 1
POINTS = [*range(0xD800), *range(0xE000, 0x110000)]
HANGUL = range(0xAC00, 0xD7A4)
# Full-width and half-width forms.
WIDE = range(0xFF00, 0xFFF0)


def function(name, result, *arguments):
    found = getattr(common, f"{name}_{ICU}")
    found.restype, found.argtypes = result, arguments
    return found


common = c.CDLL(f"libicuuc.so.{ICU}")
pointer, number = c.c_void_p, c.c_int32
status = c.c_int(0)
composition = function("unorm2_getNFCInstance", pointer, pointer)(c.byref(status))
compatibility = function("unorm2_getNFKCInstance", pointer, pointer)(c.byref(status))
raw_decomposition = function("unorm2_getRawDecomposition", number, pointer, number, pointer, number, pointer)
decomposition = function("unorm2_getDecomposition", number, pointer, number, pointer, number, pointer)
compose_pair = function("unorm2_composePair", number, pointer, number, number)
combining_class = function("unorm2_getCombiningClass", c.c_uint8, pointer, number)
digit_value = function("u_charDigitValue", number, number)
assert status.value == 0, "ICU has no data"


def decomposed(ask, form, point):
    """The characters of a decomposition; none if there is no decomposition."""
    units = c.create_string_buffer(64)
    count = ask(form, point, units, 32, c.byref(status))
    return [ord(character) for character in units.raw[:2 * count].decode("utf-16-le")] if count > 0 else []


decompositions, classes, digits, wide = [], [], [], []
for point in POINTS:
    parts = decomposed(raw_decomposition, composition, point)
    if parts and point not in HANGUL:
        assert len(parts) <= 2
        composes = len(parts) == 2 and compose_pair(composition, *parts) == point
        decompositions.append((point, parts[0], parts[1] if len(parts) == 2 else 0, int(composes)))
    if mark_class := combining_class(composition, point):
        if classes and classes[-1][1] == point - 1 and classes[-1][2] == mark_class:
            classes[-1][1] = point
        else:
            classes.append([point, point, mark_class])
    if digit_value(point) == 0:
        assert [digit_value(point + value) for value in range(10)] == [*range(10)], hex(point)
        digits.append(point)
    if point in WIDE and (parts := decomposed(decomposition, compatibility, point)):
        wide.append((point, parts[0]))
assert status.value == 0

# The rows that compose, in the order of their two parts.
pairs = sorted((first, second, row) for row, (_, first, second, composes) in enumerate(decompositions) if composes)
words = [FORMAT, len(decompositions), len(pairs), len(classes), len(digits), len(wide)]
for row in [*(row[:3] for row in decompositions), [row for _, _, row in pairs], *classes, digits, *wide]:
    words += row
path = sys.argv[1] if len(sys.argv) > 1 else "Sources/C/CText/Data/normalization.bin"
with open(path, "wb") as file:
    file.write(struct.pack(f"<{len(words)}I", *words))
