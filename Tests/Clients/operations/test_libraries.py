"""The libraries of programs, compared with the table in Examples/README.md, and the imports of targets,
with Package.swift (issue 23)."""

import functools
import json
import re
import subprocess

import pytest

from conftest import GODWIT, ROOT

# Libraries of every program: Swift's runtime and Foundation, and the C library.
USUAL = re.compile(r"libswift|lib_?Foundation|libdispatch|libBlocksRuntime|lib(c|m|gcc_s)\.so|ld-linux")


def table(page, heading):
    """The cells of the rows of a table that name a product or a module first."""
    section = (ROOT / page).read_text().split(heading)[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return [cells for cells in rows if "`" in cells[0] + cells[1]]


def rows():
    for product, program, links, _ in table("Examples/README.md", "## What a program links"):
        yield pytest.param(program.strip("`"), set(re.findall(r"`(.+?)`", links)), id=program.strip("`"))


def linked(program):
    dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic)
    return {name.split(".so")[0] for name in names if not USUAL.match(name)}


@pytest.mark.parametrize("program, libraries", list(rows()))
def test_what_a_program_links(program, libraries):
    path = ROOT / ".build/debug" / program if program != "godwit" else GODWIT
    assert linked(path) == libraries


@pytest.mark.parametrize("program", ["godwit", "geopix", "bluepic", "bluelist", "conversation", "location-tracker"])
def test_a_program_with_a_server_links_no_url_session(program):
    """In a release build its static library needs libcurl, which the programs open when they use it."""
    path = ROOT / ".build/debug" / program if program != "godwit" else GODWIT
    dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    assert "libFoundation" in dynamic and "libFoundationNetworking" not in dynamic


IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:(?:public|package) )?import (?:(?:struct|class|enum|func|protocol) )?(\w+)", re.M)


@functools.cache
def described(package):
    """The description of a package."""
    run = subprocess.run(["swift", "package", "dump-package"], cwd=package, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def targets(package=ROOT):
    """The targets of a package by name: the folder of each, and the modules that it declares as its dependencies."""
    known = {}
    for target in described(package)["targets"]:
        usual = f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}"
        modules = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        known[target["name"]] = (target["type"], package / (target.get("path") or usual), modules)
    return known


BRANCH = re.compile(r"#(?:else)?if\b.*(?:canImport\((?:Darwin|Android|Glibc|Musl|Security|Network|UIKit)\)|os\()")


def test_code_that_differs_between_systems_is_in_the_folder_of_platforms():
    """Elsewhere only imports differ, and a class of Foundation that Linux does not have."""
    faults = []
    for source in (ROOT / "Sources").rglob("*.swift"):
        name = source.relative_to(ROOT / "Sources")
        if "Platform" in str(name) or name.stem == "NSPredicate":
            continue
        for part in re.split(r"^ *(?=#if)", source.read_text(), flags=re.M)[1:]:
            if BRANCH.match(part):
                lines = part.split("#endif")[0].splitlines()
                faults += [f"{name}: {line}" for line in lines if not re.match(r" *(#|//|$|(@_exported )?(public )?import )", line)]
    assert not faults, "\n".join(faults)


PACKAGES = [ROOT, ROOT / "Examples"]


@pytest.mark.parametrize("package", PACKAGES, ids=["godwit", "examples"])
def test_targets_import_what_they_declare_and_declare_what_they_import(package):
    known = targets(package)
    products = {product["name"] for product in described(ROOT)["products"]}
    # A test that runs a program depends on it without an import.
    programs = {name for name, (kind, _, _) in known.items() if kind == "executable"}
    faults = []
    for name, (_, folder, declared) in known.items():
        sources = list(folder.rglob("*.swift"))
        if not sources:
            continue
        imported = {module for source in sources for module in IMPORT.findall(source.read_text())}
        faults += [f"{name} declares {module} and does not import it"
                   for module in declared - imported - programs - (products if package != ROOT else set())]
        faults += [f"{name} imports {module} and does not declare it"
                   for module in (imported & set(known)) - declared - {name}]
    assert not faults, "\n".join(sorted(faults))


def test_an_application_has_a_core_a_program_and_tests():
    examples = targets(ROOT / "Examples")
    folders = {}
    for name, (_, folder, _) in examples.items():
        if list(folder.glob("**/*.swift")):
            folders.setdefault(folder.relative_to(ROOT / "Examples").parts[0], {})[folder.name] = name
    applications = {name for name, parts in folders.items() if "Program" in parts}
    assert applications == {"LocationTracker", "GeoPix", "BluePic", "Bluelist", "Conversation"}
    assert all(folders[name].keys() == {"Core", "Program", "Tests"} for name in applications)


def test_the_table_of_modules_is_complete_and_in_the_order_of_their_dependencies():
    names = [*table("Examples/README.md", "## Modules"), *table("ARCHITECTURE.md", "## Modules")]
    row = {name: number for number, cells in enumerate(names) for name in re.findall(r"`(\w+)`", cells[-2])}
    assert {"GodwitStore", "PhotoKit"} <= row.keys()
    wrong = []
    for name, (kind, folder, modules) in (targets() | targets(ROOT / "Examples")).items():
        if "Tests" in folder.parts or kind not in ("regular", "executable") or not list(folder.glob("**/*.swift")):
            continue
        if name not in row:
            wrong += [name] if {"Sources", "Kit", "Core", "Program"} & set(folder.parts) else []
            continue
        wrong += [f"{name} is below {module}" for module in modules if row.get(module, row[name]) < row[name]]
    assert not wrong, wrong


def test_the_ways_of_a_write_and_of_a_read_are_18_and_14_files():
    """Each file of the two ways exists, and the verbs of the write are functions of its file."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    write = table("ARCHITECTURE.md", "## The way of a write")
    read = re.findall(r"`(\w+)`", page.split("## The way of a read\n")[1].split("\n\n")[0].replace("`GET`", ""))
    assert (len(write), len(read)) == (18, 14)
    files = {}
    for source in (ROOT / "Sources").glob("*/*/**/*.swift"):
        files.setdefault(source.stem, source)
    for file, verbs, _ in write:
        name = file.strip("`").rsplit("/", 1)[-1]
        code = files[name].read_text()
        missing = [verb for verb in verbs.split(", ") if verb and not re.search(rf"func {verb}\b", code)]
        assert not missing, f"{name}: {missing}"
    assert set(read) <= files.keys()


ROOMS = ["C", "Base", "Engine", "Sync", "Library", "Cloudant", "Server", "Tools", "Benchmarks", "Tests"]


def test_targets_depend_on_their_room_and_earlier_ones():
    known = targets()
    room = {name: next(ROOMS.index(part) for part in folder.relative_to(ROOT).parts if part in ROOMS)
            for name, (_, folder, _) in known.items()}
    later = {f"{name} depends on {module}" for name, (kind, _, declared) in known.items() if kind != "test"
             for module in declared & known.keys() if room[module] > room[name]}
    assert not later, "\n".join(sorted(later))


def test_each_folder_of_a_room_is_a_target_and_each_module_has_tests():
    known = targets()
    folders = {folder.name for room in (ROOT / "Sources").iterdir() for folder in room.iterdir()}
    assert folders == {name for name, (_, folder, _) in known.items() if "Sources" in folder.parts}
    tested = {name.removesuffix("Tests") for name, (kind, _, _) in known.items() if kind == "test"}
    modules = {name for name, (_, folder, _) in known.items() if "Sources" in folder.parts and "C" not in folder.parts}
    assert modules - tested == UNTESTED, modules - tested ^ UNTESTED


# Modules without a test target: `Godwit`, `GodwitDatabase` and `GodwitFoundation` re-export; `GodwitGeo`, `GodwitURLSession` and `GodwitClientNIO`
# are tested with replications (`GodwitSyncTests`); the tests of clients run the command, the importer and the programs.
UNTESTED = {"Godwit", "GodwitDatabase", "GodwitFoundation", "GodwitGeo", "GodwitURLSession", "GodwitClientNIO", "GodwitCLI", "GodwitHost", "GodwitCloudantImport"}
