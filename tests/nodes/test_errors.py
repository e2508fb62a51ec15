"""Errors of the node program."""

from __future__ import annotations

from clusterwright_node.errors import (
    CommandError,
    CommandOutOfTime,
    InputsError,
    NodeError,
    Overtime,
    StepError,
)


def test_all_problems_are_in_one_error() -> None:
    error = InputsError(["a is missing", "b is wrong"])
    assert (error.cause, error.problems) == (
        "a is missing; b is wrong",
        ("a is missing", "b is wrong"),
    )
    assert error.hint == "correct the spec and deploy again"
    assert InputsError(["a"], "other").hint == "other"


def test_commands_are_transient_and_steps_are_not() -> None:
    assert CommandError("failed").transient
    assert CommandOutOfTime("killed").transient
    assert not StepError("wrong", "correct it").transient
    assert isinstance(CommandError("failed"), NodeError)


def test_an_overdue_step_states_its_deadline() -> None:
    error = Overtime(60.0, "slurmctld", "see its log")
    assert str(error) == error.cause == "not done after 60 s: slurmctld"
    assert error.hint == "see its log"
