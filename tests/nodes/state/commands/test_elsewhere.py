"""`clusterwright drift` on a node says where it runs."""

from __future__ import annotations

import json

from clusterwright.json_output.drift import DriftOutput
from tests.nodes.state.commands.conftest import Commands


def test_drift_has_compared_nothing(commands: Commands) -> None:
    found = commands.answer("drift")
    DriftOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(DriftOutput.model_fields)
    assert found["exit_code"] == 2
    assert "hint: from a workstation: clusterwright drift FILE" in commands.run("drift")[1]
