"""`clusterwright accept`: test the nodes of a deployed cluster, and report which to trust."""

from __future__ import annotations

import datetime as dt
import re
import sys
import time
from collections import Counter
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
from clusterwright.cli.progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.cluster_state.acceptance import RunReport
    from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.cluster_state.requests import Answer, Level
    from clusterwright.operate.acceptance_results import AcceptReport

EXIT_CODES: Final = """\b
Exit codes: 3 the command line or the spec is wrong; else 1 a node is rejected, there is a suspect
or a test of several nodes failed; else 2 a node is unknown, a test of several nodes has no figure,
or the run was not started or has not ended; else 0. 70 is an internal error.
"""

_POLL_SECONDS: Final = 5.0
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
    if iam_policy:
        print_policy(path, "accept", output_format)
        return
    if dry_run and nodes is None:
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
            report = _accept(read, path, chosen, nodes, dry_run, run, wait_seconds)
    for target in reports:
        _write(report, target)
    _print(report, output_format)
    ctx.exit(report.exit_code)


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


def _planned(
    spec: LoadedSpec, path: Path, level: Level, prices: str | None, output_format: str
) -> AcceptReport:
    """The price of all nodes of the file, without a call of AWS."""
    from clusterwright.catalog import load_catalog
    from clusterwright.operate.acceptance import plan
    from clusterwright.operate.acceptance_results import AcceptReport

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
    return AcceptReport(
        str(path),
        cluster.environment,
        cluster.account,
        cluster.region,
        level,
        "planned",
        None,
        found,
    )


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
    from clusterwright.aws.session import AwsSession
    from clusterwright.catalog import load_catalog
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.acceptance import plan
    from clusterwright.operate.acceptance_results import AcceptReport
    from clusterwright.operate.status import unknown_of
    from clusterwright.platforms.acceptance_checks import table

    cluster = read.spec.cluster
    names, counts, unmatched = _chosen(read, nodes)
    report = AcceptReport(
        file=str(path),
        environment=cluster.environment,
        account=cluster.account,
        region=cluster.region,
        level=level,
        status="planned",
        run=None,
        plan=() if run else plan(cluster, load_catalog(), read.rates, level, counts),
    )
    if unmatched:
        return _changed(report, status="refused", unknown=unknown_of([read.state.nodes]))
    if dry_run:
        return report
    try:
        reader = _reader(read, str(path))
        if isinstance(reader, NotRead):
            return _changed(report, status="refused", unknown=unknown_of([reader]))
        if run is None:
            if isinstance(reader, AwsSession):
                started = _start(read, level, names, report)
            else:
                started = _start_job(reader, level, names, report)
            if not isinstance(started, str):
                return started
            run = started
        limit = wait_seconds
        if limit is None:
            limit = 2.0 * table()["level_limit_seconds"][level] + 600.0
        return _followed(read, reader, report, run, limit)
    except AwsUnavailable as error:
        unknown = unknown_of([NotRead.from_error("the run", error)])
        return _changed(report, status="running" if run else "refused", run=run, unknown=unknown)


def _reader(read: ReadCluster, path: str) -> AwsSession | KubernetesRuns | NotRead:
    """Where the reports of runs are read: the bucket, or the Kubernetes API if it is reached.

    Raises AwsUnavailable.
    """
    from clusterwright.cluster_state.kubernetes_acceptance import kubernetes_runs

    if read.spec.cluster.uses_slurm:
        return read.session
    return kubernetes_runs(read.session, read.spec.cluster, path)


def _start_job(
    runs: KubernetesRuns,
    level: Level,
    names: tuple[str, ...],
    report: AcceptReport,
) -> str | AcceptReport:
    """Create the Job of a run; its id, or the report of a refusal."""
    from clusterwright.cluster_state.requests import new_request
    from clusterwright.operate.status import unknown_of

    run = new_request("accept", names, "acceptance", now=dt.datetime.now(dt.UTC), level=level).id
    refused = runs.start(run, level, names)
    if refused is not None:
        return _changed(report, status="refused", unknown=unknown_of([refused]))
    print(f"run {run}: started as a Job", file=sys.stderr)
    return run


def _changed(report: AcceptReport, **changes: object) -> AcceptReport:
    from dataclasses import replace

    return replace(report, **changes)  # type: ignore[arg-type]


def _chosen(
    read: ReadCluster, nodes: str | None
) -> tuple[tuple[str, ...], Mapping[str, int], bool]:
    """Slurm's names of the nodes, none for all; the number of nodes by group; whether a name is
    missing because the platform's nodes, which have further names, are unknown.
    """
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.nodes import joined_nodes

    joined = [
        node
        for node in joined_nodes(read.spec.cluster, read.state)
        if node.role == "compute" or (node.role is None and node.scheduler is not None)
    ]
    if nodes is None:
        return (), Counter(node.group or "" for node in joined), False
    wanted = [name.strip() for name in nodes.split(",") if name.strip()]
    if not wanted:
        raise UserError("--nodes names no node", "leave it out to test all nodes")
    found = []
    for name in wanted:
        match = next((node for node in joined if name in node.names), None)
        if match is None and isinstance(read.state.nodes, NotRead):
            return (), {}, True
        if match is None:
            raise UserError(
                f"--nodes {name}: the cluster has no compute node of this name",
                "`clusterwright status` lists the nodes",
            )
        found.append(match)
    return (
        tuple(dict.fromkeys(node.name for node in found)),
        Counter(node.group or "" for node in dict.fromkeys(found)),
        False,
    )


def _start(
    read: ReadCluster, level: Level, names: tuple[str, ...], report: AcceptReport
) -> str | AcceptReport:
    """Send the request; the id of the run, or the report of a refusal.

    Raises
    ------
    AwsUnavailable
        The bucket cannot be written or read.
    """
    from clusterwright.cluster_state import requests
    from clusterwright.cluster_state.published import publishing_node
    from clusterwright.operate.acceptance import lustre_figures
    from clusterwright.operate.results import UnknownPart
    from clusterwright.operate.status import unknown_of
    from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

    unknown = unknown_of([read.state.scheduler.unknown])
    if unknown:
        return _changed(report, status="refused", unknown=unknown)
    bucket = lifecycle_bucket(read.spec.cluster)
    publisher = publishing_node(read.spec.cluster)
    request = requests.new_request(
        "accept",
        names,
        f"acceptance, level {level}",
        now=dt.datetime.now(dt.UTC),
        level=level,
        lustre=lustre_figures(read.spec.cluster),
    )
    requests.send(read.session, bucket, request)
    print(f"run {request.id}: waiting for {publisher}", file=sys.stderr)
    deadline = time.monotonic() + requests.VALID_FOR.total_seconds()
    while time.monotonic() < deadline:
        found = requests.answer(read.session, bucket, request.id)
        if isinstance(found, requests.Answer):
            return _refusal(found, report, publisher) or request.id
        if found is not None:
            part = UnknownPart(found.what, found.reason, found.hint, None)
            return _changed(report, status="refused", run=request.id, unknown=(part,))
        time.sleep(_POLL_SECONDS)
    reason = f"{publisher} did not answer before the request expired"
    hint = f"see on {publisher}: journalctl --unit clusterwright-state"
    part = UnknownPart(f"the request {request.id}", reason, hint, None)
    return _changed(report, status="refused", run=request.id, unknown=(part,))


def _refusal(found: Answer, report: AcceptReport, publisher: str) -> AcceptReport | None:
    from clusterwright.operate.results import UnknownPart

    if not found.refused:
        return None
    parts = tuple(
        UnknownPart(one.node or "the request", f"{publisher} refused it: {one.reason}", None, None)
        for one in found.refused
    )
    return _changed(report, status="refused", run=found.id, unknown=parts)


def _followed(
    read: ReadCluster,
    reader: AwsSession | KubernetesRuns,
    report: AcceptReport,
    run: str,
    limit: float,
) -> AcceptReport:
    """Wait for the end of a run.

    Raises
    ------
    AwsUnavailable
        The bucket cannot be read.
    """
    from clusterwright.cluster_state.acceptance import run_report
    from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
    from clusterwright.cluster_state.not_read import NotRead, known
    from clusterwright.operate.deep_health import with_deep_health
    from clusterwright.operate.results import UnknownPart
    from clusterwright.operate.status import unknown_of
    from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

    progress = ProgressLine(sys.stderr, f"run {run}")
    began = time.monotonic()
    found: RunReport | None = None
    while True:
        if isinstance(reader, KubernetesRuns):
            answer = reader.report(run)
        else:
            answer = run_report(reader, lifecycle_bucket(read.spec.cluster), run)
        if isinstance(answer, NotRead):
            part = UnknownPart(answer.what, answer.reason, answer.hint, None)
            return _changed(report, status="running", run=run, unknown=(part,))
        found = answer or found
        waited = time.monotonic() - began
        if (found is not None and found.status != "running") or waited >= limit:
            break
        progress.show(int(waited), int(limit))
        time.sleep(min(_POLL_SECONDS, limit - waited))
    progress.clear()
    if found is None or found.status == "running":
        reason = (
            "the controller has published no report of it"
            if found is None
            else (f"it has not ended after {waited:.0f} s")
        )
        hint = f"clusterwright accept {report.file} --run {run}"
        part = UnknownPart(f"the run {run}", reason, hint, None)
        return _changed(report, status="running", run=run, unknown=(part,))
    unknown: tuple[UnknownPart, ...] = ()
    if found.status == "failed":
        unknown = (UnknownPart(f"the run {run}", found.reason, None, None),)
    unknown += unknown_of([read.state.deep_health])
    return _changed(
        report,
        status=found.status,
        run=run,
        level=found.level,
        nodes=with_deep_health(found.nodes, known(read.state.deep_health) or {}),
        cluster_checks=found.cluster_checks,
        suspects=found.suspects,
        baseline=found.baseline,
        unknown=unknown,
    )


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


def _write(report: AcceptReport, target: Path) -> None:
    from clusterwright.cli.output_files import write_atomically

    write_atomically(target, _text(report, target.suffix), force=True)


def _print(report: AcceptReport, output_format: str) -> None:
    from clusterwright.render.accept import accept_text
    from clusterwright.render.style import Style

    if output_format == "json":
        sys.stdout.write(_text(report, ".json"))
    else:
        sys.stdout.write(accept_text(report, Style.of(sys.stdout)))
