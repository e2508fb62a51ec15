"""The node of a run, as steps see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from clusterwright_node import main as main_module
from clusterwright_node.catalogue import Step
from clusterwright_node.errors import CommandOutOfTime
from clusterwright_node.node import APPLIES, SATISFIED, missing

from tests.nodes.world import Run, World


def made_step(name: str, **parts: Any) -> Step:
    """A step that is satisfied, unless `parts` say otherwise."""
    fields: dict[str, Any] = {
        "summary": name,
        "after": (),
        "deadline_seconds": 60.0,
        "retries": 0,
        "applies": lambda _: APPLIES,
        "check": lambda _: SATISFIED,
        "apply": lambda _: None,
    }
    return Step(name=name, **{**fields, **parts})


@pytest.fixture
def run_with(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Sequence[Step]], Run]:
    """Runs the program with other steps in place of the real ones."""
    node = world("login-1")

    def run(steps: Sequence[Step]) -> Run:
        monkeypatch.setattr(main_module, "load_steps", lambda: list(steps))
        return node.run()

    return run


def test_probe_interrupted_by_the_deadline_keeps_its_last_result(
    run_with: Callable[..., Run],
) -> None:
    results = ["not mounted", CommandOutOfTime("`findmnt` did not end within 0 s and was killed")]

    def probe() -> str:
        result = results.pop(0)
        if isinstance(result, CommandOutOfTime):
            raise result
        return result

    step = made_step(
        "a", check=lambda _: missing("x"), apply=lambda node: node.wait_until(probe, "mount it")
    )
    assert "not done after 60 s: not mounted" in run_with([step]).last
    results.append(CommandOutOfTime("`findmnt` did not end within 60 s and was killed"))
    assert "`findmnt` did not end within 60 s" in run_with([step]).last
