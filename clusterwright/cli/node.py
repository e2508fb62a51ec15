"""`clusterwright node`: drain, resume, reboot and replace nodes of a deployed cluster."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clusterwright.cli.cluster_reading import read_deployed
from clusterwright.cli.confirmation import confirmed
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import (
    FiniteFloatRange,
    format_option,
    prices_option,
    spec_path,
    timeout_option,
)

if TYPE_CHECKING:
    from clusterwright.cli.cluster_reading import ReadCluster
    from clusterwright.operate.results import NodePlan, NodeReport, NodeResult, NodeVerb

EXIT_CODES: Final = """\b
Exit codes: 3 the command line or the spec is wrong, or nobody confirmed; else 1 a node was
refused, failed, or nothing was done; else 2 something is unknown, or the end was not seen; else 0.
70 is an internal error.
"""

VERBS: Final[tuple[NodeVerb, ...]] = ("drain", "resume", "reboot", "replace")

_LONGEST_REASON: Final = 180
"""Characters of a reason that the controller keeps."""

_KEPT: Final = re.compile(r"[!#-&(-~]")
"""A character that it keeps (`plain` of `lifecycle_scripts/clusterwright_state/requests.py`)."""


@click.group(invoke_without_command=True)
@click.option(
    "--iam-policy",
    metavar="CONFIG",
    help="Print the IAM policy that all verbs need, and call no AWS API.",
)
@click.pass_context
def command(ctx: click.Context, /, iam_policy: str | None) -> None:
    """Drain, resume, reboot and replace nodes of a deployed cluster, at most 25 at a time.

    Spares, running jobs and the controller are checked first, and the command says what it will do
    and cost. It asks before it acts, or takes --yes, and follows until each node can take jobs
    again. If one node is refused, nothing is done with the others.
    """
    if ctx.invoked_subcommand is not None:
        if iam_policy is not None:
            raise UserError("--iam-policy takes no verb here", "--iam-policy after the verb")
    elif iam_policy is None:
        raise click.exceptions.NoArgsIsHelpError(ctx)
    else:
        print_policy(Path(iam_policy), "node", "text", VERBS)


def _verb(verb: NodeVerb, default_wait_seconds: float | None = None) -> Callable[..., Any]:
    """A command with the arguments and options of all verbs.

    With a default of --wait it is followed, and may act on nodes whose jobs are unknown.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(ctx: click.Context, /, **options: Any) -> None:
            followed = {"wait_seconds": 0.0, "without_scheduler": False, **options}
            _run(ctx, verb, **followed)

        made = click.pass_context(reduced_gc()(run))
        for option in reversed(_options(default_wait_seconds)):
            made = option(made)
        return command.command(verb, epilog=EXIT_CODES)(made)

    return decorate


def _options(default_wait_seconds: float | None) -> list[Callable[..., Any]]:
    found = [
        click.argument("words", metavar="CONFIG NAME...", nargs=-1),
        click.option("-c", "--config", metavar="FILE", help="CONFIG; all words are names then."),
        click.option(
            "--env",
            "environment",
            metavar="NAME",
            help="CONFIG is configs/NAME.yaml; all words are names then.",
        ),
        click.option("--because", metavar="TEXT", help="Why; required. Slurm's reason has it."),
        click.option("--yes", is_flag=True, help="Act without confirmation."),
    ]
    if default_wait_seconds is not None:
        found += [
            click.option(
                "--wait",
                "wait_seconds",
                type=FiniteFloatRange(min=0),
                default=default_wait_seconds,
                show_default=True,
                metavar="SECONDS",
                help="How long to follow until each node can take jobs; 0 does not follow.",
            ),
            click.option(
                "--without-scheduler",
                is_flag=True,
                help="Act although the scheduler's view is unknown: jobs may run on the nodes.",
            ),
        ]
    return [
        *found,
        prices_option("Your own rates.  [default: prices.yaml beside CONFIG]"),
        timeout_option(60.0),
        policy_option("Print the IAM policy that the verb needs, and call no AWS API."),
        format_option("text", "json"),
    ]


@_verb("drain")
def drain() -> None:
    """Let no new job start on nodes; running jobs go on.

    Slurm drains the nodes; on Kubernetes they are cordoned, with the user's kubectl.
    """


@_verb("resume")
def resume() -> None:
    """Let jobs start again on drained nodes; nodes that are not accepted are refused."""


@_verb("reboot", 1800.0)
def reboot() -> None:
    """Reboot nodes: HyperPod's API, Slurm on ParallelCluster and PCS, EC2 on EKS.

    HyperPod and EC2 reboot at once, and jobs on the nodes stop; Slurm waits for their end.
    """


@_verb("replace", 3600.0)
def replace() -> None:
    """Replace the instances of nodes; jobs on them stop, and their volumes are lost.

    HyperPod replaces them. On ParallelCluster, PCS and node groups of EKS, EC2 terminates the
    instances, and ParallelCluster, PCS or the node group starts others.
    """


def _run(
    ctx: click.Context,
    verb: NodeVerb,
    *,
    words: tuple[str, ...],
    config: str | None,
    environment: str | None,
    because: str | None,
    yes: bool,
    wait_seconds: float,
    without_scheduler: bool,
    prices: str | None,
    timeout_seconds: float,
    iam_policy: bool,
    output_format: str,
) -> None:
    from clusterwright.cli.node_follow import NodeWork
    from clusterwright.operate.results import NodeReport

    if iam_policy:
        first = words[0] if words and config is None and environment is None else None
        print_policy(spec_path(first, config, environment), "node", output_format, [verb])
        return
    path, names = _named(words, config, environment)
    reason = _reason(because)
    read = read_deployed(
        path,
        command="node",
        output_format=output_format,
        prices=prices,
        timeout_seconds=timeout_seconds,
    )
    plan = _plan(read, verb, names, reason, path, without_scheduler=without_scheduler)
    if plan.refused or not plan.wanted or not _confirmed(plan, yes=yes):
        _finish(ctx, NodeReport(plan, tuple(_not_done(plan))), output_format)
        return
    work = NodeWork(
        read.session,
        read.spec.cluster,
        read.state,
        plan,
        by=_caller(read),
        wait_seconds=wait_seconds,
        tell=lambda line: click.echo(line, err=True),
    )
    _finish(ctx, NodeReport(plan, work.run()), output_format)


def _named(
    words: tuple[str, ...], config: str | None, environment: str | None
) -> tuple[Path, tuple[str, ...]]:
    from clusterwright.operate.node_plan import MAXIMUM_NODES

    first = words[0] if words and config is None and environment is None else None
    path = spec_path(first, config, environment)
    names = tuple(dict.fromkeys(words[1:] if first is not None else words))
    if not names:
        raise UserError("no node is named", "give names, such as workers-1 or i-0123456789abcdef0")
    if len(names) > MAXIMUM_NODES:
        raise UserError(
            f"{len(names)} nodes are named, and the command takes {MAXIMUM_NODES} at a time",
            "run the command several times",
        )
    return path, names


def _reason(because: str | None) -> str:
    text = " ".join((because or "").split())
    if not text:
        raise UserError("the reason is missing", "--because TEXT")
    if not _KEPT.search(text):
        raise UserError(
            "the reason has no character that Slurm's reason keeps",
            "--because TEXT, in ASCII and not of quotes alone",
        )
    if len(text) > _LONGEST_REASON:
        raise UserError(
            f"the reason has {len(text)} characters", f"at most {_LONGEST_REASON} are kept"
        )
    return text


def _plan(
    read: ReadCluster,
    verb: NodeVerb,
    names: tuple[str, ...],
    because: str,
    path: Path,
    *,
    without_scheduler: bool,
) -> NodePlan:
    from clusterwright.operate.node_plan import UnknownNode, node_plan

    with catalog_errors():
        try:
            return node_plan(
                read.spec.cluster,
                read.state,
                read.rates,
                verb,
                names,
                because,
                file=str(path),
                without_scheduler=without_scheduler,
            )
        except UnknownNode as error:
            raise UserError(str(error), error.hint) from None


def _confirmed(plan: NodePlan, *, yes: bool) -> bool:
    """Show the plan on stderr, and ask.

    Raises
    ------
    UserError
        Nobody can be asked.
    """
    from clusterwright.render.node import plan_text
    from clusterwright.render.style import Style

    click.echo(plan_text(plan, Style.of(sys.stderr)), err=True, nl=False)
    count = len(plan.wanted)
    question = f"{plan.verb.capitalize()} {count} {'node' if count == 1 else 'nodes'}?"
    return confirmed(question, yes=yes)


def _caller(read: ReadCluster) -> str:
    """Who asks: the end of the caller's ARN.

    Raises
    ------
    UserError
        The credentials are those of another account, or cannot be read.
    """
    from clusterwright.aws import sts
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.cluster_state.account import OTHER_ACCOUNT_HINT, other_account

    try:
        caller = sts.caller(read.session)
    except AwsUnavailable as error:
        raise UserError(error.message, error.hint, exit_code=2) from None
    reason = other_account(caller, read.spec.cluster.account)
    if reason is not None:
        raise UserError(reason, OTHER_ACCOUNT_HINT)
    return caller.arn.rpartition(":")[2]


def _not_done(plan: NodePlan) -> list[NodeResult]:
    from clusterwright.cli.node_follow import result_of

    why = "another node is refused" if plan.refused else "not confirmed"
    found = []
    for action in plan.actions:
        if action.refused is not None:
            found.append(result_of(action, "refused", action.refused))
        elif action.unchanged is not None:
            found.append(result_of(action, "unchanged", action.unchanged))
        else:
            found.append(result_of(action, "not-done", why))
    return found


def _finish(ctx: click.Context, report: NodeReport, output_format: str) -> None:
    if output_format == "json":
        from clusterwright.json_output.node import node_json

        sys.stdout.write(node_json(report))
    else:
        from clusterwright.render.node import node_text
        from clusterwright.render.style import Style

        sys.stdout.write(node_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)
