"""The list of artefacts is read, and refused, only if a step uses it."""

from __future__ import annotations

from clusterwright.platforms import node_artefacts
from tests.support.validation import found

MIRRORED = {
    "platform": "hyperpod-slurm",
    "slurm.containers": {"pyxis": True, "install": "mirrored"},
    "lifecycle": {"artefacts": "no/such/file.json"},
}


def test_unused_list_is_not_read() -> None:
    assert found(node_artefacts.problems) == {}
    changes = {**MIRRORED, "slurm.containers": {"pyxis": False}}
    assert found(node_artefacts.problems, changes) == {}


def test_a_missing_list_is_refused_if_a_step_uses_it() -> None:
    (message,) = found(node_artefacts.problems, MIRRORED).values()
    assert message.startswith("no/such/file.json: ")
