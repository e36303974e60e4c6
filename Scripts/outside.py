#!/usr/bin/env python3
"""Checks numbers and texts from outside: CONTRIBUTING.md, "What comes from outside".

  Scripts/outside.py            checks numbers, texts and keys
  Scripts/outside.py numbers    conversions and operators that end the process, in files that parse or reduce
  Scripts/outside.py texts      comparisons by characters or canonical equality, in all files;
                                it needs the modules of `swift build --build-tests`
  Scripts/outside.py keys       dictionaries and sets with texts as keys, which Swift compares by canonical equality

Prints each finding as FILE:LINE: TEXT, and ends with status 1 if there are any. A line that is right although a rule names
it has a comment `// Bounded: REASON` or `// Exact: REASON`, on the line or on the line before. Above the declaration of a set
of texts, `// Exact: REASON` applies to all uses of the set in the file.

The check of texts does not see the `==` that the compiler makes for a type, and a character that is compared with a literal.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The files that parse numbers of requests, documents, files and peers.
PARSERS = """
GodwitViews/Reduces/* GodwitViews/Spans/* GodwitViews/Groups/* GodwitViews/Queries/*Cursor*
GodwitStore/Databases/DatabaseState* GodwitStore/Databases/DatabaseIdentity* GodwitStore/Databases/Catalogue+Journal*
GodwitStore/Databases/UpdateSequence* GodwitStore/Indexes/IndexTable* GodwitStore/Indexes/Database+CatchingUp*
GodwitStore/Attachments/* GodwitStore/Documents/DocumentRow* GodwitStore/Documents/DocumentTable*
GodwitStore/Documents/ReservedMembers* GodwitStore/Documents/WriteTransaction+Local* GodwitStore/Revisions/* GodwitStore/Upkeep/*
GodwitStore/Encryption/PageConversion* GodwitStore/Support/ByteCoding* GodwitStore/Values/ISO8601*
GodwitSync/Endpoints/* GodwitSync/Machine/* GodwitTransport/* GodwitSync/Client/*
GodwitText/Indexes/TextTables* GodwitText/Indexes/TextColumns* GodwitText/Indexes/TextContent* GodwitText/Search/TextPosition*
GodwitText/Search/SearchBookmark* GodwitText/Search/TextFragments*
GodwitQuery/Running/Bookmark* GodwitQuery/Running/JSONAccess* GodwitQuery/Indexes/JSONIndexWriter*
GodwitPlaces/Indexes/* GodwitPlaces/Packing/* GodwitPlaces/Queries/GeoBookmark* GodwitPlaces/Queries/GeoScan*
GodwitPlaces/Geometry/Geometry+WellKnownBinary* GodwitPlaces/Geometry/WellKnownTextReader*
GodwitPlaces/Geometry/GeometryReader* GodwitPlaces/Geometry/GeometryBuilder* GodwitTransport/Multipart/* GodwitExchange/* GodwitCloudantImport/* GodwitKeys/WrappedKey+JSON* GodwitKeys/ScryptCost*
GodwitServer/HTTP/* GodwitServer/Accounts/* GodwitServer/Feeds/* GodwitServer/Queries/* GodwitServer/Views/*
GodwitServer/Places/* GodwitServer/Documents/* GodwitServer/Databases/* GodwitServer/Functions/* GodwitServer/Replication/*
GodwitServer/Settings/* GodwitServer/Maps/*
GodwitBackend/Devices/* GodwitBackend/SecondFactor/* GodwitBackend/Passkeys/* GodwitBackend/Accounts/*
GodwitBackend/Applications/* GodwitBackend/Providers/* GodwitBackend/Mail/* GodwitBackend/Identity*/*
GodwitObjects/* GodwitObjects/*/* GodwitObjects/Files/* GodwitObjectStore/*/*
"""

# The files that add up numbers of documents and of stored rows.
REDUCERS = "GodwitViews/Reduces/*"

# Files that compare words of a language. Canonically equivalent texts are the same word.
WORDS = "GodwitText/Analysis/TextStopWords*"

SAFE_LABELS = "exactly:|clamping:|truncatingIfNeeded:|bitPattern:|bigEndian:|littleEndian:|ascii:|saturating:"
NARROWING = re.compile(rf"(?<![\w.])(?:U?Int(?:8|16|32)|UInt(?:64)?)\((?!{SAFE_LABELS}|\d|\))")
FORCED = re.compile(r"(?<=[\w)\]])!(?![=\w(])|\btry!|\bas!")
# A byte is widened.
WIDENED = re.compile(r"UInt(?:16|32|64)?\((?:\$1|byte|digit|try reader\.byte\(\)|nextByte & 0x7f)\)")
# The name of a header is a literal, so that its test is the first start of the program.
HEADER_NAME = re.compile(r'HTTPField\.Name\(""\)!|HTTPRequest\.Method\(""\)!')
ARITHMETIC = re.compile(r"[\w)\]] (?:\*|\+|-|<<) (?=[a-zA-Z(])|[\w)\]] (?:\+|-|\*|<<)= (?=[a-zA-Z(])")
TEXTUAL = re.compile(r'""|\.utf8|\[|bytes|key|\bDouble|doubleValue')


def files(globs):
    # A list of common passwords is no code.
    found = (file for glob in globs.split() for file in ROOT.glob(f"Sources/*/{glob}") if file.suffix == ".swift" and file.name != "CommonPasswords.swift")
    return sorted(set(found))


def code_of(line):
    """The line without texts and comments."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//")[0]


def numbers():
    findings = []
    reducers = set(files(REDUCERS))
    for file in sorted(set(files(PARSERS)) | reducers):
        lines = file.read_text().split("\n")
        for index, line in enumerate(lines):
            if "// Bounded:" in line or index and lines[index - 1].lstrip().startswith("// Bounded:"):
                continue
            code = WIDENED.sub("", HEADER_NAME.sub("", code_of(line)))
            wrong = NARROWING.search(code) or FORCED.search(code)
            if file in reducers and not TEXTUAL.search(code):
                wrong = wrong or ARITHMETIC.search(code)
            if wrong:
                findings.append((file, index + 1, line))
    return findings


def arguments(module):
    """The options with which the module is compiled, from the build's description."""
    description = (ROOT / ".build/debug.yaml").read_text()
    start = description.index(f'"C.{module}-')
    words = json.loads(re.search(r"args: (\[.*?\])\n", description[start:])[1])
    taken = ("-module-name", "-package-name", "-swift-version", "-Xcc", "-I", "-enable-upcoming-feature", "-sdk", "-target",
             "-enable-experimental-feature", "-module-cache-path", "-F", "-resource-dir")
    options, index = [], 1
    while index < len(words):
        if words[index] in taken:
            options += words[index:index + 2]
            index += 1
        elif words[index].startswith("-D"):
            options.append(words[index])
        index += 1
    return options


# A literal of ASCII is equal to no other text. The exceptions are K, the semicolon and the grave accent, which have
# canonical equivalents.
PLAIN = r'"(?:[^"K;`\\\x80-\U0010ffff]|\\[tnr0"\\])*"'
PLAIN_LIST = rf"\[(?:\s|//[^\n]*|{PLAIN},?)+\]"
MODIFIERS = r"(?:(?:package|public|private|fileprivate|final|indirect|nonisolated|static) )*"
TYPE = re.compile(rf"( *){MODIFIERS}(?:struct|class|enum|extension|actor|protocol) (?:\w+\.)*(\w+)")
CONSTANT = re.compile(
    rf"^(?: *{MODIFIERS}static |{MODIFIERS})(?:let (\w+)(?:: [\w<>\[\]]+)? = (?:{PLAIN}$|(?:Set\()?{PLAIN_LIST})"
    rf"|var (\w+): String \{{ {PLAIN} \}}$)", re.M)
NAME = r"[A-Za-z_][\w.]*"


# A set or a dictionary whose declaration follows a comment `// Exact: REASON`, up to the next empty line.
EXACT_SET = re.compile(r"(?:let|var) (\w+).*(?:Set<String>|\[String: )")


def owners(lines, index):
    """The types that contain a line, from the innermost to the outermost, and an empty text for the file."""
    found, indentation = [], len(lines[index]) - len(lines[index].lstrip())
    for line in reversed(lines[:index]):
        match = TYPE.match(line)
        if match and len(match[1]) < indentation:
            indentation = len(match[1])
            found.append(match[2])
    return found + [""]


def constants(file):
    """The constants of a file that are such literals, or lists of them, as Type.name."""
    text = file.read_text()
    lines = text.split("\n")
    return {f"{owners(lines, text.count(chr(10), 0, found.start()))[0]}.{found[1] or found[2]}" for found in CONSTANT.finditer(text)}


def exact_sets(lines):
    """The names of the sets and dictionaries whose declarations say why their texts are exact."""
    names, is_exact = set(), False
    for line in lines:
        is_exact = bool(line) and (is_exact or "// Exact:" in line)
        match = EXACT_SET.search(line)
        if is_exact and match:
            names.add(match[1])
    return names


def is_plain(operand, owners, known):
    """Whether an operand is such a literal, `nil`, such a constant, or the raw value of a case, whose name is ASCII."""
    if operand.startswith(('"', "[")) or operand == "nil":
        return True
    words = operand.split(".")
    if words[-1] == "rawValue":
        return words[0][0].isupper()
    if words[0] == "Self":
        return any(f"{owner}.{words[-1]}" in known for owner in owners)
    return ".".join(["", *words][-2:]) in known


def is_exact(lines, index, column, message, known):
    """Whether a comparison has a reason, or an operand that is equal to no other text."""
    line = lines[index]
    if "// Exact:" in line or lines[index - 1].lstrip().startswith("// Exact:"):
        return True
    before, after = line[:column - 1], line[column - 1:]
    if "in a list" in message:
        operands = [re.search(rf"({NAME}|{PLAIN_LIST})\.$", before), re.match(rf"\w+\((?:of: )?({PLAIN}|{NAME})\)", after)]
        words = re.findall(r"\w+(?=\.$)", before)
        if words and words[0] in exact_sets(lines):
            return True
    elif "by characters" in message:
        return False
    elif "'~='" in message:
        operands = [re.match(rf"({PLAIN}|[\w.]*)", re.search(r"[\w.]*$", before)[0] + after)]
    elif re.search("'[=!]='", message):
        operands = [re.match(rf"[=!]= ({PLAIN}|{NAME})(?![\w(\[]| \+)", after),
                    re.search(rf"(?<![\w.])({PLAIN}|{NAME}) $", before)]
    else:
        return False
    return any(found and is_plain(found[1], owners(lines, index), known) for found in operands)


def warnings(module, folder):
    """The uses of the probe in a module, as file, line, column and message."""
    sources = sorted(folder.rglob("*.swift"))
    # Macros such as `@TaskLocal`.
    plugins = pathlib.Path(shutil.which("swiftc")).resolve().parents[1] / "lib/swift/host/plugins"
    with tempfile.TemporaryDirectory() as folder:
        # In a deprecated declaration, the compiler does not name uses of the probe.
        originals = {f"{folder}/{index}.swift": source for index, source in enumerate(sources)}
        for copy, source in originals.items():
            pathlib.Path(copy).write_text(re.sub(r"@available\(\*, deprecated[^)]*\)", "", source.read_text()))
        # `-frontend` checks all files in one process and reports every finding. The probe makes each comparison by
        # characters deprecated.
        answer = subprocess.run(
            ["swiftc", "-frontend", "-typecheck", "-diagnostic-style", "llvm", "-plugin-path", plugins, *arguments(module),
             *originals, str(ROOT / "Scripts/outside-probe.swift")],
            capture_output=True, text=True, check=False)
    if "cannot" in answer.stderr and "no such module" in answer.stderr:
        sys.exit(f"Build first: swift build --build-tests\n{answer.stderr[:500]}")
    found = re.findall(r"^(\S+\.swift):(\d+):(\d+): (?:error|warning): (.*TEXT.*)$", answer.stderr, re.M)
    return {(originals[path], int(number), int(column), message) for path, number, column, message in found if path in originals}


def texts():
    findings = []
    modules = {path.name: path for path in sorted(ROOT.glob("Sources/*/*")) if any(path.rglob("*.swift"))}
    known = {name for folder in modules.values() for file in folder.rglob("*.swift") for name in constants(file)}
    left_out = set(files(WORDS))
    for file, number, column, message in (warning for module in modules.items() for warning in warnings(*module)):
        lines = file.read_text().split("\n")
        if file not in left_out and not is_exact(lines, number - 1, column, message, known):
            findings.append((file, number, lines[number - 1]))
    return findings


# Dictionaries and sets whose keys are texts, in each module: names that are constants of the program, ASCII by their grammar, or of
# the public API. Another one has a comment `// Exact: REASON`, or keys of the type `ExactText`. The numbers only become smaller.
TEXT_KEYS = {
    "GodwitAccess": 1, "GodwitBackend": 43, "GodwitClientNIO": 1, "GodwitCloudantCompat": 27, "GodwitCloudantImport": 5,
    "GodwitExchange": 6, "GodwitHost": 4, "GodwitObjectStore": 9, "GodwitObjects": 45, "GodwitSQLite": 2,
    "GodwitSelector": 3, "GodwitServer": 32, "GodwitStore": 27, "GodwitSync": 2, "GodwitText": 10, "GodwitViews": 1}


def keys():
    findings = []
    for folder in sorted(ROOT.glob("Sources/*/*")):
        found = []
        for file in sorted(folder.rglob("*.swift")):
            lines = file.read_text().split("\n")
            found += [(file, number, line) for number, line in enumerate(lines, 1)
                      if re.search(r"\[String: |Set<String>", line) and not line.lstrip().startswith("//")
                      and "// Exact:" not in line and "// Exact:" not in lines[number - 2]]
        if len(found) > TEXT_KEYS.get(folder.name, 0):
            print(f"{folder.name} has {len(found)} dictionaries and sets of texts, and had {TEXT_KEYS.get(folder.name, 0)}:", file=sys.stderr)
            findings += found
    return findings


def main():
    checks = {"numbers": numbers, "texts": texts, "keys": keys}
    names = sys.argv[1:] or list(checks)
    if not set(names) <= set(checks):
        sys.exit(__doc__)
    findings = sorted({finding for name in names for finding in checks[name]()})
    for file, number, line in findings:
        print(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    sys.exit(1 if findings else 0)


main()
