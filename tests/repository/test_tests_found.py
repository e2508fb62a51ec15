"""Tests are found by name, and no test module imports from another.

The tests of `clusterwright/a/b.py` are in `tests/a/test_b.py`; those of a distribution under
`packages/` are in its `tests`. They may also be in a file of the same name in another folder of
tests, in a file whose name starts with the module's name (`test_b_limits.py`), or in one with the
name of its folder (`test_a.py`, `test_a_b.py`). The tests of a scenario are the rehearsals that
name it (`"gpu-lost"`).
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.support.imports import imported_names
from tools.lint.files import ROOT

PRODUCT = ("clusterwright", "stacks", "lifecycle_scripts", "packages")
MINIMUM_LINES = 40
MINIMUM_PERCENT = 83
"""Of modules with more than `MINIMUM_LINES` lines; to be raised to 90 %."""

_SCENARIOS = ROOT / "packages" / "rehearsal" / "clusterwright_rehearsal" / "scenarios"
_REHEARSALS = ROOT / "packages" / "rehearsal" / "tests"


def test_test_modules_do_not_import_each_other() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in _python_files("tests", "packages")
        for name in imported_names(ast.parse(path.read_text(encoding="utf-8")))
        if name.split(".")[0] in ("tests", "packages")
        if any(part.startswith("test_") for part in name.split("."))
        and not path.is_relative_to(ROOT / name.replace(".", "/"))
    ]
    assert found == []


def test_module_tests_are_found_by_name() -> None:
    names = {path.stem for path in _python_files("tests", "packages") if "tests" in path.parts}
    modules = [path for path in _python_files(*PRODUCT) if _counts(path)]
    missing = [path for path in modules if not _is_found(path, names)]
    share = 100 - 100 * len(missing) / len(modules)
    listed = "\n".join(str(path.relative_to(ROOT)) for path in missing)
    assert share >= MINIMUM_PERCENT, f"{share:.1f} %, without tests of their name:\n{listed}"


def _counts(path: Path) -> bool:
    if "tests" in path.parts or path.name == "__init__.py":
        return False
    return len(path.read_text(encoding="utf-8").splitlines()) > MINIMUM_LINES


def _is_found(path: Path, names: set[str]) -> bool:
    module, folder = path.stem.strip("_"), path.parent.name
    if path.parent == _SCENARIOS:
        name = f'"{module.replace("_", "-")}"'
        return any(name in test.read_text() for test in _REHEARSALS.rglob("test_*.py"))
    # Rules are called by their id and a noun: `q041_nat_gateways`.
    nouns = module.partition("_")[2] if module[1:4].isdigit() else module
    wanted = {f"test_{module}", f"test_{nouns}", f"test_{folder}_{module}", f"test_{folder}"}
    return bool(wanted & names) or any(name.startswith(f"test_{module}_") for name in names)


def _python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
