"""The page docs/reference/acceptance.md: checks, floors and their sources."""

from __future__ import annotations

import json
from typing import Any, Final

from tools.docs.acceptance_checks import LIFECYCLE, table

_FLOORS: Final = LIFECYCLE / "clusterwright_acceptance" / "floors.json"
_TEXT: Final = """\
# Acceptance checks and floors

<!-- Written by `python -m tools.docs acceptance`. -->

[`clusterwright accept`](../how-to/accept-a-cluster.md) runs these checks on compute nodes of
platforms with Slurm. Each level includes those before it. The authors have not run them on
hardware: programs and their output are emulated in the tests.

## Verdicts

| Verdict of a check | Meaning |
|---|---|
| pass | the expectation, or the floor, is reached |
| fail | it is not; the node is rejected |
| hung | the program did not end in its time; the node is rejected |
| unknown | it was not measured, a program is missing, or no floor is known; so is the node |
| skipped | the check does not apply to the node |

A node is accepted if no check failed, hung or is unknown. What resolves a failure is `report`
(change software or configuration), `check` (the next level finds out more), `reboot` or `replace`.
"""
_SEVERAL_TEXT: Final = """\
## All-reduce over several nodes

`pairs` and `cluster-allreduce` run nccl-tests on nodes with GPUs, and nccom-test on nodes of
Trainium with Slurm. Both are concluded from in the same way: a bad pair blames neither node, and
further rounds with other partners tell a bad node from a bad path.

On Trainium each test is a job with one task on each node, whose first task starts nccom-test in
its Slurm mode (guide of v2.28.1); nccom-test then starts its ranks, one for each logical
NeuronCore, as another step of the same job. Its guide does not say how it reports a node that
stopped, or ranks that did not start, so nothing depends on its messages. Slurm reports a node that
stops; each task looks whether a process of the other step appears on its node. A pair is

- *good* if nccom-test ends with a report of the size, the floor is reached and an EFA device of
  each node sent something;
- *bad* if nccom-test fails after its ranks started, or its job does not end in its time;
- *not tested* if its ranks did not start on a node within 60 s, or nccom-test is missing or has no
  Slurm mode: MPI over SSH is not used. Both nodes are tried with another partner; a node whose
  tests never start is unknown, not rejected.

The sizes are 128 MiB to 1 GiB, pairs have 1 GiB. nccom-test's GB are GiB. A floor is known only
for two trn1.32xlarge. On Kubernetes nccom-test cannot start ranks on several nodes, and these two
checks do not run on Trainium. The authors have not run nccom-test: in the tests of Clusterwright
it is emulated by a program that starts its ranks with Slurm's `srun`.
"""
_FLOOR_TEXT: Final = """\
## Floors

A reference was measured by somebody; a floor is the reference times our factor, or a pass mark of
others. Between measured sizes and numbers of nodes a floor is interpolated, linearly in their
logarithms. Outside of them it is unknown, never extrapolated. Where no floor is known, the
cluster's own nodes of one type are compared: with three or more nodes, one that is more than three
median absolute deviations and more than 5 % below the median fails. The result is kept as the
cluster's baseline, and later runs compare with it.
"""


def page() -> str:
    """The page."""
    floors = json.loads(_FLOORS.read_text(encoding="utf-8"))
    return (
        "\n".join([_TEXT, _checks(), _SEVERAL_TEXT, _FLOOR_TEXT, *_floors(floors)]).rstrip() + "\n"
    )


def _checks() -> str:
    found = table()
    lines = ["## Checks", ""]
    for level, limit in found["level_limit_seconds"].items():
        lines += [f"### Level {level} (at most {_duration(limit)} on a node)", ""]
        lines += [
            "| Check | What it tests | Nodes | Program | Planned |",
            "|---|---|---|---|---:|",
        ]
        for check in found["checks"]:
            if check["level"] != level:
                continue
            nodes = "all" if len(check["kinds"]) == 3 else ", ".join(check["kinds"])
            nodes += " with EFA" if check["needs_efa"] else ""
            nodes += ", several at once" if check["scope"] == "nodes" else ""
            programs = ", ".join(f"`{name}`" for name in check["needs"]) or "–"
            lines.append(
                f"| `{check['id']}` | {check['about']} | {nodes} | {programs} |"
                f" {check['planned_seconds']} s |"
            )
        lines.append("")
    return "\n".join(lines)


def _floors(floors: dict[str, Any]) -> list[str]:
    factors = floors["factors"]
    lines = [f"Factors: {', '.join(f'{name} {value}' for name, value in factors.items())}.", ""]
    lines += ["### All-reduce within a node, and copies between host and GPU", ""]
    lines += ["| Check | GPU | GB/s | Is | Source |", "|---|---|---:|---|---|"]
    for check, key in (("nvlink-allreduce", "nvlink_allreduce"), ("host-copy", "host_copy")):
        for row in floors[key]:
            kind = "floor" if "floor" in row else "reference"
            lines.append(
                f"| `{check}` | {row['accelerator']} | {row[kind]} | {kind} | {row['source']} |"
            )
    pair = floors["pair_ring"]
    lines += [
        "",
        "### Pairs of nodes",
        "",
        f"{pair['gbps_per_400gbit']} GB/s for each 400 Gb/s of the instance's network, up to "
        f"{pair['largest_network_gbps']} Gb/s, with NCCL's ring and {pair['size_mib']} MiB: "
        f"{pair['source']}. On Trainium the reference is that of two nodes and 1024 MiB below.",
        "",
    ]
    lines += ["### All-reduce over several nodes, references in GB/s", ""]
    for curve in floors["network_allreduce"]:
        nodes = [str(count) for count in curve["nodes"]]
        lines += [f"{curve['type']}: {curve['source']}", ""]
        lines += [f"| MiB | {' | '.join(f'{count} nodes' for count in nodes)} |"]
        lines += [f"|---:|{'---:|' * len(nodes)}"]
        lines += [
            f"| {size} | {' | '.join(str(value) for value in values)} |"
            for size, values in curve["sizes_mib"].items()
        ]
        lines.append("")
    same = [
        f"{name} is compared as {entry['type']} ({entry['reason']})"
        for name, entry in floors["same_as"].items()
    ]
    if same:
        lines += [f"{'; '.join(same)}.", ""]
    lines += [
        "### Writing to Lustre",
        "",
        "The least of the file system's tier, its servers' network baseline and the clients' "
        f"interfaces, times {factors['storage']}: {floors['lustre_source']}.",
        "",
        "Where three or more nodes write, one that is more than three median absolute deviations "
        "and more than 50 % below their median fails. So does one on which `fio` fails or does "
        "not end, if most of the others wrote.",
        "",
    ]
    return lines


def _duration(seconds: int) -> str:
    return f"{seconds // 3600} h" if seconds >= 3600 else f"{seconds // 60} min"
