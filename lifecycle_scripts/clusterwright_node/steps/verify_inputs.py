"""Check that cluster.json, deployment.json, HyperPod's files and the entry script agree.

The program reports files that cannot be read or parsed earlier, under the name of this step.
"""

from __future__ import annotations

from clusterwright_node.disagreements import disagreements
from clusterwright_node.errors import InputsError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict

AFTER = ("identify",)
DEADLINE_SECONDS = 10
RETRIES = 0


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    found = disagreements(node.inputs, node.configuration)
    if found:
        raise InputsError(
            found, "deploy again: the files come from different deployments or specs"
        )
    return SATISFIED


def apply(node: Node) -> None:
    raise AssertionError("check either raises or is satisfied")
