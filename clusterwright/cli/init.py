"""`clusterwright init`: a commented spec that passes `check --offline` and can be deployed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.output_files import check_writable, move_into_place, schema_path_from
from clusterwright.platforms.registry import PLATFORMS

if TYPE_CHECKING:
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cluster_spec.init_template import Choices

DEFAULT_REGION = "us-east-1"
DEFAULT_ZONE = "use1-az6"

# Path of a value -> the option that sets it, for error messages.
OPTION_OF_PATH: dict[tuple[str, ...], str] = {
    ("environment",): "--environment",
    ("account",): "--account",
    ("region",): "--region",
    ("network", "availability_zone_id"): "--zone",
    ("compute", "instance_type"): "--instance-type",
    ("compute", "count"): "--count",
}

EPILOG = """
Examples:

\b
  clusterwright init --platform hyperpod-slurm --output configs/mine.yaml
  clusterwright init --platform hyperpod-slurm --region us-east-2 --instance-type p5en.48xlarge
  clusterwright init --platform hyperpod-slurm --project ../our-clusters
"""


@click.command(epilog=EPILOG)
@click.option("--platform", metavar="NAME", required=True, help=f"{', '.join(PLATFORMS)}.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write.  [default: stdout]",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    help="Instead of one file, write a repository for a team's specs, with a review workflow.",
)
@click.option("--environment", default="dev", show_default=True, help="The cluster's name.")
@click.option(
    "--account", default="111122223333", show_default=True, help="AWS account, 12 digits."
)
@click.option("--region", default=DEFAULT_REGION, show_default=True, help="AWS region.")
@click.option("--zone", help="Availability Zone id.  [default: one that offers the instance type]")
@click.option(
    "--instance-type",
    default="p5.48xlarge",
    show_default=True,
    help="Instance type of the compute nodes.",
)
@click.option("--count", type=int, default=2, show_default=True, help="Number of compute nodes.")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
def command(
    platform: str,
    output: Path | None,
    project: Path | None,
    environment: str,
    account: str,
    region: str,
    zone: str | None,
    instance_type: str,
    count: int,
    force: bool,
) -> None:
    """Write a commented spec to start from."""
    from clusterwright.cluster_spec.init_template import Choices

    _check_platform(platform)
    _check_values(environment, account, region, zone, instance_type)
    if project is not None and output is not None:
        raise UserError("--project and --output exclude each other", "give one of them")
    if output is not None:
        check_writable([output], force)
    choices = Choices(
        environment,
        account,
        region,
        zone or _zone_with(instance_type, region),
        instance_type,
        count,
    )
    if project is not None:
        from clusterwright.cli.init_project import write_project

        write_project(platform, choices, project, force=force, error_of=_option_error)
        return
    if output is None:
        with tempfile.TemporaryDirectory(prefix="clusterwright-") as folder:
            text = _write_and_load(platform, choices, Path(folder) / "spec.yaml", None)
        click.echo(text, nl=False)
        return
    _write(platform, choices, output, force)
    click.echo(f"{output} is written; next: clusterwright check {output} --offline", err=True)


def _check_platform(platform: str) -> None:
    from clusterwright.cluster_spec.suggest import did_you_mean

    if platform in PLATFORMS:
        return
    raise UserError(
        f"there is no platform {platform}",
        did_you_mean(platform, PLATFORMS) or f"one of: {', '.join(PLATFORMS)}",
    )


def _check_values(
    environment: str, account: str, region: str, zone: str | None, instance_type: str
) -> None:
    """Refuse values that YAML could parse as anything but one scalar."""
    import re

    from clusterwright.cluster_spec.models import formats

    for option, value, form in (
        ("--environment", environment, formats.ENVIRONMENT),
        ("--account", account, formats.ACCOUNT),
        ("--region", region, formats.REGION),
        ("--zone", zone, formats.ZONE),
        ("--instance-type", instance_type, formats.INSTANCE_TYPE),
    ):
        if value is not None and (
            re.search(form.pattern, value) is None or not value.isprintable()
        ):
            raise UserError(f"{option}: {value!r} is not {form.description}")


def _zone_with(instance_type: str, region: str) -> str:
    """A zone that offers the type; where none is known, the first zone of the region."""
    from clusterwright.catalog import Known, load_catalog

    catalog = load_catalog()
    offering = catalog.offering(instance_type, region)
    zones = sorted(offering.value) if isinstance(offering, Known) else []
    if region == DEFAULT_REGION and (DEFAULT_ZONE in zones or not zones):
        return DEFAULT_ZONE
    if zones:
        return zones[0]
    # An unknown region has no zones; the spec reports the region.
    return min(catalog.zone_ids(region), default=DEFAULT_ZONE)


def _write(platform: str, choices: Choices, output: Path, force: bool) -> None:
    """Write the file atomically; overwrite only with --force."""
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", suffix=".yaml", dir=output.parent)
    os.close(handle)
    draft = Path(name)
    try:
        _write_and_load(platform, choices, draft, schema_path_from(output.parent))
        move_into_place(draft, output, force)
    finally:
        draft.unlink(missing_ok=True)


def _write_and_load(platform: str, choices: Choices, draft: Path, schema: str | None) -> str:
    """Write the text to `draft` and load it, so that the result is a valid spec."""
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cluster_spec.init_template import starting_file
    from clusterwright.platforms.loading import load_cluster

    text = starting_file(platform, choices, schema=schema)
    draft.write_text(text, encoding="utf-8")
    try:
        load_cluster(draft)
    except SpecErrors as errors:
        raise _option_error(errors) from None
    return text


def _option_error(errors: SpecErrors) -> UserError:
    from clusterwright.cluster_spec import path_text

    for problem in errors:
        option = OPTION_OF_PATH.get(tuple(p for p in problem.path if not isinstance(p, int)))
        if option is not None:
            said = problem.message.removeprefix(f"{path_text(problem.path)}: ")
            return UserError(f"{option}: {said}", problem.hint)
    first = errors.problems[0]
    return UserError(
        f"with the base.yaml beside it the spec is invalid: {first.message}", first.hint
    )
