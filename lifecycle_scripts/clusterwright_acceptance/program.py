"""The command line: `node`, `boot`, `report`, `counters`, `plan` on nodes.

`cluster` runs on the controller; on Kubernetes `kubernetes` runs in the controller's pod, `hold`
in one that follows the nodes, and the others in pods on the nodes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Optional

from clusterwright_common import acceptance_results, waiting
from clusterwright_common.probe import Probe

from clusterwright_acceptance import (
    boot,
    cluster_program,
    giving_way,
    kubernetes_hold,
    kubernetes_program,
    node_run,
    registry,
)
from clusterwright_acceptance.checks import efa_devices
from clusterwright_acceptance.expected import NODE_VARIABLE, NoExpectation, read_expected
from clusterwright_acceptance.kubernetes_api import KubernetesError, PodApi
from clusterwright_acceptance.launcher import Launcher, SrunLauncher
from clusterwright_acceptance.slurm_nodes import resources, slurm_nodes
from clusterwright_acceptance.verdicts import ACCEPTED, REJECTED

EXIT_CODES = {ACCEPTED: 0, REJECTED: 1}
UNKNOWN_EXIT, USAGE_EXIT = 2, 3


def main(argv: Sequence[str], make_probe: Optional[node_run.MakeProbe] = None) -> int:
    """Exit 0 accepted, 1 rejected or something else is wrong, 2 unknown, 3 wrong use."""
    make = make_probe or (lambda seconds: Probe(deadline_seconds=seconds))
    options = _parse(argv)
    if isinstance(options, int):
        return options
    elsewhere = {
        "counters": _counters,
        "cluster": _cluster,
        "kubernetes": _kubernetes,
        "hold": _hold,
    }
    if options.command in elsewhere:
        return elsewhere[options.command](options, make)
    try:
        expected = read_expected(make(10.0))
    except NoExpectation as error:
        print(f"error: {error}", file=sys.stderr)
        return UNKNOWN_EXIT
    if options.command == "report":
        problem = boot.report_last(expected.node, make)
        if problem is not None:
            print(f"error: {problem}", file=sys.stderr)
        return 0 if problem is None else UNKNOWN_EXIT
    if options.command == "plan":
        print(json.dumps(node_run.planned(options.level, expected), indent=2))
        return 0
    try:
        if options.command == "boot":
            result = boot.run_boot(
                expected,
                make,
                again_seconds=options.again_seconds,
                reports=not options.report_later,
                say=_say,
            )
            _say(f"{result['verdict']}: {result['reason']}")
        else:
            result = node_run.run_level(
                options.level, expected, make, run=options.run, only=options.check, say=_say
            )
    except (node_run.AlreadyRunning, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNKNOWN_EXIT
    if options.command == "node":
        print(json.dumps(result, indent=2))
    return EXIT_CODES.get(str(result["verdict"]), UNKNOWN_EXIT)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _counters(_: Any, make: node_run.MakeProbe) -> int:
    node = os.environ.get(NODE_VARIABLE) or os.uname().nodename
    print(json.dumps({"node": node, "efa": efa_devices.traffic(make(10.0))}, sort_keys=True))
    return 0


def _cluster(options: Any, make: node_run.MakeProbe) -> int:
    nodes = slurm_nodes(make(60.0), options.node)
    if nodes is None:
        print("error: slurmctld does not respond", file=sys.stderr)
        return UNKNOWN_EXIT
    for name in (waiting.ACCEPTANCE_JOB, waiting.RECHECK_JOB):
        SrunLauncher(make(60.0), job_name=name).cancel_left()
    seconds, known = 2.0 * registry.limit_seconds(options.level) + 3600.0, resources(make(60.0))
    reserved = dict(options.reserved)
    nodes = [replace(node, reservation=reserved.get(node.name)) for node in nodes]
    name = waiting.RECHECK_JOB if options.gives_way else waiting.ACCEPTANCE_JOB
    more = (giving_way.LOWEST,) if options.gives_way else ()

    def launcher_of(partition: str) -> SrunLauncher:
        extra = (f"--partition={partition}", *more)
        return SrunLauncher(make(seconds), reserved, job_name=name, extra=extra, resources=known)

    def test(
        launcher_of: Callable[[str], Launcher], stopped: Callable[[], Optional[str]]
    ) -> dict[str, Any]:
        return cluster_program.run_cluster(
            cluster_program.Wanted(options.run, options.level, dict(options.lustre)),
            nodes,
            launcher_of,
            make(60.0).path(node_run.FOLDER),
            say=_say,
            stopped=stopped,
        )

    if options.gives_way:
        way = giving_way.GivingWay(
            lambda: waiting.job_that_waits(make(20.0)),
            lambda: SrunLauncher(make(60.0), job_name=name).cancel_left(),
        )
        with way:
            report = test(lambda partition: way.launcher(launcher_of(partition)), way.stopped)
    else:
        report = test(launcher_of, lambda: None)
    return _exit_code(report)


def _kubernetes(options: Any, make: node_run.MakeProbe) -> int:
    folder = make(60.0).path(node_run.FOLDER)
    run = kubernetes_program.KubernetesRun(
        PodApi(),
        namespace=options.namespace,
        folder=folder,
        level=options.level,
        hold=options.hold,
        say=_say,
        recheck_seconds=None if options.recheck_hours is None else 3600.0 * options.recheck_hours,
    )
    try:
        report = run.held() if options.held else run.run(options.run, options.node)
    except (KubernetesError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNKNOWN_EXIT
    # A schedule that finds nodes to reject has done its work; a run that was asked for reports.
    return 0 if report is None or options.held else _exit_code(report)


def _hold(options: Any, make: node_run.MakeProbe) -> NoReturn:
    watched = make(60.0).path(kubernetes_hold.WATCHED)
    kubernetes_hold.NodeWatch(PodApi(), options.selector, _say, watched.touch).run()


def _exit_code(report: Mapping[str, Any]) -> int:
    return acceptance_results.exit_code(
        report["nodes"], report["cluster_checks"], report["suspects"]
    )


def _lustre(text: str) -> tuple[str, tuple[int, int]]:
    """`/fsx=38400,500` as mount path, capacity and tier."""
    path, separator, figures = text.partition("=")
    capacity, _, tier = figures.partition(",")
    if not separator or not Path(path).is_absolute():
        raise ValueError(text)
    return path, (int(capacity), int(tier))


def _reserved(text: str) -> tuple[str, str]:
    node, separator, reservation = text.partition("=")
    if not separator or not node or not reservation:
        raise ValueError(text)
    return node, reservation


def _parse(argv: Sequence[str]) -> Any:
    """The options, or an exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m clusterwright_acceptance")
    commands = parser.add_subparsers(dest="command", required=True)
    node = commands.add_parser("node", help="run a level's checks on this node")
    node.add_argument("--run", help="the name of the run; the same name goes on with it")
    node.add_argument("--check", action="append", default=[], help="run only this check")
    at_boot = commands.add_parser(
        "boot", help="test this boot, and report it as the comment in Slurm"
    )
    at_boot.add_argument("--again-seconds", type=float, default=boot.AGAIN_SECONDS)
    at_boot.add_argument(
        "--report-later", action="store_true", help="without the report, for `report`"
    )
    commands.add_parser("report", help="report the last result as the comment in Slurm")
    plan = commands.add_parser("plan", help="print the checks of a level and planned seconds")
    cluster = commands.add_parser("cluster", help="run a level on nodes of the cluster")
    cluster.add_argument("--run", required=True, help="the name of the run")
    cluster.add_argument(
        "--gives-way", action="store_true", help="stop when a job of a user waits for nodes"
    )
    cluster.add_argument("--node", action="append", default=[], help="only this node")
    cluster.add_argument(
        "--reserved",
        type=_reserved,
        action="append",
        default=[],
        metavar="NODE=RESERVATION",
        help="the reservation of a node, for its jobs",
    )
    cluster.add_argument(
        "--lustre",
        type=_lustre,
        action="append",
        default=[],
        metavar="PATH=GIB,MBPS",
        help="capacity and tier (MB/s per TiB) of a file system",
    )
    inside = commands.add_parser("kubernetes", help="run a level on nodes, from a pod")
    inside.add_argument("--run", default="", help="the name of the run")
    inside.add_argument("--node", action="append", default=[], help="only this node")
    inside.add_argument("--namespace", required=True, help="where the tests run")
    inside.add_argument("--hold", action="store_true", help="keep the taint of nodes by results")
    inside.add_argument(
        "--recheck-hours", type=int, help="test accepted nodes again after this time"
    )
    inside.add_argument("--held", action="store_true", help="test the nodes that are held")
    hold = commands.add_parser("hold", help="hold nodes by their taint, from a pod, for ever")
    hold.add_argument("--selector", required=True, help="the labels of the nodes")
    for command in (node, plan, cluster, inside):
        command.add_argument("--level", choices=registry.levels(), default="quick")
    commands.add_parser("counters", help="print the traffic counters of the EFA devices")
    try:
        options = parser.parse_args(list(argv))
    except SystemExit as ended:
        return USAGE_EXIT if ended.code else 0
    known = {check.id for check in registry.checks(scope=registry.NODE)}
    unknown = [name for name in getattr(options, "check", []) if name not in known]
    if unknown:
        print(f"error: no check is called {unknown[0]}", file=sys.stderr)
        return USAGE_EXIT
    return options
