#!/usr/bin/env python3
"""Writes the table of CLDR's root collation: Sources/C/CSelector/Data/collation.bin.

    Scripts/collation.py [FILE]

It asks Debian's ICU 72 (package libicu72) for the collation elements of each code point and of each contraction. What
follows from a rule is not in the table: the syllables of Hangul, and code points that are not assigned. The script checks
that the rules give the same elements. `Data/README.md` describes the format."""

import ctypes as c
import struct
import sys

ICU = 72
FORMAT = 1
BLOCK = 64
# The blocks with assigned code points, but those for private use.
PLANES = [*range(0, 0x34000 // BLOCK), *range(0xE0000 // BLOCK, 0xE1000 // BLOCK)]


def function(library, name, result, *arguments):
    found = getattr(library, f"{name}_{ICU}")
    found.restype, found.argtypes = result, arguments
    return found


common, i18n = c.CDLL(f"libicuuc.so.{ICU}"), c.CDLL(f"libicui18n.so.{ICU}")
pointer, number = c.c_void_p, c.c_int32
status = c.c_int(0)
collator = function(i18n, "ucol_open", pointer, c.c_char_p, pointer)(b"", c.byref(status))
iterator = function(i18n, "ucol_openElements", pointer, pointer, pointer, number, pointer)(
    collator, "a".encode("utf-16-le"), 1, c.byref(status))
set_text = function(i18n, "ucol_setText", None, pointer, pointer, number, pointer)
sort_key = function(i18n, "ucol_getSortKey", number, pointer, pointer, number, pointer, number)
next_order = function(i18n, "ucol_next", number, pointer, pointer)
assert status.value == 0, "ICU has no data"


def elements(text):
    """The collation elements of a text, as in the table."""
    units = text.encode("utf-16-le", "surrogatepass")
    set_text(iterator, units, len(units) // 2, c.byref(status))
    found = []
    while (order := next_order(iterator, c.byref(status))) != -1:
        order &= 0xFFFFFFFF
        primary, secondary, tertiary = order >> 16, order >> 8 & 0xFF, order & 0x3F
        # ICU gives the lower halves of the three weights as a second number, with the two highest bits of the tertiary set.
        if order & 0xC0 == 0xC0:
            found[-1] |= primary << 32 | secondary << 16 | tertiary
        else:
            found.append(primary << 48 | secondary << 24 | tertiary << 8)
    return tuple(found)


def compressed(of_character):
    """The first bytes of primary weights that a key has once for several characters in a row, as 32 bytes with a bit each."""
    examples = {}
    for point, found in of_character.items():
        if len(found) == 1 and found[0] >> 48 & 0xFF:
            examples.setdefault(found[0] >> 56, chr(point))
    bits = bytearray(32)
    for first, character in examples.items():
        units, key = (character * 2).encode("utf-16-le"), c.create_string_buffer(64)
        sort_key(collator, units, len(units) // 2, key, len(key))
        weight = elements(character)[0] >> 32
        tail = weight.to_bytes(4, "big")[1:].rstrip(b"\0")
        if key.raw.startswith(bytes([first]) + tail + tail + b"\1"):
            bits[first >> 3] |= 1 << (first & 7)
        else:
            assert key.raw.startswith(2 * (bytes([first]) + tail) + b"\1"), hex(first)
    return bytes(bits)


def contractions():
    """The texts whose elements are not those of their characters, with those that depend on the character before."""
    new_set = function(common, "uset_openEmpty", pointer)
    found, rest = new_set(), new_set()
    function(i18n, "ucol_getContractionsAndExpansions", None, pointer, pointer, pointer, c.c_int8, pointer)(
        collator, found, rest, 1, c.byref(status))
    count = function(common, "uset_getItemCount", number, pointer)(found)
    item = function(common, "uset_getItem", number, pointer, number, pointer, pointer, pointer, number, pointer)
    texts, units = [], c.create_string_buffer(128)
    for index in range(count):
        first, last = c.c_int32(), c.c_int32()
        length = item(found, index, c.byref(first), c.byref(last), units, 64, c.byref(status))
        if length > 0:
            texts.append(units.raw[:2 * length].decode("utf-16-le"))
        else:
            texts += [chr(point) for point in range(first.value, last.value + 1)]
    texts = [text for text in texts if len(text) > 1]
    # A character that depends on the one before it does so after a contraction too.
    ends = {text[-2:] for text in texts if elements(text)[:len(elements(text[:-1]))] == elements(text[:-1])}
    return sorted({*texts, *(text + end[-1] for text in texts for end in ends if text[-1] == end[0])})


COMMON = 0x05000500
# The first bytes of the weights of ideographs.
IDEOGRAPHS = range(0xFA, 0xFE)


def unassigned(point):
    """The element of a code point without a weight of its own: lead byte FE, then three digits of the code point plus 1."""
    rest, fourth = divmod(point + 1, 18)
    rest, third = divmod(rest, 254)
    return (0xFE000000 | (4 + rest % 251) << 16 | (2 + third) << 8 | 2 + fourth * 14) << 32 | COMMON


def syllable(point):
    """The letters of a syllable of Hangul."""
    index = point - 0xAC00
    letters = [0x1100 + index // 588, 0x1161 + index // 28 % 21, 0x11A7 + index % 28]
    return letters if index % 28 else letters[:2]


def main():
    version = c.create_string_buffer(4)
    function(i18n, "ucol_getVersion", None, pointer, pointer)(collator, version)
    of_character = {}
    for point in range(0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        found = elements(chr(point))
        if 0xAC00 <= point < 0xD7A4:
            assert found == sum((elements(chr(letter)) for letter in syllable(point)), ()), hex(point)
        elif found != (unassigned(point),):
            of_character[point] = found
    # U+0378 is an example of all code points that are not assigned.
    bits = compressed(of_character | {0x378: (unassigned(0x378),)})
    texts = contractions()
    starts = {ord(text[0]) for text in texts}
    pool, places = [], {}

    def place(sequence):
        if sequence not in places:
            places[sequence] = len(pool)
            pool.extend(sequence)
        return places[sequence]

    blocks, numbers, index = [], {}, []
    for block in PLANES:
        entries = []
        for point in range(block * BLOCK, (block + 1) * BLOCK):
            found = of_character.pop(point, None)
            if found is None:
                entry = 0
            elif len(found) == 1 and found[0] >> 56 in IDEOGRAPHS and found[0] & 0xFF_FFFFFFFF == COMMON:
                entry = 0x7F << 24 | (found[0] >> 40) - (IDEOGRAPHS[0] << 16)
            else:
                assert len(found) < 0x7E
                entry = len(found) + 1 << 24 | place(found)
            entries.append(entry | (point in starts) << 31)
        entries = tuple(entries)
        if entries not in numbers:
            numbers[entries] = len(blocks)
            blocks.append(entries)
        index.append(numbers[entries])
    assert not of_character, [hex(point) for point in of_character][:20]
    rows = []
    for text in texts:
        assert len(text) <= 3
        first, second, third = [*map(ord, text), 0][:3]
        found = elements(text)
        rows.append((first << 42 | second << 21 | third, place(found) | len(found) << 24))
    rows.sort()
    out = struct.pack("<I4s4I", FORMAT, version.raw, len(index), len(blocks), len(pool), len(rows)) + bits + bytes(8)
    out += struct.pack(f"<{len(pool)}Q", *pool) + struct.pack(f"<{len(rows)}Q", *(points for points, _ in rows))
    out += struct.pack(f"<{len(rows)}I", *(found for _, found in rows))
    for block in blocks:
        out += struct.pack(f"<{BLOCK}I", *block)
    out += struct.pack(f"<{len(index)}H", *index)
    file = sys.argv[1] if len(sys.argv) > 1 else "Sources/C/CSelector/Data/collation.bin"
    with open(file, "wb") as target:
        target.write(out)
    print(f"{file}: {len(out)} bytes, {len(blocks)} blocks, {len(pool)} elements, {len(rows)} contractions")


main()
