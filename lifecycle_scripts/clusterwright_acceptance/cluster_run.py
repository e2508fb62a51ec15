"""The all-reduce of several nodes: pairs in rounds, and all nodes.

Every result is written before the next test starts: a run that was killed goes on, and gives the
same pairs. Each all-reduce is believed only if no value was wrong and it used EFA: with NCCL, by
what it says and by the traffic counters of every interface; with nccom-test, by the counters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

from clusterwright_acceptance import baseline, floors, nccl_output, pairs, running
from clusterwright_acceptance.allreduce import Allreduce
from clusterwright_acceptance.checks import efa_devices
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.launcher import LIBRARY, Launched, Launcher
from clusterwright_acceptance.nccl_tests import NcclTests
from clusterwright_acceptance.nccom_test import NccomTest
from clusterwright_acceptance.outcome import (
    Outcome,
    Together,
    against_floor,
    failed,
    hung,
    unknown,
)
from clusterwright_acceptance.pairs import BAD, GOOD, HUNG, LOST, NOT_STARTED, Conclusion, Test

PAIR_SECONDS = 240.0
SWEEP_SECONDS = 300.0
LARGEST_JOBS_AT_ONCE = 64
MISSING, UNREADABLE, BUSY = "missing", "unreadable", "busy"
PROGRAMS: Mapping[str, Allreduce] = {"nvidia": NcclTests(), "neuron": NccomTest()}
"""By the kind of the nodes; nodes without accelerators have none."""


@dataclass(frozen=True)
class Measured:
    """One all-reduce. `value` in GB/s is that of the largest size, `values` are all by MiB.

    `verdict` is good, bad, hung, lost, missing, unreadable or busy; `reason` says why it is not
    good.
    """

    verdict: str
    value: Optional[float]
    reason: str
    lost: tuple[str, ...] = ()
    values: Mapping[int, float] = field(default_factory=dict)


def program(expected: Expected, launcher: Launcher) -> Optional[Allreduce]:
    """The program for these nodes; None where there is none, as in pods for Neuron devices."""
    if expected.kind == "neuron" and hasattr(launcher, "allreduce_argv"):
        return None
    return PROGRAMS.get(expected.kind)


def run_pairs(
    nodes: Sequence[str],
    expected: Expected,
    launcher: Launcher,
    path: Path,
    run: str,
    say: Optional[Callable[[str], None]] = None,
) -> tuple[Conclusion, list[Test]]:
    """Test pairs in rounds until the bad node is named. `path` is the journal of the run `run`.

    Where no floor is known the pairs are compared with each other; with fewer than three figures
    nothing can be concluded. A pair that does not start says nothing about other pairs.

    Raises
    ------
    Missing
        No pair started, as where a program that the test needs is not on the nodes.
    OSError
        The journal cannot be written.
    """
    raw = _kept_tests(records.read(path), run)
    floor = PROGRAMS[expected.kind].pair_floor(expected).value
    while True:
        limit = _relative_floor([test.value for test in raw]) if floor is None else floor
        tests = [_judged(test, limit) for test in raw]
        # It depends on results only: after a restart the pairs of a round that are left come next.
        wanted = pairs.next_round(nodes, tests)
        if not wanted:
            if raw and all(test.verdict == NOT_STARTED for test in raw):
                raise running.Missing(raw[0].reason)
            found = pairs.conclude(nodes, tests)
            if limit is None and any(test.verdict == GOOD for test in tests):
                found = replace(found, suspects=(), cleared=(), unknown=tuple(nodes))
            return found, tests
        if say is not None:
            say(f"{len(wanted)} pairs")
        hangs = {node for test in raw if test.verdict == HUNG for node in test.pair}
        with ThreadPoolExecutor(max_workers=LARGEST_JOBS_AT_ONCE) as pool:
            jobs = {pool.submit(measure_pair, pair, expected, launcher): pair for pair in wanted}
            for job in as_completed(jobs):
                pair, one = jobs[job], job.result()
                verdict = BAD if one.verdict == UNREADABLE else one.verdict
                if one.verdict == BUSY and hangs & set(pair):
                    # Such as a program that hangs in a driver, which cannot be killed.
                    verdict = HUNG
                elif one.verdict in (MISSING, BUSY):
                    verdict = NOT_STARTED
                raw.append(Test(*pair, verdict, one.value, one.lost, one.reason))
                records.write(path, _journal(run, raw))
        # The order of results is that of the pairs, not that in which they ended.
        raw.sort(key=lambda test: (nodes.index(test.first), nodes.index(test.second)))


def measure_pair(pair: tuple[str, str], expected: Expected, launcher: Launcher) -> Measured:
    """An all-reduce of two nodes of one size."""
    own = PROGRAMS[expected.kind]
    sizes = (own.pair_mib,)
    return measure_allreduce(pair, expected, launcher, sizes, PAIR_SECONDS, own.pair_env)


def measure_allreduce(
    nodes: Sequence[str],
    expected: Expected,
    launcher: Launcher,
    sizes_mib: Sequence[int],
    seconds: float,
    env: Mapping[str, str],
) -> Measured:
    """Run the program of the nodes' kind over them, and check by what means it ran."""
    own = PROGRAMS[expected.kind]
    command = own.command(expected, launcher, len(nodes), sizes_mib)
    before = traffic_of(nodes, launcher) if expected.efa else {}
    done = launcher.run(
        nodes,
        command.argv,
        tasks_per_node=command.tasks_per_node,
        timeout_seconds=seconds,
        env={**command.env, **env},
    )
    if done.lost:
        return Measured(LOST, None, f"{', '.join(done.lost)} stopped", done.lost)
    reason = own.why_hung(nodes, done, seconds)
    if reason is not None:
        return Measured(HUNG, None, reason)
    reason = own.why_not_run(nodes, command, done)
    if reason is not None:
        return Measured(MISSING, None, reason)
    if done.exit_code is None:
        return Measured(HUNG, None, f"did not end within {seconds:.0f} s")
    if not done.started:
        # Such as an MPI plug-in that this Slurm does not have: it says nothing about the nodes.
        lines = done.output.strip().splitlines()
        reason = lines[-1][:200] if lines else "srun printed nothing"
        return Measured(BUSY if done.busy else MISSING, None, reason)
    try:
        found = own.read(done, sizes_mib)
    except nccl_output.BadOutput as error:
        return Measured(BAD if done.exit_code else UNREADABLE, None, str(error))
    bad = found.bad or _why_not_trusted(nodes, expected, launcher, done, before)
    value = found.values.get(sizes_mib[-1])
    return Measured(GOOD if bad is None else BAD, value, bad or "", values=found.values)


def cluster_allreduce(
    nodes: Sequence[str], expected: Expected, launcher: Launcher
) -> dict[int, Together]:
    """What an all-reduce over all nodes shows, by size in MiB.

    A size is unknown where no measurement covers the size and the number of nodes; the cluster's
    baseline decides then.
    """
    own = PROGRAMS[expected.kind]
    one = measure_allreduce(nodes, expected, launcher, own.sweep_mib, SWEEP_SECONDS, {})
    lost = {node: failed("the node stopped", "check") for node in one.lost}
    found: dict[int, Outcome] = {}
    for mib in own.sweep_mib:
        if one.verdict == HUNG:
            usual = hung(own.program, SWEEP_SECONDS)
            found[mib] = replace(usual, reason=f"{own.program} {one.reason}")
        elif one.verdict in (MISSING, UNREADABLE, BUSY):
            found[mib] = unknown(one.reason)
        elif one.verdict != GOOD:
            found[mib] = failed(one.reason, "check")
        else:
            floor = floors.allreduce(expected, len(nodes), mib)
            found[mib] = against_floor(one.values[mib], "GB/s", floor.value, floor.source)
    return {mib: Together(outcome, lost) for mib, outcome in found.items()}


def traffic_of(nodes: Sequence[str], launcher: Launcher) -> dict[str, dict[str, dict[str, int]]]:
    """The EFA traffic counters of the nodes; a node whose counters cannot be read is left out."""
    argv = ["/usr/bin/python3", "-B", "-m", "clusterwright_acceptance", "counters"]
    done = launcher.run(
        nodes, argv, tasks_per_node=1, timeout_seconds=60.0, env={"PYTHONPATH": LIBRARY}
    )
    found: dict[str, dict[str, dict[str, int]]] = {}
    for line in nccl_output.stripped(done.stdout):
        try:
            row = json.loads(line)
            found[str(row["node"])] = dict(row["efa"])
        except (ValueError, KeyError, TypeError):
            continue
    return found


def pair_suspects(conclusion: Conclusion) -> list[dict[str, Any]]:
    """The suspects as in the report: kind, names, evidence."""
    return [
        {"kind": one.kind, "names": list(one.names), "evidence": one.evidence}
        for one in conclusion.suspects
    ]


def pair_outcomes(
    nodes: Sequence[str], conclusion: Conclusion, tests: Sequence[Test]
) -> dict[str, Outcome]:
    """The outcome of the check `pairs` for each node."""
    blamed = {
        name: one
        for one in conclusion.suspects
        if one.kind in ("node", "lost")
        for name in one.names
    }
    best: dict[str, float] = {}
    for test in tests:
        for node in test.pair:
            if test.value is not None:
                best[node] = max(best.get(node, 0.0), test.value)
    found = {}
    for node in nodes:
        value = best.get(node)
        if node in blamed:
            found[node] = failed(blamed[node].evidence, "check", value=value, unit="GB/s")
        elif node in conclusion.cleared:
            found[node] = Outcome("pass", value=value, unit="GB/s")
        elif node in conclusion.not_started:
            reasons = [test.reason for test in tests if node in test.pair]
            found[node] = unknown(f"not tested: {reasons[-1]}")
        else:
            reasons = [one.evidence for one in conclusion.suspects if node in one.names]
            text = reasons[0] if reasons else "no good pair says which node is bad"
            found[node] = unknown(text, value=value, unit="GB/s")
    return found


def _why_not_trusted(
    nodes: Sequence[str],
    expected: Expected,
    launcher: Launcher,
    done: Launched,
    before: Mapping[str, Mapping[str, Mapping[str, int]]],
) -> Optional[str]:
    if not expected.efa or expected.type.efa_interfaces == 0:
        return None
    own = PROGRAMS[expected.kind]
    reason = own.why_not_efa(done, expected.type.efa_interfaces)
    if reason is not None:
        return reason
    after = traffic_of(nodes, launcher)
    missing = [node for node in nodes if node not in after or node not in before]
    if missing:
        return f"the EFA counters of {missing[0]} cannot be read"
    for node in nodes:
        earlier = {name: dict(found) for name, found in before[node].items()}
        idle = efa_devices.idle_devices(earlier, after[node])
        reason = own.why_idle(node, idle, len(after[node]))
        if reason is not None:
            return reason
    return None


def _judged(test: Test, limit: Optional[float]) -> Test:
    if test.verdict != GOOD or test.value is None or limit is None or test.value >= limit:
        return test
    reason = f"{test.value:.4g} GB/s, the floor is {limit:.4g} GB/s"
    return replace(test, verdict=BAD, reason=reason)


def _relative_floor(values: Sequence[Optional[float]]) -> Optional[float]:
    """The floor from the cluster's own pairs; None with fewer than three figures."""
    known = [value for value in values if value is not None]
    if len(known) < baseline.FEWEST_NODES:
        return None
    middle, deviation = baseline.measure(known)
    return middle - max(baseline.DEVIATIONS * deviation, baseline.SHARE * middle)


def _journal(run: str, tests: Sequence[Test]) -> dict[str, Any]:
    return {"schema_version": 1, "run": run, "tests": [asdict(test) for test in tests]}


def _kept_tests(content: Mapping[str, Any], run: str) -> list[Test]:
    if content.get("run") != run:
        return []
    rows = content.get("tests")
    return [
        replace(Test(**row), lost=tuple(row["lost"]))
        for row in (rows if isinstance(rows, list) else [])
    ]
