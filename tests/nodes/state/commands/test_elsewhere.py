"""`clusterwright drift` and `diagnose` on a node say where they run."""

from __future__ import annotations

import json

from clusterwright.json_output.drift import DriftOutput
from tests.nodes.state.commands.conftest import Commands


def test_diagnose_names_the_command_elsewhere(commands: Commands) -> None:
    code, out, err = commands.run("diagnose", "node", "workers-1")
    assert (code, out) == (2, "")
    assert "clusterwright diagnose FILE node workers-1" in err


def test_drift_has_compared_nothing(commands: Commands) -> None:
    found = commands.answer("drift")
    DriftOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(DriftOutput.model_fields)
    assert found["exit_code"] == 2
    assert "hint: from a workstation: clusterwright drift FILE" in commands.run("drift")[1]
