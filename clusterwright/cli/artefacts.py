"""`clusterwright artefacts`: list, pin and mirror the files that nodes download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, spec_argument
from clusterwright.cli.output_files import cannot_write

if TYPE_CHECKING:
    from clusterwright.artefacts import Artefact
    from clusterwright.artefacts.mirror import Outcome, Store
    from clusterwright.aws.session import AwsSession

DEFAULT_LOCK = Path("lifecycle_scripts/artefacts.json")

_LOCK = click.option(
    "--lock",
    "lock_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_LOCK,
    show_default=True,
    help="The list of artefacts.",
)
_CACHE = click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".clusterwright/artefacts"),
    show_default=True,
    help="Folder that keeps files between runs.",
)
_FORMAT = format_option("text", "json")


@click.group()
def command() -> None:
    """List and pin the files that nodes download, and mirror them to the cluster's bucket.

    Nodes have no access to the public internet: they download these files from the bucket, and
    refuse a file whose checksum differs from the listed one.
    """


@command.command("list")
@_LOCK
@_FORMAT
@click.pass_context
def list_(ctx: click.Context, lock_path: Path, output_format: str) -> None:
    """List every artefact with its checksum, or `unknown`."""
    from clusterwright.render.artefacts import listed

    found = _read(lock_path)
    click.echo(listed(found, output_format), nl=False)
    ctx.exit(0)


@command.command()
@_LOCK
@_CACHE
@_FORMAT
@click.pass_context
def pin(ctx: click.Context, lock_path: Path, cache: Path, output_format: str) -> None:
    """Read every artefact from its source, show its checksum, and write it to the list.

    Needs neither a spec nor an account. A checksum of the list is never changed: a file at the
    source that differs from it is reported. Compare new checksums with the published ones before
    you commit the list.

    Exit codes: 0 the list has every checksum; 1 a file differs from the list; 2 a source did not
    answer.
    """
    from clusterwright.artefacts.pin import pin as pin_all
    from clusterwright.render.artefacts import pinned

    outcomes = []
    for outcome in pin_all(_read(lock_path), cache):
        outcomes.append(outcome)
        if outcome.status == "pinned":
            # Written at once, so that it is listed even if the next one fails.
            _pin(lock_path, outcome.artefact)
    statuses = {outcome.status for outcome in outcomes}
    code = 1 if "wrong" in statuses else 2 if "failed" in statuses else 0
    click.echo(pinned(str(lock_path), outcomes, code, output_format), nl=False)
    ctx.exit(code)


@command.command()
@spec_argument
@click.option(
    "--lock",
    "lock_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="The list of artefacts.  [default: the list that the spec names]",
)
@click.option(
    "--pin",
    is_flag=True,
    help="Accept files with an unknown checksum, and write their checksums to the list.",
)
@_CACHE
@_FORMAT
@click.pass_context
def mirror(
    ctx: click.Context,
    path: Path,
    pin: bool,
    cache: Path,
    lock_path: Path | None,
    output_format: str,
) -> None:
    """Copy every artefact from its source to the cluster's bucket.

    The lifecycle stack creates the bucket: deploy it first. An artefact whose checksum is unknown
    is refused; with --pin it is copied, and its checksum is written to the list for review.

    Exit codes: 0 all artefacts are in the bucket; 1 one was refused, or differs from the list; 2
    AWS or a source did not answer.
    """
    from clusterwright.artefacts.mirror import mirror as mirror_all
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
    from clusterwright.platforms.node_artefacts import list_file
    from clusterwright.render.artefacts import mirrored

    cluster = load_or_exit(
        path,
        command="artefacts mirror",
        output_format=output_format,
    ).cluster
    lock_path = lock_path or list_file(cluster)
    artefacts = _read(lock_path)
    bucket = lifecycle_bucket(cluster)
    session = AwsSession(cluster.region)
    outcomes: list[Outcome] = []
    unanswered: str | None = None
    try:
        store = _store(session, bucket)
        for outcome in mirror_all(artefacts, store, cache, pin=pin):
            outcomes.append(outcome)
            if outcome.status == "pinned":
                # Written at once, so that it is listed even if the next one fails.
                _pin(lock_path, outcome.artefact)
    except AwsUnavailable as error:
        unanswered = str(error)
    code = _exit_code(outcomes, unanswered)
    click.echo(mirrored(bucket, outcomes, unanswered, code, output_format), nl=False)
    ctx.exit(code)


def _exit_code(outcomes: list[Outcome], unanswered: str | None) -> int:
    if any(outcome.status in ("refused", "wrong") for outcome in outcomes):
        return 1
    return 2 if unanswered or any(o.status == "failed" for o in outcomes) else 0


def _read(path: Path) -> tuple[Artefact, ...]:
    from clusterwright.artefacts import LockError, read_lock

    try:
        return read_lock(path)
    except LockError as error:
        raise UserError(
            f"{path}: " + "; ".join(error.problems),
            "run it in a checkout, or name the list with --lock",
        ) from None


def _pin(path: Path, artefact: Artefact) -> None:
    from clusterwright.artefacts.lock import write_lock

    pinned = [
        artefact if (each.name, each.architecture) == _identity(artefact) else each
        for each in _read(path)
    ]
    try:
        write_lock(path, pinned)
    except OSError as error:
        raise cannot_write(path, error) from None


def _identity(artefact: Artefact) -> tuple[str, str]:
    return artefact.name, artefact.architecture


def _store(session: AwsSession, bucket: str) -> Store:
    from clusterwright.aws import s3

    if s3.bucket(session, bucket) is None:
        raise UserError(
            f"there is no bucket {bucket}", "deploy the lifecycle stack first, which creates it"
        )

    class _Bucket:
        def has(self, key: str, size_bytes: int) -> bool:
            return s3.object_size_bytes(session, bucket, key) == size_bytes

        def put(self, key: str, path: Path, sha256: str) -> None:
            s3.put_file(session, bucket, key, path, sha256)

    return _Bucket()
