"""The reference page of software versions, docs/reference/software.md.

`python -m tools.docs software` writes it; `--check` tests whether it is current.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.platforms import software


def page() -> str:
    """The page."""
    model = software.model()
    pairs = model["pairs"]
    count = sum(len(pair["rows"]) for pair in pairs)
    unknown = [pair for pair in pairs if not pair["rows"]]
    lines = "\n".join(_pairs(model))
    names = "\n".join(
        f"- {_title(model, pair['components'][0])} and {_title(model, pair['components'][1])}"
        for pair in unknown
    )
    return f"""# Software versions that work together

<!-- Written by `python -m tools.docs software`; do not edit. -->

Which versions of drivers, libraries, daemons and charts are known to work together, and which are
known not to: {count} rows for {len(pairs)} pairs of components, each with its source and date. The
rows are `clusterwright/catalog/sources/software.csv`. They are used in three places:

- **Declared**: `software` in the spec, or in a compute group, states versions.
  `clusterwright check` compares them with each other, with the instance types and with the
  versions of Kubernetes, charts and operating system that other keys imply (rule CW-I030). A pair
  that no row covers is *unverified*: it is counted, and it is neither a pass nor a failure.
- **Seen**: on nodes with Slurm, the step `software_versions` reads the installed versions, refuses
  combinations that are known not to work, and refuses a version that contradicts the declared
  one. The report is `/var/lib/clusterwright/software.json`. Nodes of EKS have no such step.
- **Proven**: the log of a job shows what it ran with; a container's libraries differ from those of
  the node. From a log with `NCCL_DEBUG=INFO`, `clusterwright diagnose FILE --log LOG` reads the
  versions of NCCL, aws-ofi-nccl, libfabric and CUDA, compares them with each other and with the
  declared ones, and reports ranks that differ, TCP instead of EFA, and missing EFA interfaces.

A declared version may be less precise than the installed one: `2.27` agrees with 2.27.5. Newer
versions than those in the rows are unverified, not refused.

| Verdict | Meaning |
|---|---|
| requires | the second component must be in the range; otherwise the pair is refused |
| works | the two versions were released or tested together |
| fails | the two versions do not work together; the pair is refused |
| end-of-life | the second version no longer supports the first; a warning |

A range `2.1` contains 2.1.x; `p6-b200*` the instance types that begin with `p6-b200`; `=` the
version of the first component.

{lines}

## Pairs without a source

No public source states which versions of these work together. They are always unverified:

{names}

Releases of munge from 0.5.5 to 0.5.15 work with each other, whatever Slurm they serve
([dun/munge#126](https://github.com/dun/munge/issues/126), its maintainer, 2022-09-11). For the
GPUs of p6-b300 and p6e-gb200 no source states the lowest driver.

Faults of releases of ParallelCluster, of HyperPod's images and of charts are in
`clusterwright/platforms/known_faults.py` (CW-I017), because they depend on the cluster and not on
a second version. The lowest drivers of CUDA are limits of the [catalogue](catalog.md).
"""


def _pairs(model: Mapping[str, Any]) -> Iterator[str]:
    for pair in model["pairs"]:
        if not pair["rows"]:
            continue
        first, second = (_title(model, name) for name in pair["components"])
        rule = pair["rule"][0].upper() + pair["rule"][1:]
        yield f"## {first} and {second}\n\n{rule}.\n"
        yield "| Component | Version | Verdict | Component | Version | If | Note | Source |"
        yield "|---|---|---|---|---|---|---|---|"
        for row in pair["rows"]:
            cells = (
                _title(model, row["subject"]),
                _code(row["versions"]),
                row["verdict"],
                _title(model, row["other"]),
                _code(row["other_versions"]),
                _code(row["condition"]) if row["condition"] else "",
                row["note"],
                f"{row['source']}, {row['date']}",
            )
            yield f"| {' | '.join(cells)} |"
        yield ""


def _title(model: Mapping[str, Any], component: str) -> str:
    return str(model["components"][component])


def _code(text: str) -> str:
    escaped = text.replace("|", "\\|")
    return f"`{escaped}`"
