"""What programs link, compared with the table in ARCHITECTURE.md (issue 23)."""

import re
import subprocess

import pytest

from conftest import GODWIT, ROOT

HEADING = "## What a program links"
# What comes with every program: Swift's runtime and Foundation, and the C library.
USUAL = re.compile(r"libswift|lib_?Foundation|libdispatch|libBlocksRuntime|lib(c|m|gcc_s)\.so|ld-linux")


def rows():
    section = (ROOT / "ARCHITECTURE.md").read_text().split(HEADING)[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            product, program, links, _ = (cell.strip() for cell in line.strip("|").split("|"))
            yield pytest.param(program.strip("`"), set(re.findall(r"`(.+?)`", links)), id=program.strip("`"))


def linked(program):
    dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic)
    return {name.split(".so")[0] for name in names if not USUAL.match(name)}


@pytest.mark.parametrize("program, libraries", list(rows()))
def test_what_a_program_links(program, libraries):
    path = ROOT / ".build/debug" / program if program != "godwit" else GODWIT
    assert linked(path) == libraries
