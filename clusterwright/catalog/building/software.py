"""The document of software versions that work together, and the node program's copies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from clusterwright.catalog.building import inputs

VERDICTS: Final = ("works", "fails", "requires", "end-of-life")

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_NODES: Final = _PACKAGE.parent / "lifecycle_scripts" / "clusterwright_node"

COPIES: Final = {
    _PACKAGE / "catalog" / "data" / "software.json": _NODES / "software.json",
    _PACKAGE / "platforms" / "software_pairs.py": _NODES / "software_pairs.py",
}
"""Files of this package to their copies in the node program, which imports nothing of it."""

_LOWEST_DRIVER: Final = re.compile(r"cuda\.driver_min_(\d+)")


def software() -> dict[str, Any]:
    """`software.json`: components by name, and pairs of them with their rows."""
    sources = {row["id"]: row for row in inputs.rows("sources.csv")}
    rows = [*_cuda_rows(), *inputs.rows("software.csv")]
    pairs: dict[frozenset[str], dict[str, Any]] = {}
    for row in inputs.rows("software_pairs.csv"):
        components = [row["first"], row["second"]]
        pairs[frozenset(components)] = {"components": components, "rule": row["rule"], "rows": []}
    for row in rows:
        assert row["verdict"] in VERDICTS, row
        source = sources[row["source"]]
        kept = {key: row[key] for key in ("subject", "versions", "other", "other_versions")}
        kept |= {key: row[key] for key in ("verdict", "condition", "note")}
        pairs[frozenset((row["subject"], row["other"]))]["rows"].append(
            {**kept, "source": source["title"], "date": source["date"]}
        )
    return {
        "schema_version": 1,
        "components": {
            row["component"]: row["title"] for row in inputs.rows("software_components.csv")
        },
        "pairs": list(pairs.values()),
    }


def _cuda_rows() -> list[dict[str, str]]:
    """The lowest drivers of CUDA, which are limits of the catalogue."""
    found = []
    for row in inputs.rows("limits.csv"):
        match = _LOWEST_DRIVER.fullmatch(row["key"])
        if match is not None:
            found.append(
                {
                    "subject": "cuda",
                    "versions": match.group(1),
                    "other": "nvidia_driver",
                    "other_versions": f">={row['value']}",
                    "verdict": "requires",
                    "condition": "unless:cuda_compat",
                    "note": "",
                    "source": row["source"],
                }
            )
    return found
