"""`clusterwright diagnose`: why a deployment, a node or a job failed."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import format_option, spec_argument, timeout_option
from clusterwright.cli.progress import ProgressLine
from clusterwright.diagnosis.targets import SUBJECTS, span

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.diagnosis.model import Diagnosis, Target

EPILOG = """\b
Examples:
  clusterwright diagnose configs/prod.yaml
  clusterwright diagnose configs/prod.yaml deploy
  clusterwright diagnose configs/prod.yaml node workers-17 --log /tmp/dmesg.txt
  clusterwright diagnose configs/prod.yaml job 4711 --log slurm-4711.out

\b
Exit codes: 0 nothing failed; 1 a finding, other than information; 2 something could not be read,
and nothing was found; 3 the command line or the spec is wrong.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.argument("subject", required=False, type=click.Choice(SUBJECTS))
@click.argument("name", required=False)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Also read this log file or folder, such as a job's output. May be repeated.",
)
@click.option(
    "--sacct",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also read the jobs of `sacct --json` (or --parsable2) in this file.",
)
@click.option(
    "--since",
    default="7d",
    show_default=True,
    metavar="SPAN",
    help="How far back events and logs are read: 90m, 12h, 7d.",
)
@click.option("--offline", is_flag=True, help="Call no AWS API: only --log and --sacct are read.")
@policy_option("Print the read-only IAM policy that diagnose needs, and call no AWS API.")
@timeout_option(120.0)
@format_option("text", "json")
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    subject: str | None,
    name: str | None,
    logs: tuple[Path, ...],
    sacct: Path | None,
    since: str,
    offline: bool,
    iam_policy: bool,
    timeout_seconds: float,
    output_format: str,
) -> None:
    """Find out why the deployment, a node (NAME) or a job (NAME is its id) of CONFIG failed.

    Without a subject it looks at all three. It reads stack events, cluster events, log streams,
    states of nodes and services, and what the controller published. Each finding has a cause, the
    evidence, and the next commands. The same evidence gives the same findings; nothing is changed.
    """
    from clusterwright.diagnosis.model import Target
    from clusterwright.diagnosis.scheduler import is_job_id
    from clusterwright.platforms.registry import traits_of

    if (subject in ("node", "job")) != (name is not None):
        raise UserError(
            f"{subject} needs a name" if name is None else f"{subject or 'NAME'} takes no name",
            "use: deploy, node NAME, or job ID",
        )
    back = _span(since)
    if iam_policy:
        print_policy(path, "diagnose", output_format)
        return
    cluster = load_or_exit(path, command="diagnose", output_format=output_format).cluster
    if subject == "job" and traits_of(cluster.platform).uses_slurm and not is_job_id(name or ""):
        raise UserError(f"{(name or '')[:80]!r} is not the id of a Slurm job", "4711 or 4711_3")
    target = Target(subject, name or "")  # type: ignore[arg-type]
    diagnosis = _diagnosis(path, cluster, target, logs, sacct, back, offline, timeout_seconds)
    if output_format == "json":
        from clusterwright.json_output.diagnose import diagnosis_json

        sys.stdout.write(diagnosis_json(diagnosis))
    else:
        from clusterwright.render.diagnosis import diagnosis_text
        from clusterwright.render.style import Style

        sys.stdout.write(diagnosis_text(diagnosis, Style.of(sys.stdout)))
    ctx.exit(diagnosis.exit_code)


def _diagnosis(
    path: Path,
    cluster: Cluster,
    target: Target,
    logs: tuple[Path, ...],
    sacct: Path | None,
    back: dt.timedelta,
    offline: bool,
    timeout_seconds: float,
) -> Diagnosis:
    from clusterwright.catalog import load_catalog
    from clusterwright.cli import diagnose_software
    from clusterwright.cluster_state.failures import Failures
    from clusterwright.diagnosis import engine, log_files
    from clusterwright.diagnosis.model import Diagnosis
    from clusterwright.diagnosis.targets import concerning, missing

    if offline and not logs and sacct is None:
        raise UserError("--offline reads no account", "give --log PATH or --sacct FILE")
    try:
        own, read = log_files.logs(logs, target)
        if sacct is not None:
            jobs, note = log_files.accounting(sacct)
            own += jobs
            read.append(note)
    except log_files.LogFileError as error:
        raise UserError(str(error), error.hint) from None
    found = Failures() if offline else _read(cluster, target, back, timeout_seconds)
    evidence = concerning([*own, *found.evidence], target, found.names, found.document)
    unknown = list(found.unknown)
    if not evidence:
        seen = [*own, *found.evidence]
        unknown += missing(target, found.names, found.document or {}, seen)
    context = engine.Context(
        str(path),
        cluster.environment,
        cluster.account,
        cluster.region,
        # Of files alone the same question about the account would read more.
        running=None if offline else target,
    )
    causes = engine.findings(evidence, context)
    software = diagnose_software.findings(
        log_files.whole(logs),
        cluster,
        load_catalog(),
        str(path),
        {c.signature for c in causes},
    )
    return Diagnosis((*causes, *software), (*read, *found.read), tuple(unknown))


def _read(cluster: Cluster, target: Target, back: dt.timedelta, timeout_seconds: float) -> Any:
    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_state.failures import Reader

    progress = ProgressLine(sys.stderr, "reading from AWS")
    now = dt.datetime.now(dt.UTC)
    reader = Reader(
        AwsSession(cluster.region),
        cluster,
        target,
        now=now,
        since=now - back,
        deadline_seconds=timeout_seconds,
        progress=progress.show,
    )
    try:
        return reader.read()
    finally:
        progress.clear()


def _span(text: str) -> dt.timedelta:
    found = span(text)
    if found is None:
        raise UserError(f"--since: {text!r} is not a span", "such as 90m, 12h or 7d")
    return found
