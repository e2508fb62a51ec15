"""A snapshot of each job, on one cluster with Slurm and one with Kubernetes.

Parts that many jobs share (`shell/`) and programs (`programs/`) have tests of their own: a line
names them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from clusterwright.catalog import load_catalog
from clusterwright.job_templates import slurm
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import listed, render
from clusterwright.job_templates.template import JobTemplate
from tests.job_templates.made import (
    DIGEST,
    NOW,
    SPEC,
    example,
    kubernetes_cluster,
    made_cluster,
    required_settings,
)
from tests.platforms.kubernetes.specs import EKS

COMPUTE: list[dict[str, Any]] = SPEC["compute"]
SHELL = sorted(Path(slurm.__file__).with_name("shell").glob("*.sh"))
OFFERED = [template for template in all_templates() if template.unavailable is None]
EXAMPLES = {
    "neuron": "configs/examples/trn2-1.yaml",
    "stage-data": "configs/examples/p5-8.yaml",
}
"""Where the cluster of the tests lacks the accelerators or a data repository."""
MORE_NODES = [group | {"count": 17} if "hopper" in group.values() else group for group in COMPUTE]
IMAGE = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/training@{DIGEST}"


class TextFile(SingleFileSnapshotExtension):
    """One file for each job, with its name."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """The id of the test: the job."""
        del index
        return test_location.snapshot_name.partition("[")[2].rstrip("]")


def _without_shared_parts(text: str) -> str:
    for path in SHELL:
        lines = slurm.fragment(path.stem).split("\n")
        for indent in ("", " " * 4):
            part = "\n".join(indent + line if line else "" for line in lines)
            text = text.replace(part, f"{indent}... {path.name}")
    # Programs in here-documents and in ConfigMaps.
    text = re.sub(r"(<<'(END_OF_\w+_PY)'\n).*?\n(?=\2\n)", r"\1...\n", text, flags=re.DOTALL)
    return re.sub(r"(?m)^( +)([\w.-]+\.py: )\|.*\n(?:\1 .*\n|\n)+", r"\1\2...\n", text)


def _rendered(template: JobTemplate, kind: str) -> str:
    if kind == "kubernetes":
        cluster = kubernetes_cluster(EKS)
    else:
        own = EXAMPLES.get(template.name)
        changes = {"compute": MORE_NODES} if template.name == "mlperf-gpt3-175b" else {}
        cluster = example(own) if own is not None else made_cluster(**changes)
    if kind == "kubernetes" and template.kubernetes is None:
        return f"not on Kubernetes: {template.kubernetes_refusal}\n"
    catalog = load_catalog()
    found = listed(cluster, catalog, template)
    if not found.available:
        return f"refused: {found.reason}\n"
    given = required_settings(template)
    if template.image == "required" or kind == "kubernetes":
        given["image"] = IMAGE
    if kind == "kubernetes":
        given["tenant"] = cluster.tenants[0].name
    return render(cluster, catalog, template, given, None, NOW).text


@pytest.mark.parametrize("template", OFFERED, ids=lambda template: str(template.name))
def test_job(template: JobTemplate, snapshot: SnapshotAssertion) -> None:
    texts = [
        f"==== {kind}\n{_without_shared_parts(_rendered(template, kind))}"
        for kind in ("slurm", "kubernetes")
    ]
    assert "\n".join(texts) == snapshot(extension_class=TextFile)
