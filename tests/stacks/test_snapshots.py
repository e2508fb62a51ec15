"""Complete templates, so that reviews show changes.

Asset and script digests change with every edit of a script, and are replaced by placeholders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from stacks.base.spec_metadata import KEY
from tests.support.rich_specs import EKS, FULL, HYPERPOD_EKS, PARALLELCLUSTER
from tests.support.synthesis import Assembly, Build

PARTS = (
    "identity",
    "network",
    "storage",
    "accounting",
    "lifecycle",
    "observability",
    "cluster",
)


class TemplateFile(SingleFileSnapshotExtension):
    """One readable file per template."""

    _write_mode = WriteMode.TEXT
    file_extension = "json"


@pytest.fixture
def templates(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TemplateFile)


@pytest.mark.parametrize("part", PARTS)
def test_template_of_a_spec_with_every_feature(
    part: str, build: Build, templates: SnapshotAssertion
) -> None:
    assert normalised(build(FULL), f"test-{part}") == templates(name=f"full-{part}")


# Without a stack `identity`: the key exists, and the roles are in the stack of the cluster.
@pytest.mark.parametrize("part", ["lifecycle", "observability", "cluster"])
def test_template_of_a_cluster_in_an_existing_network(
    part: str, synth: Callable[[str | Path], Assembly], templates: SnapshotAssertion
) -> None:
    assembly = synth("configs/examples/existing-network.yaml")
    assert normalised(assembly, f"existing-{part}") == templates(name=f"existing-{part}")


@pytest.mark.parametrize("part", ["identity", "lifecycle", "cluster", "operators"])
def test_template_of_hyperpod_with_eks(
    part: str, build: Build, templates: SnapshotAssertion
) -> None:
    assembly = build(HYPERPOD_EKS)
    assert normalised(assembly, f"test-{part}") == templates(name=f"hyperpod-eks-{part}")


@pytest.mark.parametrize("part", ["identity", "kubernetes", "addons"])
def test_template_of_eks(part: str, build: Build, templates: SnapshotAssertion) -> None:
    assert normalised(build(EKS), f"test-{part}") == templates(name=f"eks-{part}")


def test_template_of_small_node_groups(
    synth: Callable[[str | Path], Assembly], templates: SnapshotAssertion
) -> None:
    assembly = synth("configs/dev-eks.yaml")
    assert normalised(assembly, "dev-eks-cluster") == templates(name="dev-eks-cluster")


@pytest.mark.parametrize("part", ["identity", "accounting", "lifecycle", "cluster"])
def test_template_of_parallelcluster(
    part: str, build: Build, templates: SnapshotAssertion
) -> None:
    assembly = build(PARALLELCLUSTER)
    assert normalised(assembly, f"test-{part}") == templates(name=f"parallelcluster-{part}")


def normalised(assembly: Assembly, stack: str) -> str:
    template: dict[str, Any] = assembly.templates[stack]
    # Every template has them, and they are independent of the cluster.
    template = {k: v for k, v in template.items() if k not in ("Parameters", "Rules")}
    text = json.dumps(template, indent=1, sort_keys=True)
    text = re.sub(r"\b[0-9a-f]{64}\.zip", "<asset>.zip", text)
    text = re.sub(r"(lifecycle/(?:queues/)?)[0-9a-f]{16}", r"\1<digest>", text)
    # The manifest of the scripts, an argument of ParallelCluster's custom actions.
    text = re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text)
    # It contains every leaf of the spec; tests/cluster_spec and schema/ show those.
    text = re.sub(rf'"{KEY}": ".*"', f'"{KEY}": "<the resolved spec>"', text)
    return text + "\n"
