#!/usr/bin/env bash
# Foundation of Swift 6.3 (Linux): two equal strings have different composed forms (NFC) if a Korean syllable lacks its last letter.
#
# A syllable may be written as one character, as three letters, or as a character of the first two letters and the third letter.
# Unicode's composed form of all three is the one character (UAX #15; The Unicode Standard, 3.12). precomposedStringWithCanonicalMapping
# composes the three letters, and leaves the character and the letter as they are. Swift's == says that all three are equal.
# A program that compares names by their composed form, as PRECIS (RFC 8265) asks for, takes one name for two. Python's unicodedata and
# ICU compose both.
#
# Seen with Swift 6.3.1 on Debian 12 in November 2026:
#   U+1100 U+1161 U+11A8: equal, composed to U+AC01; U+AC00 U+11A8: equal, remains U+AC00 U+11A8
set -euo pipefail

swiftc --version 2>&1 | grep -q "Swift version 6\.3" || { echo "This needs Swift 6.3 on the PATH."; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.swift <<'SWIFT'
import Foundation

let syllable = "\u{AC01}"
func isComposed(_ text: String) -> Bool {
    let composed = text.precomposedStringWithCanonicalMapping
    let points = composed.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    print("equal: \(text == syllable), composed form: \(points)")
    return composed.unicodeScalars.elementsEqual(syllable.unicodeScalars)
}
let (letters, mixed) = (isComposed("\u{1100}\u{1161}\u{11A8}"), isComposed("\u{AC00}\u{11A8}"))
exit(letters && !mixed ? 0 : 1)
SWIFT
swiftc -O main.swift -o forms 2>/dev/null
./forms
echo "As in November 2026: a syllable and its last letter are not composed."
