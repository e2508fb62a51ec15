"""`clusterwright localaws`: an AWS for training clusters on this machine."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from clusterwright.cli.errors import UserError

DEFAULT_PORT = 5555


@click.command("localaws")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port on the loopback interface; 0 selects a free port.",
)
@click.option(
    "--world",
    "world_name",
    default="generous",
    show_default=True,
    metavar="NAME|FILE",
    help="A built-in world (generous, new-account, full-subnets, expired-plan) or a YAML file.",
)
@click.option(
    "--account",
    metavar="ID",
    help="Account of callers whose access key id is not 12 digits.  [default: the world's]",
)
@click.option(
    "--latency-ms",
    type=click.IntRange(0, 60_000),
    default=0,
    show_default=True,
    help="Delay every answer by this time.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Record every call in FILE, one line of JSON each, without secrets.",
)
@click.option(
    "--dump",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the state to FILE, as JSON, at exit and on SIGUSR1, without secrets.",
)
def command(
    port: int,
    world_name: str,
    account: str | None,
    latency_ms: int,
    record: Path | None,
    dump: Path | None,
) -> None:
    """Serve the AWS APIs that a training cluster needs, on the loopback interface.

    Prints `ready http://localhost:PORT` once it answers. Set AWS_ENDPOINT_URL to use it with any
    client. Every access key is accepted; a key of 12 digits selects the account. State is kept in
    memory; SIGTERM or Ctrl-C stops the server.
    """
    if account is not None and not re.fullmatch(r"\d{12}", account):
        raise UserError(f"--account {account!r} is not 12 digits")
    from clusterwright_localaws.server.server import PortInUseError, serve
    from clusterwright_localaws.worlds.loading import WorldError, load_world

    try:
        world = load_world(world_name)
    except WorldError as error:
        raise UserError(str(error), error.hint) from error
    if account is not None:
        world = world.model_copy(update={"account": account})
    try:
        serve(world, port, latency_ms=latency_ms, record=record, dump=dump, ready=_ready)
    except PortInUseError as error:
        raise UserError(
            str(error), "select another port with --port, or use --port 0 for a free port"
        ) from error
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    except ModuleNotFoundError as error:
        raise UserError(
            f"the local AWS needs the Python package {error.name!r}",
            "pip install clusterwright-localaws",
        ) from error
    # State is in memory: freeing it object by object would only take time.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _ready(port: int) -> None:
    click.echo(f"ready http://localhost:{port}")
