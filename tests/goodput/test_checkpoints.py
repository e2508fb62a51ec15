"""Checkpoints of a run's folder, and the saves that they stand for."""

from __future__ import annotations

import pytest

from clusterwright.goodput.checkpoints import Checkpoint, is_complete, step_of
from clusterwright.goodput.results import CheckpointFolder
from tests.support.goodput_reports import START, logs, report


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("iter_0000100", 100),
        ("step-100", 100),
        ("step_100", 100),
        ("checkpoint-100", 100),
        ("global_step100", 100),
        ("m--val_loss=0.00-step=99-consumed_samples=6400.0-last", 100),
        ("latest", None),
        ("iter_0000100.tmp", None),
        ("step-", None),
        ("logs", None),
    ],
)
def test_step_in_the_name(name: str, step: int | None) -> None:
    assert step_of(name) == step


def test_complete_checkpoints_have_the_file_that_is_written_last() -> None:
    assert is_complete("step-10", [".metadata", "__0_0.distcp"], None)
    assert is_complete("checkpoint-10", ["trainer_state.json"], None)
    assert is_complete("step-10", ["weights/.metadata"], None)
    assert not is_complete("step-10", ["__0_0.distcp"], None)


def test_older_form_of_megatron_is_complete_up_to_its_latest() -> None:
    files = ["mp_rank_00/model_optim_rng.pt"]
    assert is_complete("iter_0000010", files, 10)
    assert not is_complete("iter_0000020", files, 10)
    assert not is_complete("iter_0000010", [], 10)


# MLPerf's log of the run has no saves: after step 10 and 20, then 30 and 40, each of 5 s.
_SAVED = (
    Checkpoint(10, START + 60 + 100 + 5),
    Checkpoint(20, START + 60 + 200 + 10),
    Checkpoint(30, START + 900 + 30 + 100 + 5),
)


def test_saves_of_the_folder_explain_what_the_log_does_not() -> None:
    without = report(logs=logs("mllog"))
    found = report(logs=logs("mllog"), checkpoints=_SAVED)
    assert without.parts is not None
    assert found.parts is not None
    assert without.parts["checkpoint_s"] == 0.0
    # 5 s each, which the log alone counts as slow steps.
    assert found.parts["checkpoint_s"] == 15.0
    assert (found.parts["productive_s"], found.parts["repeated_s"]) == (400.0, 70.0)
    assert without.parts["productive_s"] > 400.0
    assert sum(found.parts.values()) == found.wall_s == without.wall_s
    assert (without.saves, found.saves) == (None, 3)


def test_newest_checkpoint_and_the_steps_that_it_lacks() -> None:
    found = report(logs=logs("mllog"), checkpoints=_SAVED).checkpoints
    assert found == CheckpointFolder(3, 30, START + 900 + 30 + 100 + 5, 10)


def test_a_log_that_states_its_saves_is_left_alone() -> None:
    found, without = report(checkpoints=_SAVED), report()
    assert (found.parts, found.saves) == (without.parts, without.saves)
    assert found.checkpoints is not None
    assert without.checkpoints is None


def test_empty_folder() -> None:
    assert report(checkpoints=()).checkpoints == CheckpointFolder(0, None, None, None)
