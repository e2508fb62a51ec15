"""`clusterwright init`: a commented spec that passes `check --offline` and can be deployed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.offline_errors import offline_unknowns
from clusterwright.cli.output_files import check_writable, schema_path_from, write_atomically
from clusterwright.platforms.registry import PLATFORMS

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cluster_spec.init_template import Choices

DEFAULT_NAME = "dev"
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
@click.option(
    "--platform",
    metavar="NAME",
    help=f"{', '.join(PLATFORMS)}.  [required; asked for on a terminal]",
)
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
@click.option(
    "--environment",
    help=f"The cluster's name.  [default: the name of a file in configs/, else {DEFAULT_NAME}]",
)
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
@click.pass_context
def command(
    ctx: click.Context,
    platform: str | None,
    output: Path | None,
    project: Path | None,
    environment: str | None,
    account: str,
    region: str,
    zone: str | None,
    instance_type: str,
    count: int,
    force: bool,
) -> None:
    """Write a commented spec to start from.

    On a terminal, without --platform, it asks for the options that are not given.
    """
    if platform is None:
        from clusterwright.cli.init_questions import ask

        ctx.invoke(command, **ask(ctx, DEFAULT_NAME))
        return
    from clusterwright.cluster_spec.init_template import Choices

    _check_platform(platform)
    if environment is None:
        # Names of files in configs/ and of environments are the same: CW-E010.
        named = output is not None and output.absolute().parent.name == "configs"
        environment = output.stem if named and output is not None else DEFAULT_NAME
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
        _has_local_drives(instance_type),
    )
    if project is not None:
        from clusterwright.cli.init_project import write_project

        write_project(platform, choices, project, force=force, error_of=_option_error)
        return
    if output is None:
        click.echo(_text(platform, choices, None), nl=False)
        return
    write_atomically(output, _text(platform, choices, output), force)
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
    """A zone that offers the type; where none is known, the first zone of the region.

    A local zone only if no other zone offers the type: its file systems and capacity differ.

    Raises
    ------
    UserError
        No zone of the region offers the type.
    """
    from clusterwright.catalog import Known, load_catalog
    from clusterwright.platforms.network import is_local

    catalog = load_catalog()
    offering = catalog.offering(instance_type, region)
    known = isinstance(offering, Known)
    if isinstance(offering, Known) and not offering.value and catalog.zone_ids(region):
        raise _not_offered(instance_type, region, catalog)
    # An unknown region has no zones; the spec reports the region.
    zones = offering.value if isinstance(offering, Known) else catalog.zone_ids(region)
    ordinary = sorted(zone for zone in zones if not is_local(zone)) or sorted(zones)
    if not ordinary or (region == DEFAULT_REGION and (DEFAULT_ZONE in ordinary or not known)):
        return DEFAULT_ZONE
    return ordinary[0]


def _has_local_drives(instance_type: str) -> bool:
    """Whether the type has local drives; true where that is unknown, which `check` reports."""
    from clusterwright.catalog import Known, load_catalog

    instance = load_catalog().instance(instance_type)
    if instance is None or not isinstance(instance.local_nvme, Known):
        return True
    return instance.local_nvme.value.count > 0


def _not_offered(instance_type: str, region: str, catalog: Catalog) -> UserError:
    from clusterwright.catalog import Known

    elsewhere = [
        other
        for other in sorted(catalog.regions)
        if isinstance(found := catalog.offering(instance_type, other), Known) and found.value
    ]
    return UserError(
        f"--region: {instance_type} is not offered in {region}",
        f"regions that offer it: {', '.join(elsewhere)}"
        if elsewhere
        else "no region is known to offer it; --zone writes a spec for a zone of your choice",
    )


def _text(platform: str, choices: Choices, output: Path | None) -> str:
    """The text of a spec that passes the offline check at `output`, with the base.yaml beside it.

    Raises
    ------
    UserError
        The options, or the base.yaml, make an invalid spec or one that fails the check.
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cluster_spec.document import parse_document
    from clusterwright.cluster_spec.init_template import starting_file
    from clusterwright.cluster_spec.layering import BASE_NAME
    from clusterwright.platforms.loading import examine_cluster, load_cluster_text

    try:
        if output is None:
            text = starting_file(platform, choices)
            spec = examine_cluster((parse_document(text, "spec.yaml"),))
        else:
            schema = schema_path_from(output.parent)
            unset = _unused_sections(platform, output.parent / BASE_NAME)
            text = starting_file(platform, choices, schema=schema, unset=unset)
            spec = load_cluster_text(text, output)
        offline_unknowns(spec, load_catalog(), "choose another --platform or --instance-type")
    except SpecErrors as errors:
        raise _option_error(errors) from None
    return text


def _unused_sections(platform: str, base: Path) -> tuple[str, ...]:
    """The sections of a base.yaml that the platform does not have.

    Raises
    ------
    SpecErrors
        The file cannot be read.
    """
    from clusterwright.cluster_spec.document import read_document
    from clusterwright.platforms.registry import SECTIONS, traits_of

    if not base.is_file():
        return ()
    found = read_document(base).data
    sections = traits_of(platform).sections
    return tuple(name for name in SECTIONS if name not in sections and found.get(name) is not None)


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
