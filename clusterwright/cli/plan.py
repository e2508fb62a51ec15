"""`clusterwright plan`: duration, cost and cluster of a training run, with intervals."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clusterwright import files
from clusterwright.cli.errors import UserError
from clusterwright.cli.options import (
    currency_options,
    exchange_rate,
    format_option,
    prices_option,
)

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cost.bill_extras import Exchange
    from clusterwright.sizing.errors import GoalError
    from clusterwright.sizing.goal import Goal
    from clusterwright.sizing.report_types import PlanReport
    from clusterwright.sizing.shape import ModelShape

EXIT_CODES = """\b
Exit codes: 0 the plan is printed; 3 the goal is invalid or cannot be reached; see the hint.
"""

# Flag -> path in the goal, which validates the value.
_FLAGS: Final = {
    "params": ("params",),
    "active_params": ("active_params",),
    "tokens": ("tokens",),
    "seq_len": ("seq_len",),
    "batch_tokens": ("batch_tokens",),
    "precision": ("precision",),
    "kind": ("kind",),
    "optimizer": ("optimizer",),
    "platform": ("platform",),
    "recovery": ("recovery",),
    "stack": ("stack",),
    "lora_rank": ("lora_rank",),
    "deadline": ("deadline",),
    "deadline_at": ("deadline_at",),
    "region": ("region",),
    "zone": ("availability_zone_id",),
    "budget_usd": ("budget_usd",),
    "capacity": ("capacity",),
    "seed": ("seed",),
    "layers": ("shape", "layers"),
    "hidden_size": ("shape", "hidden_size"),
    "ffn_size": ("shape", "ffn_size"),
    "heads": ("shape", "heads"),
    "kv_heads": ("shape", "kv_heads"),
    "vocab_size": ("shape", "vocab_size"),
    "experts": ("shape", "experts"),
    "experts_per_token": ("shape", "experts_per_token"),
    "expert_ffn_size": ("shape", "expert_ffn_size"),
    "data": ("data", "name"),
    "instance_type": ("cluster", "instance_type"),
    "nodes": ("cluster", "nodes"),
    "accelerator": ("cluster", "accelerator"),
    "accelerators": ("cluster", "accelerators"),
    "per_node": ("cluster", "per_node"),
    "network_gbps": ("cluster", "network_gbps"),
}


_TRAINING_OPTIONS: Final = {
    "--write": "output",
    "--image": "image",
    "--phases": "phases",
    "--inference-tokens": "inference_tokens",
    "--owned": "owned",
    "--measured": "measured",
}
"""Options without effect on `--kind inference`."""


@click.command(epilog=EXIT_CODES)
@click.option("--goal", "goal_file", type=click.Path(), metavar="FILE", help="A goal.yaml.")
@click.option(
    "--model", metavar="NAME|FILE", help="A built-in model, or a Hugging Face config.json."
)
@click.option("--params", metavar="N", help="Parameters, such as 70B or 70e9.")
@click.option("--active-params", metavar="N", help="Parameters per token (mixture of experts).")
@click.option("--tokens", metavar="N", help="Tokens of the run, such as 15T.")
@click.option("--data", metavar="NAME", help="A built-in data set instead of --tokens.")
@click.option("--seq-len", type=int, help="Tokens per sequence.")
@click.option("--batch-tokens", metavar="N", help="Tokens per optimizer step, such as 4M.")
@click.option("--layers", type=int, help="Transformer layers.")
@click.option("--hidden-size", type=int, help="Hidden size.")
@click.option("--ffn-size", type=int, help="Inner size of the MLP.")
@click.option("--heads", type=int, help="Query attention heads.")
@click.option("--kv-heads", type=int, help="Key and value heads (grouped-query attention).")
@click.option("--vocab-size", type=int, help="Size of the vocabulary.")
@click.option("--experts", type=int, help="Routed experts per layer.")
@click.option("--experts-per-token", type=int, help="Experts that are active for each token.")
@click.option("--expert-ffn-size", type=int, help="Inner size of an expert.")
@click.option(
    "--precision", metavar="NAME", help="Precision of matrix products: bf16 (default) or fp8."
)
@click.option(
    "--kind",
    metavar="NAME",
    help="from-scratch (default), continued, fine-tune, lora, qlora, inference.",
)
@click.option("--optimizer", metavar="NAME", help="adam (default) or adam-8bit.")
@click.option("--lora-rank", type=int, help="Rank of the LoRA adapters.  [default: 16]")
@click.option("--instance-type", metavar="TYPE", help="EC2 instance type, such as p5.48xlarge.")
@click.option("--nodes", type=int, help="Number of instances.")
@click.option(
    "--accelerator",
    metavar="NAME",
    help="Accelerator: H100, A100-80GB, Trn2, ..., or a PCIe card: RTX-A6000, L40S.",
)
@click.option("--accelerators", type=int, help="Number of accelerators.  [default: chosen]")
@click.option("--per-node", type=int, help="Accelerators per node of your own hardware.")
@click.option(
    "--network-gbps", type=float, help="Network bandwidth per node of your own hardware."
)
@click.option(
    "--platform",
    metavar="NAME",
    help="hyperpod-slurm, hyperpod-eks, parallelcluster, eks or pcs.  [default: recommended]",
)
@click.option(
    "--recovery",
    metavar="NAME",
    help="Recovery from failures: manual, automatic (default), checkpointless.",
)
@click.option(
    "--stack",
    metavar="NAME",
    help="Tuning of the training stack: as-it-comes, tuned, frontier.  [default: unknown]",
)
@click.option("--deadline", metavar="TIME", help="Latest end of the run: 90d, 12w or a date.")
@click.option(
    "--deadline-at",
    metavar="NAME",
    help="Quantile of the days that must be within the deadline: p50 (default) or p90.",
)
@click.option("--region", metavar="NAME", help="AWS region.")
@click.option("--zone", metavar="ID", help="Availability Zone id, such as use1-az6.")
@click.option("--budget-usd", type=float, metavar="USD", help="Budget for compute.")
@click.option(
    "--capacity",
    multiple=True,
    metavar="KIND",
    help="on-demand, spot, training-plan, capacity-block, reservation. May be repeated.",
)
@click.option(
    "--phases",
    metavar="N,N",
    is_flag=False,
    flag_value="8,64",
    help="Plan a ramp with dates, cost and quotas; nodes of the earlier phases.  [8,64]",
)
@click.option("--starts", metavar="DAY", help="First day of the ramp.  [default: today]")
@click.option(
    "--inference-tokens",
    metavar="N",
    help="Inference tokens over the life of the model: compare with a smaller model.",
)
@click.option(
    "--owned",
    type=click.Path(),
    metavar="FILE",
    help="YAML file of purchased hardware to compare with: purchase, watts, tariff_per_kwh, "
    "years, ...",
)
@click.option(
    "--measured",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="JSON of `report goodput`, `report scaling` or `report layouts`: a run on this cluster, "
    "which narrows the intervals. May be repeated.",
)
@prices_option("Your own rates.")
@currency_options
@click.option(
    "--write",
    "output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the spec (configs/NAME.yaml), the plan beside it, and launch settings.",
)
@click.option(
    "--account", default="111122223333", show_default=True, help="AWS account of the spec."
)
@click.option(
    "--image",
    metavar="IMAGE@sha256:...",
    help="With --write on Kubernetes: image of the training job, by digest.",
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.option(
    "--sequences",
    type=int,
    default=1,
    show_default=True,
    help="With --kind inference: concurrent sequences of a replica.",
)
@click.option("--seed", type=int, help="Seed of the Monte Carlo simulation.  [default: 0]")
@click.option("--explain", is_flag=True, help="Print every formula with its numbers and source.")
@click.option(
    "--details",
    is_flag=True,
    help="Also memory, prices, storage, failures and quotas, and all notes, as text.",
)
@click.option("--all", "every", is_flag=True, help="Every option instead of the best five.")
@format_option("text", "json", "markdown", "html")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    goal_file: str | None,
    model: str | None,
    output_format: str,
    capacity: tuple[str, ...],
    sequences: int,
    phases: str | None,
    starts: str | None,
    inference_tokens: str | None,
    owned: str | None,
    measured: tuple[str, ...],
    prices: str | None,
    currency: str | None,
    fx: str | None,
    output: Path | None,
    account: str,
    image: str | None,
    force: bool,
    **flags: Any,
) -> None:
    """Estimate how long a training run takes on a cluster, and what it costs, with intervals.

    Give the model (--model, or --params and the known sizes), the tokens, and a cluster:
    --instance-type and --nodes, or --accelerator and --accelerators. A count that is left out is
    chosen; without a cluster every instance type is compared. Flags override --goal FILE.
    """
    import datetime as dt

    from clusterwright.cli import plan_questions
    from clusterwright.cli.inputs import catalog_errors
    from clusterwright.sizing.errors import GoalError

    today = dt.datetime.now(dt.UTC).date()
    exchange = exchange_rate(currency, fx, today)
    try:
        goal, config = read_goal(goal_file, model, {**flags, "capacity": list(capacity) or None})
        asked = (phases, starts, inference_tokens, owned, measured)
        questions = plan_questions.questions(*asked, charts=output_format == "html")
        with catalog_errors():
            from clusterwright.sizing.report import build_report

            catalog = plan_questions.catalog_with(prices)
            if goal.kind == "inference":
                _only_training(ctx.params, goal.cluster.accelerator)
                sys.stdout.write(_serving(goal, config, catalog, sequences, output_format))
                ctx.exit(0)
            answer = build_report(goal, catalog, today=today, config=config, questions=questions)
            written: list[Path] = []
            open_questions: list[str] = []
            if output is not None:
                from clusterwright.cli.plan_write import write_plan
                from clusterwright.json_output.plan import plan_json

                written, open_questions = write_plan(
                    answer,
                    catalog,
                    output,
                    plan_json=plan_json(answer),
                    command=plan_questions.command_line(),
                    account=account,
                    zone=goal.availability_zone_id,
                    force=force,
                    image=image,
                )
    except GoalError as error:
        fail(error, output_format)
    shown = {name: flags[name] for name in ("explain", "details", "every")}
    text = _rendered(answer, output_format, exchange=exchange, **shown)
    for path in written:
        click.echo(f"{path} is written", err=True)
    if output is not None:
        for question in open_questions:
            click.echo(f"unknown, so that check --offline exits with 2: {question}", err=True)
        click.echo(f"next: clusterwright check {output} --offline", err=True)
    sys.stdout.write(text)
    ctx.exit(0)


def _rendered(
    report: PlanReport,
    output_format: str,
    *,
    explain: bool,
    exchange: Exchange | None,
    details: bool,
    every: bool,
) -> str:
    if output_format == "json":
        from clusterwright.json_output.plan import plan_json

        return plan_json(report, explain=explain, exchange=exchange)
    if output_format == "html":
        from clusterwright.render.plan_report_html import plan_report_html

        return plan_report_html(report)
    from clusterwright.render.plan_report import plan_report_markdown, plan_report_text
    from clusterwright.render.style import Style

    if output_format == "markdown":
        return plan_report_markdown(report, explain=explain, exchange=exchange)
    style = Style.of(sys.stdout)
    return plan_report_text(
        report, style, explain=explain, exchange=exchange, details=details, every=every
    )


def _only_training(given: dict[str, object], accelerator: str | None) -> None:
    """Refuse options that have no effect with `--kind inference`.

    Raises
    ------
    UserError
        One of them is given.
    """
    options = {flag: given[name] for flag, name in _TRAINING_OPTIONS.items()}
    for flag, value in {**options, "--accelerator": accelerator}.items():
        if value is not None and value != ():
            raise UserError(
                f"--kind inference does not support {flag}",
                f"leave {flag} out; the output is the smallest replica of each type, or of "
                "--instance-type",
            )


def _serving(
    goal: Goal,
    config: ModelShape | None,
    catalog: Catalog,
    sequences: int,
    output_format: str,
) -> str:
    """The replicas that serve a model.

    Raises
    ------
    GoalError, UserError
        No type holds the model; the format is not supported.
    """
    from dataclasses import replace

    from clusterwright.render import serving as render
    from clusterwright.render.style import Style
    from clusterwright.sizing.estimate import not_offered
    from clusterwright.sizing.hardware import trainable_types
    from clusterwright.sizing.inputs import resolve
    from clusterwright.sizing.serving import plan_serving

    if output_format == "html":
        raise UserError("--kind inference has no HTML report", "--format text, json or markdown")
    named, region = goal.cluster.instance_type, goal.region
    types = [named] if named else trainable_types(catalog)
    if region is not None:
        missing = {name: not_offered(name, region, catalog) for name in types}
        types = [name for name, why in missing.items() if why is None]
        if not types:
            raise next(why for why in missing.values() if why is not None)
    # Resolving a shape requires tokens, which serving does not have.
    inputs = resolve(goal.model_copy(update={"tokens": goal.tokens or 1e12}), config=config)
    found = plan_serving(
        inputs.shape,
        catalog,
        precision=goal.precision,
        sequences=sequences,
        seq_len=inputs.seq_len,
        types=types,
    )
    unused = {
        "nodes": goal.cluster.nodes or goal.cluster.accelerators,
        "tokens": goal.tokens,
        "deadline": goal.deadline,
        "budget": goal.budget_usd,
        "capacity": goal.capacity,
        "platform": goal.platform,
    }
    names = ", ".join(name for name, value in unused.items() if value)
    if names:
        note = f"only the size of one replica is computed; {names} of the goal are not used"
        found = replace(found, warnings=(*found.warnings, note))
    if output_format == "json":
        from clusterwright.json_output.plan import serving_json

        return serving_json(found)
    if output_format == "markdown":
        return render.serving_markdown(found)
    return render.serving_text(found, Style.of(sys.stdout))


def read_goal(
    goal_file: str | None, model: str | None, flags: dict[str, Any]
) -> tuple[Goal, ModelShape | None]:
    """The goal of the file and the flags, and the shape of a config.json that --model names.

    Raises
    ------
    GoalError
        Something in it is wrong.
    UserError
        A file cannot be read.
    """
    from clusterwright.cli.yaml_files import read_mapping
    from clusterwright.sizing.goal import parse

    data: dict[str, Any] = {}
    if goal_file is not None:
        data = read_mapping(goal_file, of="goal", hint="keys such as model, tokens and cluster")
    for flag, value in flags.items():
        if value is None or flag not in _FLAGS:
            continue
        *sections, key = _FLAGS[flag]
        target = data
        for section in sections:
            if not isinstance(target.get(section), dict):
                target[section] = {}
            target = target[section]
        target[key] = value
    config = None
    if model is not None:
        data["model"] = model
    named = data.get("model")
    if isinstance(named, str) and (named.endswith(".json") or "/" in named):
        config = _config(named)
        del data["model"]
    return parse(data), config


def fail(error: GoalError, output_format: str) -> None:
    """Report the error on stderr, with `--format json` as JSON on stdout too; exit 3."""
    if output_format == "json":
        from clusterwright.json_output.base import problems_json

        problem = {
            "message": error.message,
            "path": error.field or "",
            "note": None,
            "hint": error.hint,
        }
        sys.stdout.write(problems_json("plan", (problem,)))
    raise UserError(error.message, error.hint)


def _config(path: str) -> ModelShape:
    from clusterwright.sizing.hf_config import shape_from_config

    try:
        data = json.loads(files.read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        hint = "--model is a built-in name or the path of a config.json; nothing is downloaded"
        raise UserError(f"{path} cannot be read: {_reason(error)}", hint) from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not JSON: {error}") from None
    return shape_from_config(data, name=Path(path).name)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
