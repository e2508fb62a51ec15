"""The checks of the node program for the price before a run: `acceptance_checks.json`."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

LIFECYCLE: Final = Path(__file__).resolve().parents[2] / "lifecycle_scripts"
TYPES: Final = {"nvidia": "p5.48xlarge", "neuron": "trn1.32xlarge", "none": "c7i.48xlarge"}
"""A type of each kind with everything that a check can need."""


def table() -> dict[str, Any]:
    """The levels, and the checks with the kinds of nodes to which they apply."""
    if str(LIFECYCLE) not in sys.path:
        sys.path.append(str(LIFECYCLE))
    # The node program imports nothing of the product, and the product nothing of it.
    registry = importlib.import_module("clusterwright_acceptance.registry")
    expected = importlib.import_module("clusterwright_acceptance.expected")
    floors, several, comparison = (
        importlib.import_module(f"clusterwright_acceptance.{name}")
        for name in ("floors", "cluster_run", "comparison")
    )
    nodes = {
        kind: expected.Expected(
            "node",
            name,
            kind,
            lustre=(expected.FileSystem("/fsx"),),
            home_path="/home",
            scratch_path="/scratch",
        )
        for kind, name in TYPES.items()
    }
    rows = []
    for check in registry.checks():
        if check.scope == registry.NODE:
            applies = check.load().applies
            kinds = [kind for kind, node in nodes.items() if applies(node) is None]
            needs_efa = all(applies(replace(nodes[kind], efa=False)) for kind in kinds)
        else:
            kinds = list(TYPES if check.id == "lustre-write" else several.PROGRAMS)
            needs_efa = False
        rows.append(
            {
                "id": check.id,
                "level": check.level,
                "scope": check.scope,
                "planned_seconds": check.planned_seconds,
                "kinds": kinds,
                "needs_efa": bool(needs_efa),
                "needs": list(check.needs),
                "about": check.about,
            }
        )
    limits = {level: registry.limit_seconds(level) for level in registry.levels()}
    return {
        "schema_version": 1,
        "level_limit_seconds": limits,
        "floor_units": dict(floors.OWN_UNITS),
        "sweep_mib": sorted({mib for own in several.PROGRAMS.values() for mib in own.sweep_mib}),
        "comparison": comparison.ID,
        "checks": rows,
    }


def text() -> str:
    """The file, one line for each check."""
    found = table()
    rows = ",\n".join(f"    {json.dumps(row)}" for row in found["checks"])
    return (
        '{\n  "schema_version": 1,\n  "source": "lifecycle_scripts/clusterwright_acceptance,'
        ' written by `python -m tools.docs acceptance-checks`",\n'
        f'  "level_limit_seconds": {json.dumps(found["level_limit_seconds"])},\n'
        f'  "floor_units": {json.dumps(found["floor_units"])},\n'
        f'  "sweep_mib": {json.dumps(found["sweep_mib"])},\n'
        f'  "comparison": {json.dumps(found["comparison"])},\n'
        f'  "checks": [\n{rows}\n  ]\n}}\n'
    )
