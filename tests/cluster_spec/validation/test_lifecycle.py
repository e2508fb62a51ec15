"""Custom steps: errors of the file are reported before a deployment."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec.validation import lifecycle
from tests.support.validation import found

EXAMPLE = Path(__file__).parents[3] / "configs" / "examples" / "steps" / "memlock.py"
PLACE = "lifecycle.steps[0]"


def said(*paths: str) -> dict[str, str]:
    return found(lifecycle.problems, {"lifecycle": {"steps": list(paths)}})


def changed(folder: Path, old: str, new: str, name: str = "own.py") -> str:
    """The example with a text replaced."""
    text = EXAMPLE.read_text()
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new))
    return str(path)


def test_step_path_is_relative_to_the_root_or_absolute() -> None:
    assert said("configs/examples/steps/memlock.py") == {}
    assert said(str(EXAMPLE)) == {}
    assert found(lifecycle.problems) == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def check(", "def cheque(", "has no check()"),
        ("RETRIES = 0", "TRIES = 0", "has no RETRIES"),
        ('AFTER = ("users",)', 'AFTER = ("userz",)', "refers to `userz`, which does not exist"),
        ('AFTER = ("users",)', "AFTER = 3", ": AFTER must be a tuple of names"),
        ("DEADLINE_SECONDS = 30", "DEADLINE_SECONDS = 0", "an integer from 1 to 7200"),
        ("DEADLINE_SECONDS = 30", "DEADLINE_SECONDS = float(3)", "an integer from 1 to 7200"),
        ("RETRIES = 0", "RETRIES = True", "must be an integer from 0 to 100"),
        ("def apply(", "def apply((", "is not valid Python 3.9"),
        ("    node.machine.write", "    match node:\n        case 1: pass\n    node.machine.write",
         "is not valid Python 3.9"),
        ("from __future__", "import numpy\nfrom __future__", "imports numpy, but nodes have"),
        ("from clusterwright_node.node", "from boto3 import x\nfrom clusterwright_node.node",
         "imports boto3, but nodes have only Python's standard library"),
        ('AFTER = ("users",)', 'AFTER = ("users",)\nBEFORE = ("clock",)',
         "cyclic order of steps: "),
        ('AFTER = ("users",)', 'AFTER = ("own",)', "cyclic order of steps: own after own"),
    ],
)  # fmt: skip
def test_invalid_steps_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    problems = said(changed(tmp_path, old, new))
    assert list(problems) == [PLACE]
    assert message in problems[PLACE]


def test_a_step_without_a_docstring_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text("from" + EXAMPLE.read_text().partition('"""\n\nfrom')[2])
    assert "has no docstring" in said(str(path))[PLACE]


@pytest.mark.parametrize("name", ["Own.py", "own.sh", "2own.py", "own-step.py", "__init__.py"])
def test_invalid_module_names_are_refused(tmp_path: Path, name: str) -> None:
    assert "` is not a valid step name" in said(changed(tmp_path, "30", "31", name))[PLACE]


def test_duplicate_and_built_in_names_are_refused(tmp_path: Path) -> None:
    other = changed(tmp_path, "30", "31", "memlock.py")
    assert said(str(EXAMPLE), other) == {"lifecycle.steps[1]": "duplicate step `memlock`"}
    ours = changed(tmp_path, "30", "31", "lustre.py")
    assert said(ours) == {PLACE: "`lustre` is a built-in step of the node program"}


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in said("configs/examples/steps/no.py")[PLACE]
    (tmp_path / "own.py").write_bytes(b"\xff\xfe")
    assert "it is not UTF-8 text" in said(str(tmp_path / "own.py"))[PLACE]


def test_step_can_be_ordered_relative_to_other_steps(tmp_path: Path) -> None:
    first = changed(tmp_path, 'AFTER = ("users",)', 'AFTER = ()\nBEFORE = ("lustre",)', "one.py")
    second = changed(tmp_path, '"users"', '"one"', "two.py")
    assert said(second, first) == {}
