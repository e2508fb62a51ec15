"""The checks of the node program as the product knows them."""

from __future__ import annotations

import json

from clusterwright.platforms.acceptance_checks import table as read
from tools.docs.acceptance_checks import table, text


def test_the_committed_table_is_that_of_the_node_program() -> None:
    found = table()
    assert read()["checks"] == found["checks"]
    assert read()["level_limit_seconds"] == found["level_limit_seconds"]
    assert json.loads(text())["checks"] == found["checks"]


def test_checks_apply_to_the_right_kinds() -> None:
    rows = {row["id"]: row for row in table()["checks"]}
    assert rows["gpu-count"]["kinds"] == ["nvidia"]
    assert rows["neuron-allreduce"]["kinds"] == ["neuron"]
    assert rows["clock"]["kinds"] == ["nvidia", "neuron", "none"]
    needing = {name for name, row in rows.items() if row["needs_efa"]}
    assert needing == {"efa-devices", "efa-loopback"}
