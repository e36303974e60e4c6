#!/usr/bin/env python3
"""Checks the sources that read numbers and compare texts from outside: CONTRIBUTING.md, "What comes from outside".

  Scripts/outside.py            checks numbers, then texts
  Scripts/outside.py numbers    conversions and operators that end the process, in files that parse or reduce
  Scripts/outside.py texts      comparisons by characters or canonical equality, in files that protect something;
                                it needs the modules of `swift build --build-tests`

Prints each finding as FILE:LINE: TEXT, and ends with status 1 if there are any. A line that is right although a rule names
it has a comment `// Bounded: REASON` or `// Exact: REASON`, on the line or on the line before.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The files that parse numbers of requests, documents, files and peers.
PARSERS = """
GodwitViews/Reduces/* GodwitViews/Spans/* GodwitViews/Groups/* GodwitViews/Queries/*Cursor*
GodwitStore/Databases/DatabaseState* GodwitStore/Databases/DatabaseIdentity* GodwitStore/Databases/Catalogue+Journal*
GodwitStore/Databases/UpdateSequence* GodwitStore/Indexes/IndexTable* GodwitStore/Indexes/Database+CatchingUp*
GodwitStore/Attachments/* GodwitStore/Documents/DocumentRow* GodwitStore/Documents/DocumentTable*
GodwitStore/Documents/ReservedMembers* GodwitStore/Documents/WriteTransaction+Local* GodwitStore/Revisions/* GodwitStore/Upkeep/*
GodwitStore/Encryption/PageConversion* GodwitStore/Support/ByteCoding* GodwitStore/Values/ISO8601*
GodwitSync/Endpoints/* GodwitSync/Machine/* GodwitClient/Wire/* GodwitClient/Database/*
GodwitText/Indexes/TextTables* GodwitText/Indexes/TextColumns* GodwitText/Indexes/TextContent* GodwitText/Search/TextPosition*
GodwitText/Search/SearchBookmark* GodwitText/Search/TextFragments*
GodwitQuery/Running/Bookmark* GodwitQuery/Running/JSONAccess* GodwitQuery/Indexes/JSONIndexWriter*
GodwitPlaces/Indexes/* GodwitPlaces/Packing/* GodwitPlaces/Queries/GeoBookmark* GodwitPlaces/Queries/GeoScan*
GodwitGeo/Geometry+WellKnownBinary* GodwitGeo/WellKnownTextReader* GodwitGeo/GeometryReader* GodwitGeo/GeometryBuilder*
GodwitMultipart/* GodwitExchange/* GodwitCloudantImport/* GodwitKeys/WrappedKey+JSON* GodwitKeys/ScryptCost*
GodwitServer/HTTP/* GodwitServer/Accounts/* GodwitServer/Feeds/* GodwitServer/Queries/* GodwitServer/Views/*
GodwitServer/Places/* GodwitServer/Documents/* GodwitServer/Databases/* GodwitServer/Functions/* GodwitServer/Replication/*
GodwitServer/Settings/* GodwitServer/Maps/*
GodwitBackend/Devices/* GodwitBackend/SecondFactor/* GodwitBackend/Passkeys/* GodwitBackend/Accounts/*
GodwitBackend/Applications/* GodwitBackend/Providers/* GodwitBackend/Mail/* GodwitIdentity/* GodwitIdentity/*/*
GodwitObjects/* GodwitObjects/*/* GodwitObjectFiles/* GodwitObjectStore/*/*
"""

# The files that add up numbers of documents and of stored rows.
REDUCERS = "GodwitViews/Reduces/*"

SAFE_LABELS = "exactly:|clamping:|truncatingIfNeeded:|bitPattern:|bigEndian:|littleEndian:|ascii:|saturating:"
NARROWING = re.compile(rf"(?<![\w.])(?:U?Int(?:8|16|32)|UInt(?:64)?)\((?!{SAFE_LABELS}|\d|\))")
FORCED = re.compile(r"(?<=[\w)\]])!(?![=\w(])|\btry!|\bas!")
# A byte is widened.
WIDENED = re.compile(r"UInt(?:16|32|64)?\((?:\$1|byte|digit|try reader\.byte\(\)|nextByte & 0x7f)\)")
# The name of a header is a literal, so that its test is the first start of the program.
CONSTANT = re.compile(r'HTTPField\.Name\(""\)!|HTTPRequest\.Method\(""\)!')
ARITHMETIC = re.compile(r"[\w)\]] (?:\*|\+|-|<<) (?=[a-zA-Z(])|[\w)\]] (?:\+|-|\*|<<)= (?=[a-zA-Z(])")
TEXTUAL = re.compile(r'""|\.utf8|\[|bytes|key|\bDouble|doubleValue')


def files(globs):
    # A list of common passwords is no code.
    found = (file for glob in globs.split() for file in ROOT.glob(f"Sources/{glob}") if file.suffix == ".swift" and file.name != "CommonPasswords.swift")
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
            code = WIDENED.sub("", CONSTANT.sub("", code_of(line)))
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


# A literal of ASCII is equal to no other text, except with these characters, which have canonical equivalents: K ; `
PLAIN = r'"(?:[^"K;`\\\x80-\U0010ffff]|\\[tnr0"\\])*"'
PLAIN_LIST = rf"\[\s*(?:{PLAIN},?\s*)+\]"
TYPE = re.compile(r"^\s*(?:(?:package|public|private|fileprivate|final|indirect|nonisolated) )*(?:struct|class|enum|extension|actor|protocol) (?:\w+\.)*(\w+)", re.M)
CONSTANT_TEXT = re.compile(rf"static (?:let|var) (\w+)(?:: String)? (?:= {PLAIN}$|\{{ {PLAIN} \}}$)", re.M)
CONSTANT_LIST = re.compile(rf"static let (\w+)(?:: [\w<>\[\]]+)? = (?:Set\()?{PLAIN_LIST}", re.M)
OPERAND = rf"(?:{PLAIN}|nil\b|[\w.]+)"


def type_at(text, place):
    """The type whose declaration or extension precedes a place of a file."""
    found = "Self"
    for match in TYPE.finditer(text, 0, place):
        found = match[1]
    return found


def constants(sources, pattern):
    """The constants of the sources that are such literals, as Type.name."""
    found = set()
    for text in sources:
        found |= {f"{type_at(text, match.start())}.{match[1]}" for match in pattern.finditer(text)}
    return found


def is_plain(operand, owner, known):
    """Whether an operand is a literal, or a constant of the sources, that is equal to no other text."""
    words = operand.split(".")
    if words[-1] == "rawValue" and len(words) > 2 and words[-3][0].isupper():
        return True
    return operand.startswith('"') or operand == "nil" or ".".join([owner, *words][-2:]).replace("Self.", f"{owner}.") in known


def is_safe_comparison(line, column, message, owner, known):
    """Whether the comparison has an operand that is equal to no other text."""
    before, after = line[:column - 1], line[column - 1:]
    if "in a list" in message:
        before = line[:column - 1 + len("contains")]
        named = re.search(r"([\w.]+)\.(?:contains|firstIndex)$", line[:column - 1] + re.match(r"\w*", after)[0])
        return bool(re.match(rf"\w+\((?:of: )?{PLAIN}\)", after)) or bool(named) and is_plain(named[1], owner, known) \
            or bool(re.search(rf"{PLAIN_LIST}\.$", line[:column - 1]))
    if "by characters" in message or not re.search(r"'[=!~]=|operator '[=!~]=", message):
        return False
    operands = re.match(rf"(?:[=!]= )?({OPERAND})(?!\w|[.(\[]| \+)", after), re.search(rf"(?<![\w.])({OPERAND}) ?$", before)
    return any(is_plain(operand[1], owner, known) for operand in operands if operand)


def texts():
    findings = []
    modules = sorted({file.relative_to(ROOT / "Sources").parts[0] for file in ROOT.glob("Sources/*/**/*.swift")})
    everything = [file.read_text() for file in ROOT.glob("Sources/*/**/*.swift")]
    known = constants(everything, CONSTANT_TEXT) | constants(everything, CONSTANT_LIST)
    for module in modules:
        sources = sorted((ROOT / "Sources" / module).rglob("*.swift"))
        # `-frontend` checks all files in one process and reports every finding. The probe makes each comparison by
        # characters deprecated.
        answer = subprocess.run(
            ["swiftc", "-frontend", "-typecheck", "-diagnostic-style", "llvm", *arguments(module), *map(str, sources),
             str(ROOT / "Scripts/outside-probe.swift")],
            capture_output=True, text=True, check=False)
        if "cannot" in answer.stderr and "no such module" in answer.stderr:
            sys.exit(f"Build first: swift build --build-tests\n{answer.stderr[:500]}")
        pattern = re.compile(r"^(\S+\.swift):(\d+):(\d+): (?:error|warning): (.*)$", re.M)
        for path, number, column, message in set(pattern.findall(answer.stderr)):
            file, number = pathlib.Path(path), int(number)
            if "TEXT" not in message:
                continue
            text = file.read_text()
            lines = text.split("\n")
            line = lines[number - 1]
            if "// Exact:" in line or lines[number - 2].lstrip().startswith("// Exact:"):
                continue
            owner = type_at(text, len("\n".join(lines[:number - 1])))
            if not is_safe_comparison(line, int(column), message, owner, known):
                findings.append((file, number, line))
    return findings


def main():
    checks = {"numbers": numbers, "texts": texts}
    names = sys.argv[1:] or list(checks)
    if not set(names) <= set(checks):
        sys.exit(__doc__)
    findings = sorted({finding for name in names for finding in checks[name]()})
    for file, number, line in findings:
        print(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    sys.exit(1 if findings else 0)


main()
