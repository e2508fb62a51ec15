"""Migration of a spec in a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration import Migration, migrate
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PlatformName


def moved(
    spec: dict[str, Any] | LoadedSpec, target: PlatformName, file: Path
) -> tuple[Migration, LoadedSpec]:
    if isinstance(spec, dict):
        source = file.with_name(f"of-{file.name}")
        source.write_text(json.dumps(spec, indent=1), encoding="utf-8")
        spec = load_cluster(source)
    found = migrate(spec, target, load_catalog(), folder=file.parent)
    file.write_text(found.text, encoding="utf-8")
    return found, load_cluster(file)
