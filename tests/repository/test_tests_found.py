"""Tests are found by name, and no test module imports from another.

The tests of `clusterwright/a/b.py` are `tests/a/test_b.py` or `test_b_*.py`, or, where the whole
folder has one file, `test_a.py` there or in the folder above. `FOLDERS` names the folder of tests
of each folder of code. The tests of a scenario are the rehearsals that name it (`"gpu-lost"`).
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.support.imports import imported_names
from tools.lint.files import ROOT

_LOCALAWS, _REHEARSAL = Path("packages/localaws"), Path("packages/rehearsal")
_EMULATION = "clusterwright_rehearsal/nodes/image/root/usr/lib/emulation"
FOLDERS = {
    "clusterwright": Path("tests"),
    "stacks": Path("tests/stacks"),
    "lifecycle_scripts/clusterwright_node": Path("tests/nodes"),
    "lifecycle_scripts/clusterwright_acceptance": Path("tests/nodes/acceptance"),
    "lifecycle_scripts/clusterwright_checkpoints": Path("tests/nodes/checkpoints"),
    "lifecycle_scripts/clusterwright_common": Path("tests/nodes/common"),
    "lifecycle_scripts/clusterwright_health": Path("tests/nodes/health"),
    "lifecycle_scripts/clusterwright_metrics": Path("tests/nodes/metrics"),
    "lifecycle_scripts/clusterwright_preload": Path("tests/nodes/preload"),
    "lifecycle_scripts/clusterwright_spot": Path("tests/nodes/spot"),
    "lifecycle_scripts/clusterwright_state": Path("tests/nodes/state"),
    "tools": Path("tests/tools"),
    "tools/setup": Path("tests/setup"),
    "packages/localaws/clusterwright_localaws": _LOCALAWS / "tests",
    "packages/rehearsal/clusterwright_rehearsal": _REHEARSAL / "tests",
    f"packages/rehearsal/{_EMULATION}": _REHEARSAL / "tests/nodes/emulation",
}
MINIMUM_LINES = 40
MINIMUM_PERCENT = 95
"""Of modules with more than `MINIMUM_LINES` lines."""

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
    modules = [path for path in _python_files(*FOLDERS) if _counts(path)]
    missing = [path for path in modules if not _is_found(path)]
    share = 100 - 100 * len(missing) / len(modules)
    listed = "\n".join(str(path.relative_to(ROOT)) for path in missing)
    assert share >= MINIMUM_PERCENT, f"{share:.1f} %, without tests of their name:\n{listed}"


def _counts(path: Path) -> bool:
    if "tests" in path.parts or path.name in ("__init__.py", "__main__.py"):
        return False
    return len(path.read_text(encoding="utf-8").splitlines()) > MINIMUM_LINES


def _is_found(path: Path) -> bool:
    module, folder = path.stem.strip("_"), path.parent.name
    if path.parent == _SCENARIOS:
        name = f'"{module.replace("_", "-")}"'
        return any(name in test.read_text() for test in _REHEARSALS.rglob("test_*.py"))
    # Rules are called by their id and a noun: `q041_nat_gateways`.
    nouns = module.partition("_")[2] if module[1:4].isdigit() else module
    mirrored = _mirrored(path.parent)
    here = {test.stem for test in mirrored.glob("test_*.py")}
    above = {test.stem for test in mirrored.parent.glob("test_*.py")}
    return (
        bool({f"test_{module}", f"test_{nouns}", f"test_{folder}"} & here)
        or bool({f"test_{folder}", f"test_{folder}_{module}"} & above)
        or any(name.startswith(f"test_{module}_") for name in here)
    )


def _mirrored(folder: Path) -> Path:
    """The folder of the tests of a folder of code."""
    relative = folder.relative_to(ROOT)
    root = max((name for name in FOLDERS if relative.is_relative_to(name)), key=len)
    return ROOT / FOLDERS[root] / relative.relative_to(root)


def _python_files(*folders: str) -> list[Path]:
    return sorted({path for folder in folders for path in (ROOT / folder).rglob("*.py")})
