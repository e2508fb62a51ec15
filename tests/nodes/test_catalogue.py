"""The steps of the node program and their order."""

from __future__ import annotations

import pytest
from clusterwright_node.catalogue import Step, load_steps, ordered, step_names
from clusterwright_node.node import APPLIES, SATISFIED


def made_step(name: str, *after: str) -> Step:
    return Step(name, name, after, 1, 0, lambda _: APPLIES, lambda _: SATISFIED, lambda _: None)


def test_steps_are_found_and_ordered() -> None:
    steps = load_steps()
    names = [step.name for step in steps]
    assert sorted(names) == step_names()
    assert names[:3] == ["identify", "verify_inputs", "not_built"]
    assert names[-1] == "motd"
    for step in steps:
        assert all(names.index(before) < names.index(step.name) for before in step.after)
        assert 0 < step.deadline_seconds <= 900
        assert 0 <= step.retries <= 20


def test_circular_steps_are_refused() -> None:
    steps = {"a": made_step("a", "b"), "b": made_step("b", "a"), "c": made_step("c")}
    with pytest.raises(ValueError, match="cyclic order of steps: a, b"):
        ordered(steps)


def test_step_after_an_unknown_one_is_refused() -> None:
    with pytest.raises(ValueError, match="after nowhere, which does not exist"):
        ordered({"a": made_step("a", "nowhere")})


def test_order_is_deterministic() -> None:
    steps = {name: made_step(name) for name in ("c", "a", "b")}
    assert [step.name for step in ordered(steps)] == ["a", "b", "c"]
