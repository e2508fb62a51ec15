"""Custom steps of the node program, read and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import custom_steps, repository_root
from clusterwright.cluster_spec.custom_steps import (
    MAXIMUM_DEADLINE_SECONDS,
    CustomStep,
    InvalidStepError,
    built_in,
    cycle,
    read,
)

STEP = '''"""Mount the scratch space of the team."""
import os
import clusterwright_node.node
AFTER = ("network",)
BEFORE = ("motd",)
DEADLINE_SECONDS = 60
RETRIES = 2
def applies(node): ...
def check(node): ...
def apply(node): ...
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(repository_root, "file", lambda path: tmp_path / path)
    return tmp_path


def error_of(folder: Path, text: str, name: str = "mine.py") -> InvalidStepError:
    (folder / name).write_text(text)
    with pytest.raises(InvalidStepError) as caught:
        read(name)
    return caught.value


def test_a_valid_step(folder: Path) -> None:
    (folder / "mine.py").write_text(STEP)
    assert read("mine.py") == CustomStep("mine", STEP, ("network",), ("motd",))


@pytest.mark.parametrize("name", ["Mine.py", "1st.py", "mine.txt", "my-step.py"])
def test_a_name_that_no_step_can_have(folder: Path, name: str) -> None:
    assert error_of(folder, STEP, name).message == f"`{name}` is not a valid step name"


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    with pytest.raises(InvalidStepError) as caught:
        read("missing.py")
    assert caught.value.message == "missing.py cannot be read: No such file or directory"
    (folder / "bytes.py").write_bytes(b"\xff")
    with pytest.raises(InvalidStepError, match="it is not UTF-8 text"):
        read("bytes.py")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("RETRIES = 2", "match = ", "mine.py is not valid Python 3.9: "),
        ('"""Mount the scratch space of the team."""\n', "", "mine.py has no docstring"),
        ("RETRIES = 2\n", "", "mine.py has no RETRIES"),
        ("def check(node): ...\n", "", "mine.py has no check()"),
        ("import os", "import yaml", "mine.py imports yaml, but nodes have only Python's"),
        (
            "DEADLINE_SECONDS = 60",
            f"DEADLINE_SECONDS = {MAXIMUM_DEADLINE_SECONDS + 1}",
            "mine.py: DEADLINE_SECONDS must be an integer from 1 to 7200",
        ),
        ("RETRIES = 2", "RETRIES = True", "mine.py: RETRIES must be an integer from 0 to 100"),
        ('AFTER = ("network",)', 'AFTER = "network"', "mine.py: AFTER must be a tuple of names"),
    ],
)
def test_what_the_node_program_could_not_run(
    folder: Path, old: str, new: str, message: str
) -> None:
    assert old in STEP
    assert error_of(folder, STEP.replace(old, new)).message.startswith(message)


def test_a_mistake_has_its_line(folder: Path) -> None:
    assert error_of(folder, STEP.replace("import os", "import yaml")).line == 2
    assert error_of(folder, STEP.replace("RETRIES = 2", "RETRIES = -1")).line == 7


def test_built_in_steps_and_their_order() -> None:
    found = built_in()
    assert found["identify"] == ()
    assert "identify" in found["verify_inputs"]


def test_steps_that_wait_for_each_other() -> None:
    first = CustomStep("first", "", ("second",), ())
    second = CustomStep("second", "", (), ("first",))
    assert cycle({"first": first, "second": second}) == ()
    third = CustomStep("second", "", ("first",), ())
    assert set(cycle({"first": first, "second": third})) == {"first", "second"}


def test_outside_a_repository_there_are_no_built_in_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repository_root, "root", lambda: None)
    assert custom_steps.built_in() == {}
