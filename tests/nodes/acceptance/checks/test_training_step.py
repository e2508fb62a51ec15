"""A small training."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import training_step

from tests.nodes.acceptance.fake_node import Node

GOOD = (2.0, 1.5, 1.25)


def losses(node: Node, *runs: tuple[float, ...]) -> None:
    text = json.dumps({"losses": [[value.hex() for value in own] for own in runs]})
    node.command("torch-python", f"[ \"$2\" = 'import torch' ] || echo '{text}'")


def test_equal_losses_pass_and_are_a_fact(node: Node) -> None:
    losses(node, *[GOOD] * 8)
    found = node.look("training-step")
    assert (found.verdict, found.value) == ("pass", 1.25)
    assert found.facts == {"losses": (1.25).hex()}


@pytest.mark.parametrize(
    ("runs", "reason", "action"),
    [
        (
            [GOOD] * 7 + [(2.0, 1.5, 1.2500001)],
            "GPU 7: other losses than the 7 other GPUs",
            "replace",
        ),
        ([GOOD, (2.0, 1.5, float("nan"))], "GPU 1: a loss is not finite", "replace"),
        ([(2.0, 2.0)] * 8, "the loss did not fall", "check"),
        ([GOOD, (2.0, 1.0)], "the GPUs' losses differ, without a majority", "check"),
    ],
)
def test_other_losses_fail(
    node: Node, runs: list[tuple[float, ...]], reason: str, action: str
) -> None:
    losses(node, *runs)
    found = node.look("training-step")
    assert (found.verdict, found.reason, found.action) == ("fail", reason, action)


def test_no_losses_are_no_pass(node: Node) -> None:
    losses(node)
    with pytest.raises(running.Unreadable):
        node.look("training-step")


def test_program_is_valid() -> None:
    compile(training_step.PROGRAM, "training", "exec")
