"""`clusterwright accept`: test the nodes of a deployed cluster, and report which to trust."""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clusterwright.cli.cluster_reading import ReadCluster, rates_of, read_deployed
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import (
    FiniteFloatRange,
    format_option,
    prices_option,
    spec_argument,
    timeout_option,
)
from clusterwright.cli.output_files import check_writable, write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.cluster_state.requests import Level
    from clusterwright.operate.acceptance_results import AcceptReport, GroupPlan, ReportLevel
    from clusterwright.operate.nodes import JoinedNode

EXIT_CODES: Final = """\b
Exit codes: 3 the command line or the spec is wrong, or nobody confirmed; else 1 a node is
rejected, there is a suspect, a test of several nodes failed or the confirmation was declined; else
2 a node is unknown, a test of several nodes has no figure, the run was not started, has not ended
or cannot be read, or a --report was not written; else 0. 70 is an internal error.
"""

_RUN: Final = re.compile(r"[A-Za-z0-9-]{8,64}")
_SUFFIXES: Final = (".json", ".xml", ".html", ".txt")


@click.command(epilog=EXIT_CODES)
@spec_argument
@click.option(
    "--level",
    type=click.Choice(["quick", "standard", "full"]),
    help="quick: counts and states, a minute. standard: also bandwidths and pairs of nodes, 20 "
    "minutes. full: also DCGM level 4, 3 hours.  [default: acceptance.level of CONFIG]",
)
@click.option("--nodes", metavar="NAME,...", help="Only these nodes, by a name of `status`.")
@click.option("--dry-run", is_flag=True, help="Print duration and cost; start nothing.")
@click.option("--run", metavar="ID", help="Follow a run that was started before.")
@click.option(
    "--wait",
    "wait_seconds",
    type=FiniteFloatRange(min=0),
    metavar="SECONDS",
    help="How long to wait for the end.  [default: twice the limit of the level]",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the report: .json, .xml (JUnit), .html or .txt. Can be repeated.",
)
@click.option(
    "--deep-health-checks",
    is_flag=True,
    help="Start HyperPod's own checks of --nodes, or of the idle nodes; it reboots or replaces "
    "what it finds to be faulty. Asks first.",
)
@click.option("--yes", is_flag=True, help="With --deep-health-checks: act without confirmation.")
@prices_option("Your own rates for the cost.  [default: prices.yaml beside the spec]")
@timeout_option(60.0)
@policy_option("Print the IAM policy that accept needs, and call no AWS API.")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    level: Level | None,
    nodes: str | None,
    dry_run: bool,
    run: str | None,
    wait_seconds: float | None,
    reports: tuple[Path, ...],
    deep_health_checks: bool,
    yes: bool,
    prices: str | None,
    timeout_seconds: float,
    iam_policy: bool,
    output_format: str,
) -> None:
    """Test the compute nodes of CONFIG, and name those that cannot be trusted.

    The controller tests the nodes with jobs of Slurm and publishes the results; this command
    requests that in the bucket of the lifecycle scripts, waits and reports. On Kubernetes the
    controller is a Job of `render kubernetes --part acceptance`, started with kubectl. Each figure
    is compared with a floor that has a source, or with the cluster's other nodes. Nodes that run
    jobs are not interrupted: they are unknown. Ctrl-C ends the wait, not the run; --run follows
    it.
    """
    _check_options(dry_run, run, nodes, reports)
    _check_deep_health(deep_health_checks, yes, level, run)
    if iam_policy:
        print_policy(path, "accept", output_format, deep_health_checks=deep_health_checks)
        return
    if deep_health_checks:
        spec = load_or_exit(path, command="accept", output_format=output_format)
        _require_hyperpod(spec)
    if dry_run and nodes is None and not deep_health_checks:
        spec = load_or_exit(path, command="accept", output_format=output_format)
        chosen = level or spec.cluster.acceptance.level
        report = _planned(spec, path, chosen, prices, output_format)
    else:
        read = read_deployed(
            path,
            command="accept",
            output_format=output_format,
            prices=prices,
            timeout_seconds=timeout_seconds,
        )
        with catalog_errors():
            chosen = level or read.spec.cluster.acceptance.level
            if deep_health_checks:
                report = _deep_health(read, path, nodes, yes, dry_run, wait_seconds)
            else:
                report = _accept(read, path, chosen, nodes, dry_run, run, wait_seconds)
    try:
        # First: a report that cannot be written hides no verdict.
        _print(report, output_format)
    finally:
        failed = [target for target in reports if not _write(report, target)]
    ctx.exit(2 if failed and not report.exit_code else report.exit_code)


def _check_options(
    dry_run: bool, run: str | None, nodes: str | None, reports: tuple[Path, ...]
) -> None:
    if run is not None and (dry_run or nodes is not None):
        raise UserError(
            "--run follows a run that was started before", "leave out --dry-run and --nodes"
        )
    if run is not None and not _RUN.fullmatch(run):
        raise UserError(f"--run {run}: no run has such an id", "copy the id that accept printed")
    for target in reports:
        if target.suffix not in _SUFFIXES:
            raise UserError(
                f"--report {target}: the form is unknown", f"use {', '.join(_SUFFIXES)}"
            )
    check_writable(reports, force=True)


def _check_deep_health(asked: bool, yes: bool, level: Level | None, run: str | None) -> None:
    if yes and not asked:
        raise UserError(
            "--yes confirms --deep-health-checks; nothing else is asked", "leave it out"
        )
    if asked and (level is not None or run is not None):
        raise UserError(
            "--deep-health-checks are HyperPod's own: they have no level and no run",
            "leave out --level and --run",
        )


def _require_hyperpod(spec: LoadedSpec) -> None:
    if not spec.cluster.on_hyperpod:
        raise UserError(
            f"--deep-health-checks: {spec.cluster.platform} has none, only HyperPod has",
            "--level full tests the nodes",
        )


def _deep_health(
    read: ReadCluster,
    path: Path,
    nodes: str | None,
    yes: bool,
    dry_run: bool,
    wait_seconds: float | None,
) -> AcceptReport:
    from clusterwright.cli.accept_deep_health import deep_health_checks
    from clusterwright.operate.acceptance_results import DEEP_HEALTH_CHECKS
    from clusterwright.operate.status import unknown_of

    chosen, unmatched = _matched(read, nodes)
    report = _not_started(read.spec.cluster, path, DEEP_HEALTH_CHECKS)
    if unmatched or not chosen:
        unknown = unknown_of([read.state.nodes])
        if unknown:
            return replace(report, status="refused", unknown=unknown)
    return deep_health_checks(
        read,
        report,
        chosen,
        named=nodes is not None,
        yes=yes,
        dry_run=dry_run,
        wait_seconds=wait_seconds,
    )


def _planned(
    spec: LoadedSpec, path: Path, level: Level, prices: str | None, output_format: str
) -> AcceptReport:
    """The price of all nodes of the file, without a call of AWS."""
    from clusterwright.catalog import load_catalog
    from clusterwright.operate.acceptance import plan

    rates = rates_of(
        spec,
        path,
        command="accept",
        output_format=output_format,
        prices=prices,
        now=dt.datetime.now(dt.UTC),
    )
    cluster = spec.cluster
    with catalog_errors():
        found = plan(cluster, load_catalog(), rates, level)
    return _not_started(cluster, path, level, found)


def _accept(
    read: ReadCluster,
    path: Path,
    level: Level,
    nodes: str | None,
    dry_run: bool,
    run: str | None,
    wait_seconds: float | None,
) -> AcceptReport:
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.catalog import load_catalog
    from clusterwright.cli.accept_follow import AcceptWork
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.acceptance import plan
    from clusterwright.operate.status import unknown_of
    from clusterwright.platforms.acceptance_checks import table

    names, counts, unmatched = _chosen(read, nodes)
    groups = () if run else plan(read.spec.cluster, load_catalog(), read.rates, level, counts)
    report = _not_started(read.spec.cluster, path, level, groups)
    if unmatched:
        return replace(report, status="refused", unknown=unknown_of([read.state.nodes]))
    if dry_run:
        return report
    try:
        reader = _reader(read, str(path))
        if isinstance(reader, NotRead):
            return replace(report, status="refused", unknown=unknown_of([reader]))
        work = AcceptWork(read, reader, report)
        if run is None:
            started = work.start(names)
            if not isinstance(started, str):
                return started
            run = started
        limit = wait_seconds
        if limit is None:
            limit = 2.0 * table()["level_limit_seconds"][level] + 600.0
        return work.follow(run, limit)
    except AwsUnavailable as error:
        unknown = unknown_of([NotRead.from_error("the run", error)])
        return replace(report, status="unknown" if run else "refused", run=run, unknown=unknown)


def _not_started(
    cluster: Cluster, path: Path, level: ReportLevel, groups: tuple[GroupPlan, ...] = ()
) -> AcceptReport:
    """The report of what has not been started."""
    from clusterwright.operate.acceptance_results import AcceptReport

    return AcceptReport(
        file=str(path),
        environment=cluster.environment,
        account=cluster.account,
        region=cluster.region,
        level=level,
        status="planned",
        run=None,
        plan=groups,
    )


def _reader(read: ReadCluster, path: str) -> AwsSession | KubernetesRuns | NotRead:
    """Where the reports of runs are read: the bucket, or the Kubernetes API if it is reached.

    Raises AwsUnavailable.
    """
    from clusterwright.cluster_state.kubernetes_acceptance import kubernetes_runs

    if read.spec.cluster.uses_slurm:
        return read.session
    return kubernetes_runs(read.session, read.spec.cluster, path)


def _chosen(
    read: ReadCluster, nodes: str | None
) -> tuple[tuple[str, ...], Mapping[str, int], bool]:
    """Slurm's names of the nodes, none for all; the number of nodes by group; whether a name is
    missing because the platform's nodes, which have further names, are unknown.
    """
    found, unmatched = _matched(read, nodes)
    if unmatched:
        return (), {}, True
    counts = Counter(node.group or "" for node in found)
    if nodes is None:
        return (), counts, False
    return tuple(node.name for node in found), counts, False


def _matched(read: ReadCluster, nodes: str | None) -> tuple[tuple[JoinedNode, ...], bool]:
    """The compute nodes, or those of the names, each once; whether a name is missing because the
    platform's nodes, which have further names, are unknown.
    """
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.nodes import joined_nodes

    joined = [
        node
        for node in joined_nodes(read.spec.cluster, read.state)
        if node.role == "compute" or (node.role is None and node.scheduler is not None)
    ]
    if nodes is None:
        return tuple(joined), False
    wanted = [name.strip() for name in nodes.split(",") if name.strip()]
    if not wanted:
        raise UserError("--nodes names no node", "leave it out to test all nodes")
    found = []
    for name in wanted:
        match = next((node for node in joined if name in node.names), None)
        if match is None and isinstance(read.state.nodes, NotRead):
            return (), True
        if match is None:
            raise UserError(
                f"--nodes {name}: the cluster has no compute node of this name",
                "`clusterwright status` lists the nodes",
            )
        found.append(match)
    return tuple(dict.fromkeys(found)), False


def _text(report: AcceptReport, suffix: str) -> str:
    from clusterwright.json_output.accept import accept_json
    from clusterwright.render.accept import accept_junit, accept_text
    from clusterwright.render.accept_html import accept_html

    writers = {
        ".json": accept_json,
        ".xml": accept_junit,
        ".html": accept_html,
        ".txt": accept_text,
    }
    return writers[suffix](report)


def _write(report: AcceptReport, target: Path) -> bool:
    """Write it; say why it could not be."""
    try:
        write_atomically(target, _text(report, target.suffix), force=True)
    except UserError as error:
        print(f"error: --report {error}", file=sys.stderr)
        return False
    return True


def _print(report: AcceptReport, output_format: str) -> None:
    from clusterwright.render.accept import accept_text
    from clusterwright.render.style import Style

    if output_format == "json":
        sys.stdout.write(_text(report, ".json"))
    else:
        sys.stdout.write(accept_text(report, Style.of(sys.stdout)))
