"""README's program is the one that is built, and prints what README says."""

import pathlib
import re
import subprocess

from conftest import GODWIT, ROOT


def test_first_steps(tmp_path):
    readme = (ROOT / "README.md").read_text()
    program = (ROOT / "Examples/FirstSteps/main.swift").read_text()
    shown = re.search(r"```swift\n(import Godwit.*?)```", readme, re.DOTALL)[1]
    assert shown.strip() == program[program.index("import Godwit"):].strip()
    output = re.search(r"prints\n\n```\n(.*?)```", readme, re.DOTALL)[1]
    binary = pathlib.Path(GODWIT).with_name("FirstSteps")
    run = subprocess.run([binary], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert run.returncode == 0 and run.stdout == output
