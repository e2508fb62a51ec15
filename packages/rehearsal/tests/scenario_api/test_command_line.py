"""Commands about the rehearsed cluster: their JSON, their exit codes, a changed spec."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal.scenario_api import command_line
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.outcomes import Broken

CONFIG = "configs/examples/full-pcs.yaml"


@pytest.fixture
def context(tmp_path: Path) -> ScenarioContext:
    def expect(held: object, reason: str) -> None:
        if not held:
            raise Broken(reason)

    loaded = load_cluster(CONFIG)
    return cast(
        "ScenarioContext",
        SimpleNamespace(
            spec=loaded.cluster.model_dump(mode="json", exclude_unset=True),
            cluster=loaded.cluster,
            folder=tmp_path,
            worker=SimpleNamespace(url="http://127.0.0.1:9"),
            expect=expect,
        ),
    )


def test_changed_spec_is_that_of_the_answer(context: ScenarioContext) -> None:
    def change(spec: dict[str, Any]) -> None:
        spec["environment"] = "changed"

    # Some prices are unknown: exit code 2.
    for changed, expected in ((change, "changed"), (None, context.cluster.environment)):
        found = command_line.answer(context, ["cost"], change=changed, codes=(0, 2))
        assert found["environment"] == expected


def test_other_exit_codes_break_the_promise(context: ScenarioContext) -> None:
    with pytest.raises(Broken, match="cost: exit code 3"):
        command_line.answer(context, ["cost"], "--no-such-option")


def test_signatures_of_lines(context: ScenarioContext) -> None:
    lines = ["slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks"]
    assert command_line.signatures(context, "node-1", lines)
    assert command_line.signatures(context, "node-2", ["a line of no failure"]) == set()
