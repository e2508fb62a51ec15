"""Custom steps: found beside the program, run like built-in ones, and named in errors."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node import catalogue
from clusterwright_node.catalogue import load_steps, step_names

from tests.nodes.world import Run, World

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "steps" / "memlock.py"
PLACED = "etc/security/limits.d/90-site-memlock.conf"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of custom steps in a deployment, with the example in it."""
    place = tmp_path / "site_steps"
    place.mkdir()
    shutil.copy(EXAMPLE, place)
    monkeypatch.setattr(catalogue, "SITE_FOLDER", place)
    return place


def edit(folder: Path, old: str, new: str) -> None:
    text = (folder / "memlock.py").read_text()
    assert old in text
    (folder / "memlock.py").write_text(text.replace(old, new))


def failed(run: Run) -> str:
    assert run.code == 1, run.text
    assert run.statuses()["memlock"] == "failed"
    return run.last


@pytest.mark.usefixtures("folder")
def test_custom_step_runs_and_a_second_run_changes_nothing(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    run = node.run()
    assert run.code == 0, run.text
    assert run.statuses()["memlock"] == "applied"
    starts = [row["step"] for row in run.lines if row["event"] == "start"]
    assert starts.index("memlock") > starts.index("users")
    assert (node.root / PLACED).read_text().startswith("* soft memlock unlimited")
    assert node.run().statuses()["memlock"] == "unchanged"
    assert world("login-1").run().statuses()["memlock"] == "skipped"


@pytest.mark.usefixtures("folder")
def test_custom_step_has_settings_of_the_spec(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["node_steps"].update(memlock={"enabled": False}))
    assert node.run().statuses()["memlock"] == "skipped"


@pytest.mark.usefixtures("folder")
def test_interrupted_custom_step_is_in_the_journal_and_converges(
    world: Callable[..., World],
) -> None:
    points = world("workers-1").run().machine.points
    at = next(i for i, label in enumerate(points) if label.startswith("within write /etc/sec"))
    victim = world("workers-1")
    assert victim.run_and_be_killed(at)
    assert victim.journal()["step"] == "memlock"
    run = victim.run()
    assert run.code == 0
    assert any("inside the step memlock" in text for text in run.notices())
    assert (victim.root / PLACED).exists()


def test_failure_of_a_custom_step_is_reported(folder: Path, world: Callable[..., World]) -> None:
    edit(folder, "    node.machine.write_text(PATH, TEXT)", "    return None  # it does nothing")
    assert "still not satisfied after it was applied" in failed(world("workers-1").run())


def test_exception_in_a_custom_step_is_attributed_to_it(
    folder: Path, world: Callable[..., World]
) -> None:
    edit(folder, "node.machine.write_text(PATH, TEXT)", "node.no_such_thing()")
    run = world("workers-1").run()
    assert "an error in your step: AttributeError" in failed(run)
    assert any(row["event"] == "bug" and "no_such_thing" in row["trace"] for row in run.lines)


def test_import_error_of_a_custom_step_names_it(folder: Path, world: Callable[..., World]) -> None:
    edit(folder, "AFTER =", "import not_on_this_image\n\nAFTER =")
    last = failed(world("workers-1").run())
    assert "step memlock failed on workers-1: your step memlock.py cannot be read" in last
    assert "No module named 'not_on_this_image'" in last


def test_custom_check_that_changes_the_machine_is_refused(
    folder: Path, world: Callable[..., World]
) -> None:
    edit(folder, "    if node.machine.read_text", "    node.machine.write_text(PATH, TEXT)\n    if node.machine.read_text")  # fmt: skip  # noqa: E501
    assert "a check must not change the machine" in failed(world("workers-1").run())


def test_custom_step_can_precede_a_built_in_step(folder: Path) -> None:
    edit(folder, 'AFTER = ("users",)', 'AFTER = ()\nBEFORE = ("lustre",)')
    names = [step.name for step in load_steps()]
    assert names.index("memlock") < names.index("lustre")
    assert "memlock" in step_names()


def test_custom_step_with_an_unknown_dependency_is_refused(folder: Path) -> None:
    edit(folder, 'AFTER = ("users",)', 'AFTER = ()\nBEFORE = ("nowhere",)')
    with pytest.raises(ValueError, match="step memlock comes before nowhere"):
        load_steps()


def test_only_built_in_steps_without_the_folder(tmp_path: Path) -> None:
    assert [step.name for step in load_steps(tmp_path / "none")] == [
        step.name for step in load_steps() if not step.is_site
    ]


def test_documentation_shows_the_example() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "add-custom-steps.md"
    assert EXAMPLE.read_text().rstrip() in page.read_text()
