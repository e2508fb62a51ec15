"""DCGM's diagnostic of level 2."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import dcgm_medium

from tests.nodes.acceptance.fake_node import Node


def diagnostic(status: str, form: str = "test_categories", **more: object) -> str:
    tests = [{"name": "Memory", "results": [{"gpu_ids": "0", "status": status, **more}]}]
    if form == "test_categories":
        return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"tests": tests}]}})
    return json.dumps(
        {"categories": [{"tests": tests}]} if form == "categories" else {"tests": tests}
    )


@pytest.mark.parametrize("form", ["test_categories", "categories", "tests"])
def test_every_form_passes_and_fails(node: Node, form: str) -> None:
    node.prints("dcgmi", diagnostic("Pass", form))
    assert node.look("dcgm-medium").verdict == "pass"
    node.prints("dcgmi", diagnostic("Fail", form, warnings=["DCGM_FR_NVLINK_DOWN"]), 226)
    found = node.look("dcgm-medium")
    assert (found.verdict, found.action) == ("fail", "reboot")
    assert found.reason == "Memory failed on GPU 0: DCGM_FR_NVLINK_DOWN"


def test_the_level_is_two(node: Node) -> None:
    node.command("dcgmi", f'echo "$@" > {node.root}/asked; echo "{{}}"')
    with pytest.raises(running.Unreadable):
        node.look("dcgm-medium")
    assert (node.root / "asked").read_text() == "diag --run 2 --json\n"


def test_exit_code_is_not_believed_alone(node: Node) -> None:
    node.prints("dcgmi", "Error: unable to establish a connection")
    with pytest.raises(running.Unreadable, match="unable to establish"):
        node.look("dcgm-medium")
    node.prints("dcgmi", diagnostic("Pass"), 1)
    with pytest.raises(running.Unreadable, match="exited 1"):
        node.look("dcgm-medium")
    node.prints("dcgmi", diagnostic("Skip"))
    with pytest.raises(running.Unreadable, match="every test was skipped"):
        node.look("dcgm-medium")


def test_hanging_and_missing_diagnostic(node: Node) -> None:
    with pytest.raises(running.Missing):
        node.look("dcgm-medium")
    node.hangs("dcgmi")
    with pytest.raises(running.Hung):
        node.look("dcgm-medium", seconds=0.5)
    node.expect(kind="neuron")
    assert dcgm_medium.applies(node.expected) is not None
