"""The files that `clusterwright report` reads: logs, accounting, plan; and the nodes' prices."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clusterwright import files
from clusterwright.cli.cluster_reading import rates_of
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors

if TYPE_CHECKING:
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.goodput.accounting import JobRecord
    from clusterwright.goodput.attempts import NamedLog
    from clusterwright.goodput.checkpoints import Checkpoint
    from clusterwright.goodput.collectives import InspectorFile
    from clusterwright.goodput.report import Prices, RecordedPlan
    from clusterwright.goodput.results import AcceptedBandwidth, Unknown

MAXIMUM_FILES: Final = 2_000
MAXIMUM_LOG_BYTES: Final = 2 * 1024**3
MAXIMUM_INSPECTOR_FILES: Final = 20_000
MAXIMUM_MEANS_BYTES: Final = 64 * 1024**2
"""Of a file of NCCL Inspector for Prometheus; those with every operation are read by lines."""
MAXIMUM_CHECKPOINT_FILES: Final = 200_000
MAXIMUM_SACCT_BYTES: Final = 256 * 1024**2
_HEAD: Final = 4096
_INSPECTOR_HEAD: Final = 1024**2

EXIT_CODES = """\b
Exit codes: 3 the command line or the spec is wrong; else 1 logs and accounting contradict each
other; else 2 the logs do not answer; else 0. 70 is an internal error.
"""


def plan_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --plan."""
    return click.option(
        "--plan",
        "plan_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="The plan of the run, which has the FLOPs of a token.  "
        "[default: NAME.plan.json beside the spec]",
    )(function)


def logs_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --logs with its help."""
    return click.option(
        "--logs", required=True, type=click.Path(path_type=Path), metavar="DIR", help=text
    )


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --logs, --sacct and --plan."""
    return job_options(plan_option(function))


def job_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --logs and --sacct."""
    for decorate in (
        click.option(
            "--sacct",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="The jobs, written by `sacct --json --duplicates`.",
        ),
        logs_option("The folder with the output of the jobs; or one file."),
    ):
        function = decorate(function)
    return function


def read_logs(folder: Path) -> list[NamedLog]:
    """The text files of a folder, read as logs.

    Raises
    ------
    UserError
        The folder does not exist, has too many files, or a file cannot be read.
    """
    from clusterwright.goodput.attempts import NamedLog
    from clusterwright.job_logs import read_log

    if not folder.exists():
        raise UserError(f"--logs: {folder} does not exist")
    paths = [folder] if folder.is_file() else sorted(p for p in folder.rglob("*") if p.is_file())
    if len(paths) > MAXIMUM_FILES:
        raise UserError(
            f"--logs: {folder} has {len(paths):,} files, at most {MAXIMUM_FILES:,} are read",
            "name a smaller folder",
        )
    found = []
    for path in paths:
        try:
            content = files.read_bytes(path, MAXIMUM_LOG_BYTES)
        except OSError as error:
            raise UserError(f"--logs: {path} cannot be read: {error.strerror}") from None
        if b"\0" in content[:_HEAD]:
            continue
        name = path.name if folder.is_file() else path.relative_to(folder).as_posix()
        found.append(NamedLog(name, read_log(content.decode("utf-8", errors="replace"))))
    return found


def read_inspector(folder: Path | None) -> list[InspectorFile] | None:
    """The files of NCCL Inspector in a folder; None without a folder.

    Raises
    ------
    UserError
        The folder has none or too many, or a file cannot be read.
    """
    from clusterwright.goodput import collectives
    from clusterwright.job_logs.nccl_inspector import FILE

    if folder is None:
        return None
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    if len(paths) > MAXIMUM_INSPECTOR_FILES:
        raise UserError(
            f"--inspector: {folder} has {len(paths):,} files, at most "
            f"{MAXIMUM_INSPECTOR_FILES:,} are read",
            "name a smaller folder",
        )
    found = []
    for path in paths:
        name = path.relative_to(folder).as_posix()
        try:
            if FILE.fullmatch(path.name):
                content = files.read_bytes(path, MAXIMUM_MEANS_BYTES)
                text = content.decode("utf-8", errors="replace")
                found.append(collectives.read_means(name, text))
            elif (read := _read_operations(name, path)) is not None:
                found.append(read)
        except OSError as error:
            raise UserError(f"--inspector: {path} cannot be read: {error.strerror}") from None
    if not found:
        raise UserError(
            f"--inspector: {folder} has no file of NCCL Inspector",
            "copy those of NCCL_INSPECTOR_DUMP_DIR while the job runs",
        )
    return found


def _read_operations(name: str, path: Path) -> InspectorFile | None:
    """The operations of a file of any size; None if it begins without a record of Inspector."""
    from clusterwright.goodput import collectives

    with path.open("rb") as stream:
        if not collectives.has_record(stream.read(_INSPECTOR_HEAD)):
            return None
        stream.seek(0)
        lines = iter(lambda: stream.readline(_INSPECTOR_HEAD), b"")
        return collectives.read_operations(name, lines)


def read_accounting(path: Path | None) -> list[JobRecord] | None:
    """The jobs of sacct's output; None without a file.

    Raises
    ------
    UserError
        The file cannot be read, or is not sacct's.
    """
    from clusterwright.diagnosis import sacct
    from clusterwright.goodput.accounting import records

    if path is None:
        return None
    try:
        content = files.read_bytes(path, MAXIMUM_SACCT_BYTES)
        return records(sacct.jobs(content.decode("utf-8", errors="replace")))
    except OSError as error:
        raise UserError(f"--sacct: {path} cannot be read: {error.strerror}") from None
    except sacct.SacctError as error:
        raise UserError(
            f"--sacct: {path}: {error}", f"write it with `sacct --json --duplicates > {path}`"
        ) from None


def read_checkpoints(folder: Path | None) -> list[Checkpoint] | None:
    """The complete checkpoints in a folder, by their steps; None without a folder.

    Raises
    ------
    UserError
        The folder cannot be read, or has too many files.
    """
    from clusterwright.goodput import checkpoints

    if folder is None:
        return None
    found = {}
    try:
        latest = _latest(folder / checkpoints.LATEST)
        for path in sorted(folder.iterdir()):
            step = checkpoints.step_of(path.name)
            # A link such as `latest` is no checkpoint of its own.
            if step is None or path.is_symlink() or not path.is_dir():
                continue
            written = _written(path)
            names = [file.relative_to(path).as_posix() for file in written]
            if checkpoints.is_complete(path.name, names, latest):
                found[step] = checkpoints.Checkpoint(step, max(written.values()))
    except OSError as error:
        raise UserError(f"--checkpoints: {folder} cannot be read: {error.strerror}") from None
    return [found[step] for step in sorted(found)]


def _latest(path: Path) -> int | None:
    text = files.read_text(path).strip() if path.is_file() else ""
    return int(text) if text.isdigit() and len(text) < 13 else None


def _written(folder: Path) -> dict[Path, float]:
    """The files of a checkpoint, and when each was changed."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[path] = path.stat().st_mtime
        if len(found) > MAXIMUM_CHECKPOINT_FILES:
            raise UserError(
                f"--checkpoints: {folder} has more than {MAXIMUM_CHECKPOINT_FILES:,} files",
                "name the folder of one run",
            )
    return found


def read_plan(path: Path, plan_file: Path | None) -> RecordedPlan | None:
    """The plan that is named, else the one beside the spec; None where there is none.

    Raises
    ------
    UserError
        It cannot be read, or is not a plan of a training run.
    """
    from clusterwright.goodput.report import RecordedPlan
    from clusterwright.pricing import plan_files

    named = plan_file if plan_file is not None else plan_files.plan_path(path)
    if plan_file is None and not named.is_file():
        return None
    try:
        found = json.loads(files.read_text(named))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"--plan: {named} cannot be read: {reason}") from None
    if not isinstance(found, Mapping) or not isinstance(found.get("estimate"), Mapping):
        raise UserError(
            f"--plan: {named} is not the plan of a training run",
            "write it with `clusterwright plan ... --format json`",
        )
    return RecordedPlan(str(named), found)


def read_acceptance(
    paths: Sequence[Path], instance_type: str | None
) -> tuple[tuple[AcceptedBandwidth, ...], tuple[Unknown, ...]]:
    """The bus bandwidths in reports and records of acceptance, and the files that have none.

    Raises
    ------
    UserError
        A file cannot be read, or is neither.
    """
    from clusterwright.goodput.accepted import NotOfAcceptance, accepted_bandwidths

    documents = []
    for path in paths:
        try:
            documents.append((str(path), json.loads(files.read_text(path))))
        except (OSError, ValueError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"--acceptance: {path} cannot be read: {reason}") from None
    try:
        return accepted_bandwidths(documents, instance_type)
    except NotOfAcceptance as error:
        raise UserError(
            f"--acceptance: {error} has no tests of acceptance",
            "write it with `clusterwright accept ... --format json`, or copy "
            "/var/lib/clusterwright/acceptance/accepted.json of the controller",
        ) from None


def prices_of(
    spec: LoadedSpec, path: Path, prices: str | None, *, command: str, output_format: str
) -> Prices:
    """Accelerators and rate of the spec's compute nodes, where all groups have one type."""
    from clusterwright.catalog import load_catalog
    from clusterwright.goodput.report import Prices
    from clusterwright.platforms import accelerators

    rates = rates_of(
        spec,
        path,
        command=command,
        output_format=output_format,
        prices=prices,
        now=dt.datetime.now(dt.UTC),
    )
    groups = [group for group in spec.cluster.compute if group.role == "compute"]
    kinds = {(group.instance_type, group.capacity.kind) for group in groups}
    if len(kinds) != 1:
        return Prices(None, None, None, "the cluster's compute groups differ in type or capacity")
    instance_type, kind = kinds.pop()
    with catalog_errors():
        catalog = load_catalog()
        count = accelerators.count(instance_type, catalog) or None
        family = accelerators.family(instance_type, catalog)
        rate = rates.rate(instance_type, kind)
    usd = None if rate.usd_per_hour is None else float(rate.usd_per_hour)
    reason = rate.reason or f"no source states the rate of {instance_type}, {kind}"
    return Prices(
        instance_type,
        count,
        usd,
        "" if usd is not None else reason,
        # On Neuron a process has a core, and a device has several.
        processes=count if family == "nvidia" else None,
    )
