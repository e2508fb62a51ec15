"""`clusterwright catalog`: show facts and their age, and refresh them."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors
from clusterwright.cli.options import format_option

if TYPE_CHECKING:
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.catalog import Catalog, Fact
    from clusterwright.catalog.changes import Changes
    from clusterwright.catalog.report import Age, Subject
    from clusterwright.catalog.snapshot import Snapshot
    from clusterwright.render.catalog import FactRow

_FORMAT = format_option("text", "json")


def today() -> dt.date:
    """The current day, from which ages are counted; tests replace it."""
    return dt.datetime.now(dt.UTC).date()


@click.group()
def command() -> None:
    """Show the built-in facts and their age, and refresh them.

    Every fact has a source and a date, or is unknown with the reason. With
    CLUSTERWRIGHT_CATALOG set, the facts of that directory are used instead of the built-in ones.
    """


@command.command()
@click.argument("name")
@click.option("--region", help="Show zones and prices of this region only, unknown ones included.")
@_FORMAT
@click.pass_context
def show(ctx: click.Context, name: str, region: str | None, output_format: str) -> None:
    """Show every fact about NAME: p5.48xlarge, an accelerator (H100), an UltraServer."""
    from clusterwright.catalog.report import subject

    catalog = _catalog()
    with catalog_errors():
        _check_region(catalog, region)
        found = subject(catalog, name, region)
        if found is None:
            raise _no_such(catalog, name)
    if output_format == "json":
        click.echo(_show_json(found, region), nl=False)
    else:
        click.echo(_show_text(found), nl=False)
    ctx.exit(0)


@command.command()
@_FORMAT
@click.pass_context
def age(ctx: click.Context, output_format: str) -> None:
    """Show the age of each data set, and how much of it is unknown or stale."""
    from clusterwright.catalog.report import ages

    with catalog_errors():
        found = ages(_catalog(), today())
    if output_format == "json":
        click.echo(_age_json(found), nl=False)
    else:
        click.echo(_age_text(found), nl=False)
    ctx.exit(0)


@command.command()
@click.option(
    "--region",
    "regions",
    multiple=True,
    help="A region. May be repeated.  [default: the configured one]",
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(["instances", "prices", "quotas"]),
    help="Refresh only this part. May be repeated.  [default: all]",
)
@click.option("--write", "write", is_flag=True, help="Write the facts to the directory in use.")
@click.option("--check", "check", is_flag=True, help="Write nothing; exit 1 if a fact changed.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a complete catalogue to this directory, for CLUSTERWRIGHT_CATALOG.",
)
@_FORMAT
@click.pass_context
def refresh(
    ctx: click.Context,
    regions: tuple[str, ...],
    parts: tuple[str, ...],
    write: bool,
    check: bool,
    output: Path | None,
    output_format: str,
) -> None:
    """Read the AWS APIs and print what differs from the facts on file.

    Reads EC2 (types, offerings, zones), the Price List and Service Quotas with the standard AWS
    configuration, AWS_ENDPOINT_URL included. Nothing is written without --write or --output, or if
    an API call fails (exit 2).
    """
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.catalog import changes, directory, snapshot
    from clusterwright.cli.catalog_live import read_region

    if sum((write, check, output is not None)) > 1:
        raise UserError("--write, --check and --output exclude each other")
    catalog = _catalog()
    target = _write_target(catalog) if write else output
    with catalog_errors():
        before = directory.read(catalog.store)
        after, taken = before, []
        try:
            for region in regions or (_default_region(AwsSession()),):
                _say_reading(region)
                live = read_region(
                    AwsSession(region),
                    region,
                    catalog,
                    date=today().isoformat(),
                    parts=parts or snapshot.PARTS,
                )
                taken.append(live)
                after = snapshot.apply(after, live)
        except AwsUnavailable as error:
            ctx.exit(_say_unavailable(error, output_format))
    found = changes.compare(before, after)
    if write and target is None:
        _write_into_checkout(taken)
    elif target is not None:
        _write_directory(after, target)
    exit_code = 1 if check and found.changes else 0
    _print_changes(found, output_format, exit_code, target)
    ctx.exit(exit_code)


def _catalog() -> Catalog:
    from clusterwright.catalog import load_catalog

    return load_catalog()


def _no_such(catalog: Catalog, name: str) -> UserError:
    bare = name.removeprefix("ml.")
    if bare in catalog.instance_names:
        return UserError(
            f"{bare} is an EC2 instance type that the catalogue does not describe",
            "it describes every HyperPod type and the accelerated types",
            exit_code=2,
        )
    near = catalog.suggest_instance(name)
    near = near or [n for n in catalog.accelerator_names if n.lower() == name.lower()]
    return UserError(
        f"there is no instance type, accelerator or UltraServer {name}",
        f"did you mean {near[0]}?" if near else "see `clusterwright catalog show p5.48xlarge`",
    )


def _check_region(catalog: Catalog, region: str | None) -> None:
    if region is None or region in catalog.regions or catalog.local_zone(region):
        return
    import difflib

    near = difflib.get_close_matches(region, sorted(catalog.regions), n=1)
    raise UserError(
        f"the catalogue has no region {region}",
        f"did you mean {near[0]}?" if near else None,
    )


def _rows(found: Subject) -> list[tuple[str, list[FactRow]]]:
    day = today()
    return [
        (section.title, [_row(line.name, line.words, line.fact, day) for line in section.lines])
        for section in found.sections
    ]


def _row(name: str, words: str, fact: Fact[Any], day: dt.date) -> FactRow:
    from clusterwright.catalog import Unknown
    from clusterwright.catalog.dates import is_stale
    from clusterwright.render.catalog import FactRow

    if isinstance(fact, Unknown):
        return FactRow(name, "unknown", "", "", fact.reason, False, False, False)
    stale = is_stale(fact.date, day)
    return FactRow(name, words, fact.source, fact.date, fact.note, True, fact.derived, stale)


def _show_text(found: Subject) -> str:
    from clusterwright.render.catalog import FactSection, facts_text
    from clusterwright.render.style import Style

    sections = [FactSection(title, tuple(rows)) for title, rows in _rows(found)]
    return facts_text(found.name, sections, Style.of(sys.stdout))


def _show_json(found: Subject, region: str | None) -> str:
    from clusterwright.json_output.envelope import json_answer

    values = {
        (section.title, line.name): line.fact
        for section in found.sections
        for line in section.lines
    }
    sections = [
        {
            "title": title,
            "facts": [
                {
                    "name": row.name,
                    "value": _plain(values[title, row.name]),
                    "text": row.value,
                    "source": row.source or None,
                    "date": row.date or None,
                    "note": row.note or None,
                    "known": row.known,
                    "derived": row.derived,
                    "stale": row.stale,
                }
                for row in rows
            ],
        }
        for title, rows in _rows(found)
    ]
    return json_answer(
        "catalog show",
        0,
        {"name": found.name, "kind": found.kind, "region": region, "sections": sections},
    )


def _plain(fact: Fact[Any]) -> Any:
    """The value of a fact as JSON data; None where it is unknown."""
    from clusterwright.catalog import Unknown

    if isinstance(fact, Unknown):
        return None
    value = fact.value
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    if isinstance(value, tuple):
        return [_as_mapping(item) for item in value]
    return _as_mapping(value)


def _as_mapping(value: Any) -> Any:
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


def _age_text(found: tuple[Age, ...]) -> str:
    from clusterwright.catalog.dates import STALE_AFTER_DAYS
    from clusterwright.render.catalog import AgeRow, ages_text

    rows = [
        AgeRow(
            a.data_set,
            a.values,
            a.unknown,
            a.derived,
            a.undated,
            a.stale,
            a.oldest or "-",
            a.newest or "-",
        )
        for a in found
    ]
    return ages_text(rows, STALE_AFTER_DAYS, today().isoformat())


def _age_json(found: tuple[Age, ...]) -> str:
    from clusterwright.catalog.dates import STALE_AFTER_DAYS
    from clusterwright.json_output.envelope import json_answer

    fields = ("data_set", "values", "unknown", "derived", "undated", "stale", "oldest", "newest")
    return json_answer(
        "catalog age",
        0,
        {
            "today": today(),
            "stale_after_days": STALE_AFTER_DAYS,
            "data_sets": [{key: getattr(a, key) for key in fields} for a in found],
        },
    )


def _default_region(session: Any) -> str:
    region = session.region
    if region is None:
        raise UserError("no region is set", "give --region or set AWS_DEFAULT_REGION")
    return str(region)


def _say_reading(region: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"reading {region} ...", err=True)


def _say_unavailable(error: AwsUnavailable, output_format: str) -> int:
    needs = "" if error.reason == "denied" else f"; the call needs {error.iam_action}"
    click.echo(
        f"error: {error.message}; nothing was written\n\nhint: {error.hint}{needs}", err=True
    )
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        unavailable = {
            "service": error.service,
            "operation": error.operation,
            "region": error.region,
            "reason": error.reason,
            "iam_action": error.iam_action,
            "detail": error.detail,
        }
        click.echo(json_answer("catalog refresh", 2, {"unavailable": unavailable}), nl=False)
    return 2


def _write_target(catalog: Catalog) -> Path | None:
    """The directory that `--write` writes; None for the sources of a checkout."""
    from clusterwright.catalog.store import PACKAGE_DATA

    if catalog.store.directory != PACKAGE_DATA:
        return catalog.store.directory
    hint = "use --output DIR, then set CLUSTERWRIGHT_CATALOG=DIR"
    if not (PACKAGE_DATA.parents[2] / "pyproject.toml").exists():
        raise UserError("the built-in facts of an installed package cannot be written", hint)
    import os

    if os.environ.get("AWS_ENDPOINT_URL"):
        raise UserError(
            "responses of AWS_ENDPOINT_URL must not be written to the built-in facts", hint
        )
    return None


def _write_into_checkout(taken: list[Snapshot]) -> None:
    """Save the snapshots with the other sources and regenerate the data files."""
    from clusterwright import files
    from clusterwright.catalog import generate
    from clusterwright.catalog.building import inputs

    inputs.LIVE.mkdir(exist_ok=True)
    for live in taken:
        text = json.dumps(live.to_json(), indent=1, ensure_ascii=False) + "\n"
        files.write_over(inputs.LIVE / f"{live.region}.json", text)
    generate.main([])


def _write_directory(documents: dict[str, dict[str, Any]], target: Path) -> None:
    from clusterwright.catalog import directory

    try:
        directory.write(documents, target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}") from error


def _print_changes(
    found: Changes, output_format: str, exit_code: int, target: Path | None
) -> None:
    if output_format == "json":
        import dataclasses

        from clusterwright.json_output.envelope import json_answer

        fields = {
            "changes": [dataclasses.asdict(change) for change in found.changes],
            "confirmed": found.confirmed,
            "written_to": None if target is None else str(target),
        }
        click.echo(json_answer("catalog refresh", exit_code, fields), nl=False)
        return
    from clusterwright.render.catalog import ChangeRow, changes_text
    from clusterwright.render.style import Style

    rows = [ChangeRow(c.data_set, c.fact, c.before, c.after) for c in found.changes]
    click.echo(changes_text(rows, found.confirmed, Style.of(sys.stdout)), nl=False)
