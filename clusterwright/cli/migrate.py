"""`clusterwright migrate`: the spec of the same cluster for another platform."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit, read_prices
from clusterwright.cli.options import format_option, spec_argument
from clusterwright.cli.output_files import check_writable, write_atomically
from clusterwright.platforms.registry import PLATFORMS

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.cluster_spec.document import Document
    from clusterwright.cost.bill import Bill
    from clusterwright.migration import Migration, Note

EPILOG = """\b
Examples:
  clusterwright migrate configs/dev.yaml --to parallelcluster
  clusterwright migrate --env prod --to eks --environment prod-eks --write configs/prod-eks.yaml
  clusterwright migrate --env prod --to eks --environment prod-eks --outputs outputs.json

\b
Exit codes: 0 the new spec passes `check --offline`; 1 something must be decided before it does;
2 the result of a rule is unknown; 3 the command line or the spec is wrong.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option("--to", "target", metavar="PLATFORM", required=True, help=f"{', '.join(PLATFORMS)}.")
@click.option(
    "--environment", "name", metavar="NAME", help="Name of the new cluster.  [default: the same]"
)
@click.option(
    "--write", "output", type=click.Path(path_type=Path), help="Write the new spec to this file."
)
@click.option(
    "--outputs",
    "outputs_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File of `cdk deploy --outputs-file FILE`: reuse the network and file systems in it.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@format_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    target: str,
    name: str | None,
    output: Path | None,
    outputs_file: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Write the spec of CONFIG for another platform, and print what is lost, gained and moved.

    Comments of the file are kept. Nothing is deployed, and the original file is not changed.
    Without --write only the JSON output holds the new spec.

    With --environment the new cluster is created beside the old one, and --outputs reuses the old
    network and file systems. Without it the new cluster replaces the old one and keeps its
    foundation stacks: the output lists the stacks to delete first.
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.migration import MissingOutputsError, migrate
    from clusterwright.migration.results import Costs, MigrationReport
    from clusterwright.render import migration as render
    from clusterwright.render.style import Style

    platform = next((p for p in PLATFORMS if p == target), None)
    if platform is None:
        raise _no_such_platform(target)
    spec = load_or_exit(path, command="migrate", output_format=output_format)
    if spec.cluster.platform == platform:
        raise UserError(
            f"{path} already has platform: {platform}", "name another platform with --to"
        )
    _check_name(name)
    own = read_prices(path, None, command="migrate", output_format=output_format)
    if output is not None:
        _refuse_same_file(output, path)
        check_writable([output], force)
    outputs = None if outputs_file is None else _outputs(outputs_file, spec, name)
    with catalog_errors():
        catalog = load_catalog(prices_override=own.rates)
        try:
            found = migrate(
                spec,
                platform,
                catalog,
                environment=name,
                folder=None if output is None else output.parent,
                below=_text_below(output),
                outputs=outputs,
            )
        except MissingOutputsError as lack:
            raise UserError(
                f"{outputs_file}: {lack.message}",
                f"`cdk deploy -c config={path} --all --outputs-file {outputs_file}` writes all of "
                "them",
            ) from None
        after, open_points, unknown = _check_offline(found, spec, output, catalog)
        costs = Costs(_bill(spec, catalog), None if after is None else _bill(after, catalog))
    if output is not None:
        write_atomically(output, found.text, force)
    code = 1 if open_points else 2 if unknown else 0
    report = MigrationReport(
        found, open_points, unknown, costs, spec.file, str(output) if output else None
    )
    if output_format == "json":
        from clusterwright.json_output.migrate import migrate_json

        sys.stdout.write(migrate_json(report, code))
    elif output_format == "markdown":
        sys.stdout.write(render.migration_markdown(report))
    else:
        sys.stdout.write(render.migration_text(report, Style.of(sys.stdout)))
    if output is not None:
        click.echo(f"{output} is written; next: clusterwright check {output} --offline", err=True)
    ctx.exit(code)


def _no_such_platform(target: str) -> UserError:
    from clusterwright.cluster_spec.suggest import did_you_mean

    hint = did_you_mean(target, PLATFORMS) or f"one of: {', '.join(PLATFORMS)}"
    return UserError(f"there is no platform {target}", hint)


def _check_name(name: str | None) -> None:
    import re

    from clusterwright.cluster_spec.models import formats

    if name is not None and (
        len(name) > 40 or not re.fullmatch(formats.ENVIRONMENT.pattern, name)
    ):
        raise UserError(f"--environment: {name!r} is not {formats.ENVIRONMENT.description}")


def _refuse_same_file(output: Path, source: Path) -> None:
    if output.exists() and output.resolve() == source.resolve():
        raise UserError(
            f"{output} is the input file, and is not overwritten",
            "name another file: you need both specs until the data has moved",
        )


def _outputs(file: Path, spec: LoadedSpec, name: str | None) -> dict[str, str]:
    """The outputs of the old cluster's stacks.

    Raises
    ------
    UserError
        The new cluster has the name of the old one, or the file holds no outputs.
    """
    from clusterwright.cli.outputs_file import read_outputs

    if name is None or name == spec.cluster.environment:
        raise UserError(
            "--outputs requires another name: under the same name the stacks keep their network "
            "and file systems",
            "name the new cluster with --environment, or leave --outputs out",
        )
    return read_outputs(file, spec.cluster.environment)


def _check_offline(
    found: Migration, spec: LoadedSpec, output: Path | None, catalog: Catalog
) -> tuple[LoadedSpec | None, tuple[Note, ...], tuple[Note, ...]]:
    """The new spec if it loads, the errors of `check --offline`, and what is unknown."""
    import datetime as dt
    import os

    from clusterwright.cluster_spec import SpecErrors, path_text
    from clusterwright.cluster_spec.document import parse_document
    from clusterwright.migration import Note
    from clusterwright.platforms.loading import examine_cluster
    from clusterwright.preflight import engine
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.registry import rule_files

    file = os.fspath(output) if output is not None else _other_name(spec.file, found.target)
    home = Path(spec.file).parent
    same_folder = output is None or output.parent.resolve() == home.resolve()
    below = spec.layers.documents[:-1] if same_folder else _base_of(output)
    try:
        loaded = examine_cluster((*below, parse_document(found.text, file)))
    except SpecErrors as errors:
        notes = tuple(Note(path_text(p.path), p.message, p.hint) for p in errors)
        return None, notes, ()
    context = Context(
        loaded,
        catalog,
        dt.datetime.now(dt.UTC).date(),
        rule_ids=frozenset(rule_file.rule.id for rule_file in rule_files()),
        offline=True,
    )
    # The new file keeps the environment of the old one, which it replaces later, under its name.
    selection = engine.Selection(offline=True, skip=frozenset({"CW-E010"}))
    result = engine.run(rule_files(), context, None, selection)
    broken = tuple(
        Note(f.path, f"{f.rule}: {f.message}", f.hint)
        for f in result.findings
        if f.severity == "error"
    )
    unknown = tuple(Note(u.path, f"{u.rule}: {u.message}", u.hint) for u in result.unanswered)
    return loaded, broken, unknown


def _text_below(output: Path | None) -> str | None:
    """The base.yaml under the new file."""
    documents = _base_of(output)
    # Its problems are reported when all layers are checked.
    read = documents and not documents[0].problems
    return "\n".join(documents[0].lines) if read else None


def _other_name(file: str, platform: str) -> str:
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{platform}{path.suffix}"))


def _base_of(output: Path | None) -> tuple[Document, ...]:
    """The layers under the new file in its folder."""
    from clusterwright.cluster_spec.document import read_document
    from clusterwright.cluster_spec.layering import BASE_NAME

    base = output.parent / BASE_NAME if output is not None else None
    if base is None or not base.is_file() or output is None or output.name == BASE_NAME:
        return ()
    return (read_document(base),)


def _bill(spec: LoadedSpec, catalog: Catalog) -> Bill:
    import datetime as dt
    import os

    from clusterwright.cost.estimate import estimate
    from clusterwright.pricing.remembered_prices import recall

    return estimate(
        spec.cluster,
        catalog,
        today=dt.datetime.now(dt.UTC).date(),
        live=recall(os.environ, spec.cluster.region),
    )
