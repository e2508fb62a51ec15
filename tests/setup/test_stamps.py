"""Set-up runs changed steps and the steps after them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.setup import stamps
from tools.setup.errors import SetupError
from tools.setup.stamps import (
    Step,
    first_outdated,
    forget_interruption,
    record,
    running,
    was_interrupted,
)


class Recipe:
    """Three steps over two input files, each writing one output."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inputs = dict.fromkeys(("a", "b", "c"), b"1")
        self.steps = [self._step(name) for name in self.inputs]
        self.ran: list[str] = []

    def _step(self, name: str) -> Step:
        output = self.folder / f"{name}.out"

        def run() -> None:
            self.ran.append(name)
            output.write_text("done")

        return Step(name, name, lambda: [self.inputs[name]], lambda: [output], run)

    def bring_up_to_date(self, *, until: int = 3) -> list[str]:
        self.ran = []
        for index in range(first_outdated(self.steps), until):
            self.steps[index].run()
            record(self.steps, index)
        return self.ran


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    monkeypatch.setattr(stamps, "_STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(stamps, "_RUNNING", tmp_path / "state" / "begun")
    return Recipe(tmp_path)


def test_first_run_runs_every_step_and_second_run_none(recipe: Recipe) -> None:
    assert recipe.bring_up_to_date() == ["a", "b", "c"]
    assert recipe.bring_up_to_date() == []


def test_interrupted_run_continues_where_it_stopped(recipe: Recipe) -> None:
    recipe.bring_up_to_date(until=1)
    assert recipe.bring_up_to_date() == ["b", "c"]


def test_changed_input_runs_its_step_and_the_later_ones(recipe: Recipe) -> None:
    recipe.bring_up_to_date()
    recipe.inputs["b"] = b"2"
    assert recipe.bring_up_to_date() == ["b", "c"]


def test_deleted_output_is_restored(recipe: Recipe) -> None:
    recipe.bring_up_to_date()
    (recipe.folder / "c.out").unlink()
    assert recipe.bring_up_to_date() == ["c"]


def test_input_moved_from_one_step_to_the_next_is_a_change(recipe: Recipe) -> None:
    recipe.inputs |= {"a": b"xy", "b": b"z"}
    recipe.bring_up_to_date()
    recipe.inputs |= {"a": b"x", "b": b"yz"}
    assert recipe.bring_up_to_date() == ["a", "b", "c"]


def _step(*, fragile: bool) -> Step:
    return Step("x", "x", list, list, lambda: None, fragile=fragile)


@pytest.mark.usefixtures("recipe")
@pytest.mark.parametrize(
    ("end", "fragile", "remembered"),
    [
        (None, True, False),
        (SetupError("no network", "wait"), True, False),
        (KeyboardInterrupt(), True, True),
        (KeyboardInterrupt(), False, False),
    ],
)
def test_only_an_interrupted_fragile_step_is_remembered(
    end: BaseException | None, fragile: bool, remembered: bool
) -> None:
    try:
        with running(_step(fragile=fragile)):
            assert was_interrupted() is fragile, "a kill would find no trace"
            if end is not None:
                raise end
    except (SetupError, KeyboardInterrupt):
        pass
    assert was_interrupted() is remembered
    forget_interruption()
    assert not was_interrupted()
