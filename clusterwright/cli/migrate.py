"""`clusterwright migrate`: the same cluster on another platform, and what that means."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.cost import read_prices
from clusterwright.cli.errors import UserError
from clusterwright.cli.spec import (
    catalog_of_the_user,
    config_options,
    config_path,
    load_or_exit,
)
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
Exit codes: 0 the other file passes `check --offline`; 1 something is left to decide before it
does; 2 a rule of it could not be judged; 3 the command line or the spec is wrong.
"""


@click.command(epilog=EPILOG)
@config_options
@click.option("--to", "target", metavar="PLATFORM", required=True, help=f"{', '.join(PLATFORMS)}.")
@click.option(
    "--environment", "name", metavar="NAME", help="The other cluster's name; the same without it."
)
@click.option(
    "--write", "output", type=click.Path(path_type=Path), help="Write the other file here."
)
@click.option(
    "--outputs",
    "outputs_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Of `cdk deploy --outputs-file FILE`: what it built is written as existing.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
)
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
    target: str,
    name: str | None,
    output: Path | None,
    outputs_file: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Write the cluster of CONFIG for another platform, and say what is lost, gained and moved.

    Comments of the file are kept. Nothing is deployed, and the file that is read stays as it is.
    Without --write the other file is part of the JSON answer alone.

    With --environment a cluster comes beside the old one, and --outputs lets it take over the
    old one's network and file systems. Without it the other platform comes in the old one's
    place, whose foundation stays: the answer says which stacks go first.
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.migration import OutputsLack, migrate
    from clusterwright.render import migration as render
    from clusterwright.render.style import Style

    platform = next((p for p in PLATFORMS if p == target), None)
    if platform is None:
        raise _no_such_platform(target)
    path = config_path(config, config_option, environment)
    spec = load_or_exit(path, command="migrate", output_format=output_format)
    if spec.cluster.platform == platform:
        raise UserError(f"{path} is for {platform} already", "name another platform with --to")
    _well_named(name)
    own = read_prices(path, None, command="migrate", output_format=output_format)
    if output is not None:
        _writable(output, path, force)
    outputs = None if outputs_file is None else _outputs(outputs_file, spec, name)
    with catalog_of_the_user():
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
        except OutputsLack as lack:
            raise UserError(
                f"{outputs_file}: {lack.message}",
                f"`cdk deploy -c config={path} --all --outputs-file {outputs_file}` writes all of "
                "them",
            ) from None
        after, open_points, unknown = _judge(found, spec, output, catalog)
        costs = render.Costs(
            _bill(spec, catalog), None if after is None else _bill(after, catalog)
        )
    if output is not None:
        _write(output, found.text, force)
    code = 1 if open_points else 2 if unknown else 0
    report = render.Report(
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


def _well_named(name: str | None) -> None:
    import re

    from clusterwright.cluster_spec.models import forms

    if name is not None and (len(name) > 40 or not re.fullmatch(forms.ENVIRONMENT.pattern, name)):
        raise UserError(f"--environment: {name!r} is not {forms.ENVIRONMENT.words}")


def _writable(output: Path, source: Path, force: bool) -> None:
    import os

    if output.is_dir():
        raise UserError(f"{output} is a directory", f"name a file: --write {output}/other.yaml")
    if not output.parent.is_dir():
        raise UserError(f"{output.parent} does not exist", f"mkdir -p {output.parent}")
    if os.path.lexists(output) and output.resolve() == source.resolve():
        raise UserError(
            f"{output} is the file that is read, and is left as it is",
            "name another file: both clusters are wanted until the data has moved",
        )
    if os.path.lexists(output) and not force:
        raise UserError(
            f"{output} exists and is left as it is",
            "name another file, or --force to overwrite it",
        )


def _outputs(file: Path, spec: LoadedSpec, name: str | None) -> dict[str, str]:
    """What the old cluster's stacks say of themselves.

    Raises
    ------
    UserError
        The new cluster has the old one's name, or the file is none of outputs.
    """
    from clusterwright.cli.outputs_file import read_outputs

    if name is None or name == spec.cluster.environment:
        raise UserError(
            "--outputs is for a cluster beside the old one: under the same name the stacks keep "
            "what they have, and nothing is to be taken over",
            "name the other cluster with --environment, or leave --outputs out",
        )
    return read_outputs(file, spec.cluster.environment)


def _judge(
    found: Migration, spec: LoadedSpec, output: Path | None, catalog: Catalog
) -> tuple[LoadedSpec | None, tuple[Note, ...], tuple[Note, ...]]:
    """The other spec if it loads, what stands in its way, and what could not be judged."""
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
    beside = output is None or output.parent.resolve() == home.resolve()
    below = spec.layers.documents[:-1] if beside else _base_of(output)
    try:
        loaded = examine_cluster((*below, parse_document(found.text, file)))
    except SpecErrors as errors:
        notes = tuple(Note(path_text(p.path), p.message, p.hint) for p in errors)
        return None, notes, ()
    context = Context(
        loaded,
        catalog,
        dt.datetime.now(dt.UTC).date(),
        rule_ids=frozenset(one.rule.id for one in rule_files()),
        offline=True,
    )
    result = engine.run(rule_files(), context, None, engine.Selection(offline=True))
    broken = tuple(
        Note(f.path, f"{f.rule}: {f.message}", f.hint)
        for f in result.findings
        if f.severity == "error"
    )
    unknown = tuple(Note(u.path, f"{u.rule}: {u.message}", u.hint) for u in result.unanswered)
    return loaded, broken, unknown


def _text_below(output: Path | None) -> str | None:
    """The base.yaml over which the written file will be read."""
    documents = _base_of(output)
    # What is wrong with it is said when the whole is examined.
    read = documents and not documents[0].problems
    return "\n".join(documents[0].lines) if read else None


def _other_name(file: str, platform: str) -> str:
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{platform}{path.suffix}"))


def _base_of(output: Path | None) -> tuple[Document, ...]:
    """What the other file will be laid over where it is written."""
    from clusterwright.cluster_spec.document import read_document
    from clusterwright.cluster_spec.layering import BASE_NAME

    base = output.parent / BASE_NAME if output is not None else None
    if base is None or not base.is_file() or output is None or output.name == BASE_NAME:
        return ()
    return (read_document(base),)


def _bill(spec: LoadedSpec, catalog: Catalog) -> Bill:
    import datetime as dt

    from clusterwright.cost.estimate import estimate

    return estimate(spec.cluster, catalog, today=dt.datetime.now(dt.UTC).date())


def _write(output: Path, text: str, force: bool) -> None:
    """The file appears whole or not at all, and takes nobody's place without --force."""
    import os
    import tempfile

    handle, draft_name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    draft = Path(draft_name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        if force:
            draft.replace(output)
        else:
            os.link(draft, output)
    except FileExistsError:
        raise UserError(
            f"{output} exists and is left as it is",
            "name another file, or --force to overwrite it",
        ) from None
    finally:
        draft.unlink(missing_ok=True)
