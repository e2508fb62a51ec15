"""`clusterwright plan --write configs/NAME.yaml`: the spec, its plan and launch settings."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterwright.cli.errors import UserError
from clusterwright.cli.offline_errors import offline_unknowns
from clusterwright.cli.output_files import check_writable, schema_path_from, write_atomically

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.sizing.report_types import PlanReport


def write_plan(
    report: PlanReport,
    catalog: Catalog,
    output: Path,
    *,
    plan_json: str,
    command: str,
    account: str,
    zone: str | None,
    force: bool,
    image: str | None = None,
) -> tuple[list[Path], list[str]]:
    """Write all files, each atomically.

    Returns
    -------
    The files, and what is unknown to `clusterwright check --offline`.

    Raises
    ------
    UserError
        There is no region, a file exists, or the spec is invalid or fails
        `clusterwright check --offline`.
    GoalError
        No spec can describe the cluster of the plan.
    """
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import load_cluster_text
    from clusterwright.platforms.network import room_beside_the_nodes

    _check_name(output)
    inputs = _Inputs(plan_json, command, account, zone, image)
    texts = _texts(report, catalog, output, inputs)
    check_writable(texts, force)
    try:
        # As a file of the target folder, so that its base.yaml applies.
        spec = load_cluster_text(texts[output], output)
        more = room_beside_the_nodes(spec.cluster, catalog)
        if more is not None:
            texts |= _texts(report, catalog, output, inputs, (more,))
            spec = load_cluster_text(texts[output], output)
        open_questions = offline_unknowns(
            spec, catalog, "change --instance-type, --nodes, --zone or --capacity"
        )
    except SpecErrors as errors:
        first = errors.problems[0]
        hint = first.hint or "change the number of nodes or tokens, --zone or --capacity"
        if not (output.parent / "base.yaml").is_file():
            hint = f"{output.parent} has no base.yaml, which holds the values of every spec"
        raise UserError(f"the spec would be invalid: {first.message}", hint) from None
    for path, text in texts.items():
        write_atomically(path, text, force)
    return list(texts), open_questions


class _Inputs(NamedTuple):
    """What the plan itself does not contain."""

    plan_json: str
    command: str
    account: str
    zone: str | None
    image: str | None


def _texts(
    report: PlanReport,
    catalog: Catalog,
    output: Path,
    inputs: _Inputs,
    secondary_cidrs: tuple[str, ...] = (),
) -> dict[Path, str]:
    from clusterwright.cluster_spec.models import formats
    from clusterwright.platforms.registry import KUBERNETES, traits_of
    from clusterwright.sizing.spec_writer import SpecChoices, write, zone_of

    plan, chosen = report.plan, report.plan.chosen
    if report.region is None:
        raise UserError("--write needs a region", "--region us-east-1")
    if chosen.hardware.instance_type is None:
        raise UserError(
            f"{chosen.hardware.accelerator} is an accelerator, not an instance type",
            "--instance-type p5.48xlarge, or no cluster at all",
        )
    if report.storage is None:
        raise UserError("the plan has no FSx file system", *report.unknown[:1])
    platform = report.advice.platform if report.advice is not None else "hyperpod-slurm"
    offer = report.chosen_offer
    kind = offer.capacity_kind if offer else report.capacity_kinds[0]
    if not report.capacity_asked and kind not in traits_of(platform).capacity_kinds:
        # It was not requested, but the cheapest kind, which only another platform supports.
        kind = "on-demand"
    if inputs.image is not None and not re.fullmatch(formats.IMAGE_DIGEST.pattern, inputs.image):
        raise UserError(
            f"--image {inputs.image!r} is not {formats.IMAGE_DIGEST.description}",
            f"such as {formats.IMAGE_DIGEST.example}",
        )
    if inputs.image is not None and platform not in KUBERNETES:
        raise UserError(
            f"--image requires Kubernetes, and {platform} has Slurm",
            f"--platform {' or '.join(KUBERNETES)}, or leave --image out",
        )
    name = output.stem
    plan_file = output.with_name(f"{name}.plan.json")
    # Rounded up to days: a cluster is not deleted at the hour.
    hours = math.ceil(plan.estimate.days.p90) * 24.0
    usd = plan.estimate.usd
    text = write(
        SpecChoices(
            name=name,
            account=inputs.account,
            region=report.region,
            zone=inputs.zone or zone_of(chosen.hardware.instance_type, report.region, catalog),
            instance_type=chosen.hardware.instance_type,
            nodes=chosen.nodes,
            spares=report.failures.spares if report.failures else 0,
            capacity_kind=kind,
            hours=hours,
            plan_file=plan_file.name,
            command=inputs.command,
            budget_usd=usd.p90 if usd is not None else None,
            reasons=_reasons(report),
            schema=schema_path_from(output.parent),
            secondary_cidrs=secondary_cidrs,
            platform=platform,
            image=inputs.image,
            job_command=_job_command(report, name) if platform in KUBERNETES else (),
        ),
        report.storage,
        catalog,
    )
    files = {output: text, plan_file: inputs.plan_json}
    if report.launch is not None:
        files |= _launch_files(output, report)
    return files


def _job_command(report: PlanReport, name: str) -> tuple[str, ...]:
    """The command of the training job; empty without settings of a framework."""
    from clusterwright.platforms.registry import traits_of
    from clusterwright.sizing.launch import job_command

    layout = report.plan.chosen.layout
    if report.launch is None or layout is None:
        return ()
    managed = report.advice is not None and traits_of(report.advice.platform).on_hyperpod
    return job_command(report.launch, layout, name, managed=managed)


def _reasons(report: PlanReport) -> tuple[str, ...]:
    plan, days = report.plan, report.plan.estimate.days
    lines = [
        f"{plan.shape.name}: {plan.shape.params / 1e9:.3g}B parameters, "
        f"{plan.tokens / 1e12:.3g}T tokens, {plan.kind}, {plan.precision}.",
        f"P10, P50 and P90 of the run: {days.p10:.0f}, {days.p50:.0f} and {days.p90:.0f} days.",
    ]
    usd = plan.estimate.usd
    if usd is None:
        lines.append(
            "Dollars of compute: unknown. State your rates in prices.yaml beside this file."
        )
    else:
        lines.append(
            f"Dollars of compute: {usd.p10:,.0f}, {usd.p50:,.0f} and {usd.p90:,.0f}, by dated "
            "rates."
        )
    return tuple(lines)


def _launch_files(output: Path, report: PlanReport) -> dict[Path, str]:
    assert report.launch is not None
    launch = report.launch
    stem = output.stem
    head = [f"# Settings of the layout in {stem}.plan.json."]
    head += [f"# {caution}." for caution in launch.cautions]
    comment = "\n".join(head) + "\n"
    return {
        output.with_name(f"{stem}.megatron.args"): comment + "\n".join(launch.megatron) + "\n",
        output.with_name(f"{stem}.nemo.yml"): comment + _yaml(launch.nemo),
        output.with_name(f"{stem}.torchtitan.toml"): comment + "\n".join(launch.torchtitan_lines),
    }


def _yaml(data: Mapping[str, Any]) -> str:
    lines = []
    for section, values in data.items():
        if not isinstance(values, Mapping):
            lines.append(f"{section}: {json.dumps(values)}")
            continue
        lines.append(f"{section}:")
        lines += [f"  {key}: {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def _check_name(output: Path) -> None:
    import re

    from clusterwright.cluster_spec.models import formats

    if output.suffix != ".yaml":
        raise UserError(
            f"--write {output}: the file name must end in .yaml", "--write configs/NAME.yaml"
        )
    if re.search(formats.ENVIRONMENT.pattern, output.stem) is None:
        raise UserError(
            f"--write {output}: the file's name becomes the cluster's, and {output.stem!r} is "
            f"not {formats.ENVIRONMENT.description}",
            "--write configs/llama3-70b.yaml",
        )
    if output.stem == "base":
        raise UserError(
            f"--write {output}: base.yaml holds the values of every spec",
            "--write configs/llama3-70b.yaml",
        )
