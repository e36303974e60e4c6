"""Each symbol that another module can use has a docstring (issue 24)."""

import re
import subprocess

from conftest import ROOT

SYMBOL = re.compile(r"^( *)(?:@\w+(?:\(.*?\))? )*(?:public|package)(?:\(set\))? "
                    r"(?:(?:static|final|indirect|mutating|nonmutating|nonisolated|consuming|private\(set\)|package\(set\)|class) )*"
                    r"(func|var|let|init|struct|class|enum|actor|protocol|typealias|subscript)\b[ ?]*(<|[^\s(:<{]*)")
TYPE = re.compile(r"^( *)(?:@\w+(?:\(.*?\))? )*(?:\w+ )*(?:struct|class|enum|actor|extension) [\w.]+(?:<[^>]*>)?(?:: (.*))?")
# The requirements of the standard library's protocols: each conforming type has them, and they are documented there.
STANDARD = {
    "func ==", "func <", "func hash", "func encode", "func next", "func makeIterator", "func makeAsyncIterator", "func callAsFunction",
    "var description", "var debugDescription", "var errorDescription", "var startIndex", "var endIndex", "var rawValue", "let rawValue",
    "let description", "func index", "var hashValue", "func run", "func validate", "typealias Element", "typealias AsyncIterator",
    "typealias Iterator", "struct Iterator", "struct AsyncIterator", "init from", "init rawValue", "init stringLiteral",
    "init arrayLiteral", "init dictionaryLiteral", "init integerLiteral", "init floatLiteral", "init booleanLiteral", "init nilLiteral"}


def sources():
    run = subprocess.run(["git", "ls-files", "Sources", "Examples"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / path for path in run.stdout.splitlines() if path.endswith(".swift")]


def label(match, line):
    kind, name = match.group(2), match.group(3)
    if kind == "init":
        name = (re.search(r"init[?!]?(?:<[^>]*>)?\((\w+)", line) or [None, ""])[1]
    return f"{kind} {name}".strip()


def requirements():
    """The names of the requirements of each protocol of the package. A type that conforms inherits their docstrings."""
    names, inherited = {}, {}
    for source in sources():
        protocol = None
        for line in source.read_text().splitlines():
            if begun := re.match(r"^(?:\w+ )*protocol (\w+)(.*)", line):
                protocol = names.setdefault(begun.group(1), set())
                inherited[begun.group(1)] = re.findall(r"\w+", begun.group(2))
            elif line == "}":
                protocol = None
            elif protocol is not None and (named := re.match(r"^ {4}(?:(?:static|mutating|nonisolated) )*(?:func|var) (\w+)", line)):
                protocol.add(named.group(1))
    def all_names(protocol):
        return names.get(protocol, set()).union(*(all_names(other) for other in inherited.get(protocol, ())))
    return {protocol: all_names(protocol) for protocol in names}


def attribute(lines, end):
    """The line at which an attribute of several lines begins, such as `@Option(`; `None` if another text ends there."""
    for number in range(end, max(end - 12, 0), -1):
        if re.match(r"^ *@\w+\($", lines[number]):
            return number
        if re.match(r"^ *(public|package|private|func|var|let|init)\b|^ *\}?$", lines[number]):
            return None
    return None


def undocumented(source, known):
    lines = source.read_text().splitlines()
    types = []
    for number, line in enumerate(lines):
        if header := TYPE.match(line):
            end = next((later for later in range(number, min(number + 6, len(lines))) if "{" in lines[later]), number)
            text = " ".join(lines[number:end + 1])
            types = [(indent, names) for indent, names in types if indent < len(header.group(1))]
            types.append((len(header.group(1)), set(re.findall(r"\w+", text.split(":", 1)[1])) if ":" in text else set()))
        symbol = SYMBOL.match(line)
        if not symbol or " override " in line:
            continue
        above = number - 1
        while not lines[above].strip().startswith("///"):
            if lines[above].strip().startswith(("@", "#if", "#else", "#elseif")):
                above -= 1
            elif lines[above].strip().endswith(")") and (begun := attribute(lines, above)) is not None:
                above = begun - 1
            else:
                break
        if lines[above].strip().startswith("///") or label(symbol, line) in STANDARD:
            continue
        conformances = {name for indent, names in types if indent < len(symbol.group(1)) for name in names}
        if not any(symbol.group(3) in known.get(name, ()) for name in conformances):
            yield f"{source.relative_to(ROOT)}:{number + 1}: {line.strip()}"


def test_each_symbol_of_other_modules_has_a_docstring():
    known = requirements()
    missing = [line for source in sources() for line in undocumented(source, known)]
    assert not missing, "\n".join(missing)


def test_the_architecture_is_a_page_of_250_lines():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 250
