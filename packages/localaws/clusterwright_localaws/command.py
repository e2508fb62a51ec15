"""`clusterwright localaws`: an AWS for training clusters on this machine."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.options import FiniteFloatRange

if TYPE_CHECKING:
    from clusterwright_localaws.probes.calls import BotoCaller
    from clusterwright_localaws.probes.running import Result
    from clusterwright_localaws.probes.verifying import Report, Selection

DEFAULT_PORT = 5555

EXIT_CODES: Final = """\b
Exit codes: 3 the command line is wrong or the budget too small; else 1 an answer differs or
something could not be deleted; else 2 something is unknown, or no credentials; else 0.
130 interrupted, after everything was deleted. 70 is an internal error.
"""


@click.group("localaws", invoke_without_command=True)
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
@click.pass_context
def command(
    ctx: click.Context,
    /,
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
    if ctx.invoked_subcommand is not None:
        _refuse_options(ctx)
        return
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
        serve(
            world,
            port,
            latency_ms=latency_ms,
            record=record,
            dump=dump,
            reread=lambda: load_world(world_name),
            ready=_ready,
        )
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


def _refuse_options(ctx: click.Context) -> None:
    """Options of the server before `verify`, `record` or `replay` would have no effect."""
    from click.core import ParameterSource

    for parameter in ctx.command.params:
        name = parameter.name or ""
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UserError(
                f"{parameter.opts[0]} is an option of the server",
                f"write it after {ctx.invoked_subcommand}, if that has it",
            )


_ENDPOINT = click.option(
    "--endpoint",
    metavar="URL",
    help="The endpoint of every service.  [default: AWS_ENDPOINT_URL, else AWS]",
)
_REGION = click.option(
    "--region", metavar="NAME", help="The region.  [default: that of the AWS configuration]"
)
_PROFILE = click.option("--profile", metavar="NAME", help="A profile of the AWS configuration.")
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The form of the report.",
)


class _Price(click.ParamType[tuple[str, float]]):
    """PROBE=USD."""

    name = "price"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        probe, separator, amount = str(value).partition("=")
        try:
            price = float(amount)
        except ValueError:
            price = math.nan
        if not separator or not math.isfinite(price) or price < 0:
            self.fail(f"{value!r} is not PROBE=USD.", param, ctx)
        return probe, price


@command.command("verify", epilog=EXIT_CODES)
@click.option(
    "--create", is_flag=True, help="Also run the probes that create or change something."
)
@click.option(
    "--budget",
    type=FiniteFloatRange(min=0),
    metavar="USD",
    help="The most that the run may cost; required with --create.",
)
@click.option(
    "--price",
    "prices",
    type=_Price(),
    multiple=True,
    metavar="PROBE=USD",
    help="The price of a probe, where it is unknown.",
)
@click.option(
    "--probe", "patterns", multiple=True, metavar="ID", help="Only these; * is a wildcard."
)
@click.option(
    "--deletion-timeout",
    "deletion_timeout_s",
    type=FiniteFloatRange(min=0, max=3600),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long each deletion is tried again while the endpoint refuses it.",
)
@click.option("--list", "listing", is_flag=True, help="List the probes, and call nothing.")
@_ENDPOINT
@_REGION
@_PROFILE
@_FORMAT
def verify(
    *,
    create: bool,
    budget: float | None,
    prices: tuple[tuple[str, float], ...],
    patterns: tuple[str, ...],
    deletion_timeout_s: float,
    listing: bool,
    endpoint: str | None,
    region: str | None,
    profile: str | None,
    form: str,
) -> int:
    """Compare an account of AWS, or another endpoint, with what the local AWS claims of AWS.

    Runs the probes that only read, with the credentials that boto3 finds. With --create and
    --budget it also runs those that create something: the sum of their prices is compared with the
    budget before the first call, everything has the tag localaws-verify, and everything is deleted
    at the end, also after Ctrl-C. The report has no ids and no account numbers.
    """
    from clusterwright_localaws.probes import report
    from clusterwright_localaws.probes.library import probes
    from clusterwright_localaws.probes.verifying import VerifyError, select

    if listing:
        click.echo(report.listing())
        return 0
    try:
        selection = select(
            probes(), patterns, create=create, budget_usd=budget, stated_usd=dict(prices)
        )
    except VerifyError as error:
        raise UserError(str(error), error.hint) from error
    found = _verify(selection, endpoint, region, profile, deletion_timeout_s)
    click.echo(report.as_json(found).rstrip() if form == "json" else report.as_text(found))
    return found.exit_code


def _verify(
    selection: Selection,
    endpoint: str | None,
    region: str | None,
    profile: str | None,
    deletion_timeout_s: float,
) -> Report:
    from clusterwright_localaws.probes.calls import BotoCaller
    from clusterwright_localaws.probes.verifying import NoIdentity, verify

    stop = threading.Event()
    caller = _caller(BotoCaller, endpoint, region, profile)

    def progress(number: int, result: Result) -> None:
        if sys.stderr.isatty():
            click.echo(f"{number}/{len(selection.chosen)} {result.probe.id}", err=True)

    previous = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        return verify(
            selection,
            caller,
            caller.region,
            stop=stop,
            deletion_timeout_s=deletion_timeout_s,
            progress=progress,
        )
    except NoIdentity as error:
        raise UserError(
            f"the endpoint does not say whose credentials these are: {error}",
            "check credentials, --profile, --region and --endpoint",
            exit_code=2,
        ) from error
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _caller(
    make: type[BotoCaller], endpoint: str | None, region: str | None, profile: str | None
) -> BotoCaller:
    from botocore.exceptions import BotoCoreError

    try:
        return make(region, endpoint, profile)
    except (BotoCoreError, ValueError) as error:
        raise UserError(str(error), "check --profile, --region and --endpoint") from error


@command.command("record")
@click.option(
    "--to",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    required=True,
    help="The file of the recording; it is overwritten.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Port on the loopback interface.  [default: a free port]",
)
@click.option("--upstream", metavar="URL", help="The endpoint that answers.  [default: AWS]")
@_PROFILE
def record(*, path: Path, port: int, upstream: str | None, profile: str | None) -> None:
    """Record the calls of any AWS client, while AWS answers them.

    Prints `ready http://localhost:PORT`: set AWS_ENDPOINT_URL to it. Calls to AWS are signed
    again, with the credentials that boto3 finds here. Secrets, signatures and tokens are not
    written. SIGTERM or Ctrl-C ends the recording.
    """
    from botocore.exceptions import BotoCoreError

    from clusterwright_localaws.recordings.calls_file import Writer
    from clusterwright_localaws.recordings.proxy import Proxy
    from clusterwright_localaws.server.httpd import Server
    from clusterwright_localaws.server.server import PortInUseError, listen

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        writer = Writer(path)
        proxy = Proxy(writer, upstream, profile)
        sockets = listen(port)
    except PortInUseError as error:
        raise UserError(str(error), "select another port with --port") from error
    except BotoCoreError as error:
        raise UserError(str(error), "check --profile") from error
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    servers = [Server(one, proxy) for one in sockets]
    for server in servers:
        server.start()
    _ready(sockets[0].getsockname()[1])
    stop.wait()
    for server in servers:
        server.stop(1.0)
    writer.close()


@command.command("replay", epilog=EXIT_CODES)
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--world",
    "world_name",
    default="generous",
    show_default=True,
    metavar="NAME|FILE",
    help="The world of the local AWS that answers.",
)
@_FORMAT
def replay(*, path: Path, world_name: str, form: str) -> int:
    """Compare the local AWS call by call with a recording.

    A new local AWS answers the recorded calls in their order. Ids, times and tokens are compared
    by their form; ids that AWS chose are replaced in later calls by those of the local AWS.
    """
    from clusterwright_localaws.recordings import replay as replaying
    from clusterwright_localaws.recordings.calls_file import RecordingError, read
    from clusterwright_localaws.worlds.loading import WorldError, load_world

    try:
        lines = list(read(path))
        world = load_world(world_name)
    except RecordingError as error:
        raise UserError(f"{path}: {error}", "record it with localaws record --to FILE") from error
    except WorldError as error:
        raise UserError(str(error), error.hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    results = replaying.against_local_aws(lines, world)
    show = replaying.as_json if form == "json" else replaying.as_text
    click.echo(show(results).rstrip())
    return replaying.exit_code(results)


def _ready(port: int) -> None:
    click.echo(f"ready http://localhost:{port}")
