"""Writing to Lustre from all nodes at once, and the nodes that are slow or do not end.

Each node's line has its name, because srun numbers tasks in an order of its own. A node that
fails must not end the others, as srun would: it says so, and exits with 0. It is named only if
most nodes wrote; else the file system itself may be the cause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clusterwright_acceptance import baseline, benchmarks, floors, nccl_output
from clusterwright_acceptance.expected import NODE_VARIABLE, Expected, FileSystem
from clusterwright_acceptance.launcher import Launched, Launcher
from clusterwright_acceptance.outcome import (
    FAIL,
    Outcome,
    Together,
    against_floor,
    failed,
    hung,
    unknown,
)

SECONDS = 150.0
SHARE = 0.5
"""A node fails below this share of the median: nodes that write to the same servers of Lustre
share them, so good nodes differ far more than in other tests."""
MOST_NAMED = 8
_NO_PROGRAM = 127
_FAILED = re.compile(r"(?P<node>\S+) exited (?P<code>\d+): (?P<text>.*)")
_SCRIPT = """n=${{{variable}:-${{SLURMD_NODENAME:-$(hostname)}}}}
f={folder}/$n
trap 'rm -f "$f"' EXIT
o=$(mkdir -p {folder} && \
fio --name="$n" --filename="$f" {words} --output-format=terse --terse-version=3 2>&1)
c=$?
[ $c = 0 ] || o="$n exited $c: $(printf '%s\\n' "$o" | grep -v '^3;' | head -n 1)"
printf '%s\\n' "$o"
"""


def write(nodes: Sequence[str], expected: Expected, launcher: Launcher) -> dict[str, Together]:
    """What writing from all nodes at once shows, by mount path."""
    return {
        entry.mount_path: _judged(entry, nodes, expected, _written(entry, nodes, launcher))
        for entry in expected.lustre
    }


def _written(entry: FileSystem, nodes: Sequence[str], launcher: Launcher) -> Launched:
    script = _SCRIPT.format(
        variable=NODE_VARIABLE,
        folder=f"{entry.mount_path}/.clusterwright-acceptance",
        words=" ".join(benchmarks.arguments("fio", way="write", gib=16, seconds=20)),
    )
    return launcher.run(
        nodes, ["sh", "-c", script], tasks_per_node=1, timeout_seconds=SECONDS, env={}
    )


def _judged(
    entry: FileSystem, nodes: Sequence[str], expected: Expected, done: Launched
) -> Together:
    rates, errors = _rates(done.stdout), _errors(done.stdout)
    absent = [node for node in nodes if node not in rates]
    bad = {
        node: replace(one, reason=f"{entry.mount_path}: {one.reason}")
        for node, one in _bad(nodes, rates, errors, done).items()
    }
    if done.exit_code is None:
        one = hung("fio", SECONDS)
        text = f"{one.reason}{_named(' on', absent, nodes)}"
        return Together(replace(one, reason=text), bad)
    if absent:
        text = f"fio reported from {len(nodes) - len(absent)} of {len(nodes)} nodes"
        text += _named(", not from", absent, nodes)
        first = next((errors[node][1] for node in absent if node in errors), "")
        return Together(unknown(f"{text}: {first}" if first else text), bad)
    floor = floors.lustre_write(entry, len(nodes), expected.type.network_gbps)
    total = sum(rates[node] for node in nodes)
    return Together(against_floor(total, "MB/s", floor.value, floor.source), bad)


def _bad(
    nodes: Sequence[str],
    rates: Mapping[str, float],
    errors: Mapping[str, tuple[int, str]],
    done: Launched,
) -> dict[str, Outcome]:
    """The outcome of nodes that stopped, and of those that others are far better than."""
    found = {node: failed("the node stopped", "check") for node in done.lost}
    wrote = {node: rates[node] for node in nodes if node in rates}
    if len(wrote) * 2 <= len(nodes):
        return found
    if len(wrote) >= baseline.FEWEST_NODES:
        compared = baseline.compare(wrote, "MB/s", SHARE)
        found.update({node: one for node, one in compared.items() if one.verdict == FAIL})
    for node in nodes:
        if node in wrote or node in found:
            continue
        code, text = errors.get(node, (0, ""))
        if code not in (0, _NO_PROGRAM):
            found[node] = failed(f"fio exited with {code}: {text}", "check")
        elif done.exit_code is None and not code:
            found[node] = hung("fio", SECONDS)
    return found


def _named(before: str, some: Sequence[str], nodes: Sequence[str]) -> str:
    """The names, unless they are those of all nodes."""
    if not some or len(some) == len(nodes):
        return ""
    more = f" and {len(some) - MOST_NAMED} more" if len(some) > MOST_NAMED else ""
    return f"{before} {', '.join(some[:MOST_NAMED])}{more}"


def _rates(text: str) -> dict[str, float]:
    """The rates in MB/s by node of fio's terse lines, version 3: fields 3, and 48 in KiB/s."""
    found = {}
    for line in nccl_output.stripped(text):
        cells = line.strip().split(";")
        if len(cells) > 47 and cells[0] == "3" and cells[47].replace(".", "").isdigit():
            found[cells[2]] = float(cells[47]) * 1024 / 1e6
    return found


def _errors(text: str) -> dict[str, tuple[int, str]]:
    """Exit code and message by node."""
    matches = [_FAILED.match(line) for line in nccl_output.stripped(text)]
    return {one["node"]: (int(one["code"]), one["text"][:160]) for one in matches if one}
