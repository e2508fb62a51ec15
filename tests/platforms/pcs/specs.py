"""Specs of PCS as clusters, and the problems of a changed one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import SpecErrors
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis
from tests.support.rich_specs import PCS_MINIMAL, changed


def cluster(folder: Path, spec: dict[str, Any] = PCS_MINIMAL, **changes: Any) -> Cluster:
    """A valid cluster of a spec."""
    path = folder / "spec.yaml"
    path.write_text(json.dumps(changed(spec, **changes)), encoding="utf-8")
    loaded = load_cluster(path)
    validate_for_synthesis(loaded)
    return loaded.cluster


def problems(folder: Path, spec: dict[str, Any] = PCS_MINIMAL, **changes: Any) -> list[str]:
    """The problems of a changed spec, each with its path; empty if it is valid."""
    try:
        cluster(folder, spec, **changes)
    except SpecErrors as errors:
        return [str(problem) for problem in errors]
    return []
