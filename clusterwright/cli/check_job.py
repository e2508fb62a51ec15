"""`clusterwright check-job`: whether a job file fits the cluster that it is for."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import fail_on_option, format_option, spec_options, spec_path
from clusterwright.cli.rule_ids import rule_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.jobs.job_file import JobFile
    from clusterwright.jobs.manifest_file import ManifestFile
    from clusterwright.preflight.results import CheckResult, Severity

COMMAND = "check-job"
MAXIMUM_BYTES = 4_000_000
"""Slurm refuses larger scripts: slurm.conf(5), max_script_size, 4 MB by default."""
MAXIMUM_SETTINGS_BYTES = 100_000
"""Far above the settings of a training."""

EPILOG = """\b
Examples:
  clusterwright check-job configs/prod.yaml train.sbatch
  clusterwright check-job --env prod train.sbatch --format json
  clusterwright check-job configs/prod.yaml train.sbatch --capacity-ends 2026-12-24T11:30Z
  clusterwright check-job configs/prod-eks.yaml pytorchjob.yaml

\b
Exit codes: 3 the command line, the spec or the file is wrong; else 1 a finding is at or above
--fail-on; else 2 a part of the file could not be read (with --strict that is 1); else 0.
"""


@click.command(epilog=EPILOG)
@spec_options
@click.argument("job_file", required=False, metavar="JOBFILE")
@click.option(
    "--only", multiple=True, metavar="RULE", help="Run only these rules. May be repeated."
)
@click.option("--skip", multiple=True, metavar="RULE", help="Skip these rules. May be repeated.")
@click.option(
    "--capacity-ends",
    metavar="TIME",
    help="When the Capacity Block or the training plan ends, as `clusterwright capacity` shows "
    "it, such as 2026-12-24T11:30Z. For batch scripts.",
)
@fail_on_option("The lowest severity that makes the exit code 1.")
@click.option("--strict", is_flag=True, help="Treat unknown results as findings.")
@format_option("text", "json")
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
    job_file: str | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    capacity_ends: str | None,
    fail_on: Severity,
    strict: bool,
    output_format: str,
) -> None:
    """Check JOBFILE, a batch script for sbatch or manifests, against the cluster of CONFIG.

    The two files are read, and files of settings beside JOBFILE that its programs are given: no
    AWS API is called, and nothing is executed. An error is what surely fails; a warning costs
    time, data or money under conditions that the file does not show.
    docs/reference/job-rules.md lists the rules with their sources.
    """
    if job_file is None and (config_option is not None or environment is not None):
        config, job_file = None, config
    path = spec_path(config, config_option, environment)
    if job_file is None:
        raise UserError("no job file is named", f"use: clusterwright {COMMAND} CONFIG JOBFILE")
    chosen, left_out = _rule_ids(only, "--only"), _rule_ids(skip, "--skip")
    ends = _time(capacity_ends) if capacity_ends is not None else None
    cluster = load_or_exit(path, command=COMMAND, output_format=output_format).cluster
    selected = chosen if only else None
    if cluster.uses_slurm:
        result = _checked(_read(Path(job_file)), cluster, ends, selected, left_out)
    else:
        if ends is not None:
            raise UserError(
                "--capacity-ends has no effect on manifests",
                "leave it out; no manifest is compared with the end of the capacity",
            )
        result = _manifests_checked(_manifests(Path(job_file)), cluster, selected, left_out)
    if strict:
        result = result.strictly()
    code = result.exit_code(fail_on=fail_on)
    sys.stdout.write(_rendered(result, str(path), output_format, code))
    ctx.exit(code)


def _checked(
    job: JobFile,
    cluster: Cluster,
    ends: dt.datetime | None,
    only: frozenset[str] | None,
    skip: frozenset[str],
) -> CheckResult:
    from clusterwright.catalog import load_catalog
    from clusterwright.jobs import engine
    from clusterwright.jobs.job import Job
    from clusterwright.jobs.registry import all_rules

    with catalog_errors():
        now = dt.datetime.now(dt.UTC)
        subject = Job(job, cluster, load_catalog(), now, ends, _beside(Path(job.name).parent))
        return engine.run(all_rules(), subject, only=only, skip=skip)


def _manifests_checked(
    file: ManifestFile, cluster: Cluster, only: frozenset[str] | None, skip: frozenset[str]
) -> CheckResult:
    from clusterwright.catalog import load_catalog
    from clusterwright.jobs import engine
    from clusterwright.jobs.manifests import Manifests
    from clusterwright.jobs.registry import rules_for_manifests

    with catalog_errors():
        subject = Manifests(file, cluster, load_catalog())
        return engine.run(rules_for_manifests(), subject, only=only, skip=skip)


def _rendered(result: CheckResult, spec: str, output_format: str, code: int) -> str:
    if output_format == "json":
        from clusterwright.json_output.check_job import check_job_json

        return check_job_json(result, code, spec)
    from clusterwright.render.check import check_text
    from clusterwright.render.style import Style

    return check_text(result, Style.of(sys.stdout))


def _read(path: Path) -> JobFile:
    from clusterwright.jobs.job_file import read_job

    return read_job(_text(path, "sbatch accepts at most 4 MB"), str(path))


def _manifests(path: Path) -> ManifestFile:
    from clusterwright.jobs.manifest_file import ManifestError, read_manifests

    try:
        found = read_manifests(_text(path, "a file for each job"), str(path))
    except ManifestError as error:
        raise UserError(
            f"{path}:{error.line}: not YAML: {error}",
            "a job file of this platform has manifests; of a chart, use `helm template`",
        ) from None
    if not found.has_objects:
        raise UserError(
            f"{path} has no manifests", "on this platform jobs are manifests, not batch scripts"
        )
    return found


def _text(path: Path, hint: str) -> str:
    from clusterwright.files import FileTooLargeError, read_bytes

    try:
        return read_bytes(path, MAXIMUM_BYTES).decode("utf-8")
    except FileTooLargeError as error:
        raise UserError(f"{path}: {error.strerror}", hint) from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UserError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def _beside(folder: Path) -> Callable[[str], str | None]:
    """A reader of small text files below the job file's folder."""
    from clusterwright.files import read_text

    def read(name: str) -> str | None:
        path = folder / name
        try:
            return read_text(path, MAXIMUM_SETTINGS_BYTES) if path.is_file() else None
        except (OSError, ValueError):
            return None

    return read


def _rule_ids(names: tuple[str, ...], option: str) -> frozenset[str]:
    from clusterwright.jobs.registry import named

    return rule_ids(named, names, option, "docs/reference/job-rules.md")


def _time(text: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(
            f"--capacity-ends: {text!r} is not a time", "such as 2026-12-24T11:30Z"
        ) from None
    return found.replace(tzinfo=dt.UTC) if found.tzinfo is None else found.astimezone(dt.UTC)
