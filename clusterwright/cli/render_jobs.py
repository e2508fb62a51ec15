"""`clusterwright render jobs`: job files for the cluster of a spec."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit, read_prices
from clusterwright.cli.options import format_option, prices_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.job_templates.plan import TrainingPlan
    from clusterwright.job_templates.rendering import RenderedJob
    from clusterwright.job_templates.template import JobTemplate, RefusedError

COMMAND = "render jobs"

EPILOG = """
Examples:

\b
  clusterwright render jobs configs/prod.yaml --list
  clusterwright render jobs configs/prod.yaml --list --job nccl-tests
  clusterwright render jobs configs/prod.yaml --job nccl-tests --set nodes=4
  clusterwright render jobs configs/prod.yaml --output jobs

\b
Exit codes: 3 the command line, the spec, the plan or a setting is wrong, or a job that is named
cannot be rendered; else 0.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--job",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this job. May be repeated.  [default: all that the cluster can run]",
)
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The plan of the run, for the sizes of training jobs.  "
    "[default: NAME.plan.json beside the spec]",
)
@click.option(
    "--set",
    "texts",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the jobs, as --list --job NAME shows them. May be repeated.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a file per job to DIR, and replace files of the same names.  [default: stdout]",
)
@prices_option("Your own rates, for MLPerf's forecast.  [default: prices.yaml beside the spec]")
@click.option("--list", "list_only", is_flag=True, help="List the jobs, and render none.")
@format_option("text", "json")
def command(
    path: Path,
    names: tuple[str, ...],
    plan_file: Path | None,
    texts: tuple[str, ...],
    output: Path | None,
    prices: str | None,
    list_only: bool,
    output_format: str,
) -> None:
    """Print job files for the cluster: batch scripts for Slurm, manifests for Kubernetes.

    Nodes, accelerators, EFA settings, queues, file systems and limits are those of the spec;
    the sizes of training jobs are those of the plan. Jobs that the cluster cannot run are refused
    with the reason. docs/reference/jobs.md lists the jobs and their settings.
    """
    from clusterwright.catalog import load_catalog

    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    with catalog_errors():
        templates = _templates(names)
        if list_only:
            _show_list(spec, path, templates, bool(names), output_format)
            return
        own = read_prices(path, prices, command=COMMAND, output_format=output_format)
        catalog = load_catalog(prices_override=own.rates)
        asked = (templates, bool(names), plan_file, texts, output, output_format)
        _render(spec, path, catalog, *asked)


def _templates(names: tuple[str, ...]) -> tuple[JobTemplate, ...]:
    from clusterwright.job_templates.registry import (
        UnknownJobError,
        all_templates,
        template_named,
    )

    if not names:
        return all_templates()
    try:
        return tuple(dict.fromkeys(template_named(name) for name in names))
    except UnknownJobError as error:
        raise UserError(
            f"--job: there is no job {error.name[:80]!r}",
            f"did you mean {' or '.join(f'`{name}`' for name in error.near)}?"
            if error.near
            else "`clusterwright render jobs FILE --list` lists them",
        ) from None


def _show_list(
    spec: LoadedSpec,
    path: Path,
    templates: tuple[JobTemplate, ...],
    with_settings: bool,
    output_format: str,
) -> None:
    from clusterwright.catalog import load_catalog
    from clusterwright.job_templates.rendering import listed

    catalog = load_catalog()
    found = [listed(spec.cluster, catalog, template) for template in templates]
    if output_format == "json":
        from clusterwright.json_output.render_jobs import jobs_json

        sys.stdout.write(jobs_json(spec.cluster.environment, str(path), jobs=found))
        return
    from clusterwright.render.jobs import list_text, settings_text

    sys.stdout.write(settings_text(found) if with_settings else list_text(found))


def _render(
    spec: LoadedSpec,
    path: Path,
    catalog: Catalog,
    templates: tuple[JobTemplate, ...],
    named: bool,
    plan_file: Path | None,
    texts: tuple[str, ...],
    output: Path | None,
    output_format: str,
) -> None:
    from clusterwright.job_templates.settings import SettingError, pairs, refuse_unknown
    from clusterwright.job_templates.template import RefusedError

    plan = _plan(path, plan_file)
    rendered: list[RenderedJob] = []
    refused: list[tuple[str, RefusedError]] = []
    try:
        given = pairs(texts)
        jobs = ", ".join(t.name for t in templates) if named else "the jobs"
        refuse_unknown(given, (s.name for t in templates for s in t.all_settings), jobs)
        for template in templates:
            try:
                rendered.append(_rendered(spec, catalog, template, given, plan))
            except RefusedError as error:
                if named:
                    raise UserError(error.reason, error.hint) from None
                refused.append((template.name, error))
    except SettingError as error:
        raise UserError(str(error), error.hint) from None
    if not rendered:
        first = refused[0][1]
        raise UserError(f"no job can be rendered: {first.reason}", first.hint)
    written = _write(rendered, output) if output is not None else []
    _show(spec, path, rendered, refused, written, output_format)


def _rendered(
    spec: LoadedSpec,
    catalog: Catalog,
    template: JobTemplate,
    given: dict[str, str],
    plan: TrainingPlan | None,
) -> RenderedJob:
    from clusterwright.job_templates.rendering import render

    known = {setting.name for setting in template.all_settings}
    own = {key: value for key, value in given.items() if key in known}
    return render(spec.cluster, catalog, template, own, plan, dt.datetime.now(dt.UTC))


def _plan(path: Path, plan_file: Path | None) -> TrainingPlan | None:
    from clusterwright.cli.report_files import read_plan
    from clusterwright.job_templates.plan import PlanError, training_plan

    recorded = read_plan(path, plan_file)
    if recorded is None:
        return None
    try:
        return training_plan(Path(recorded.file).name, recorded.document)
    except PlanError as error:
        raise UserError(
            f"--plan: {recorded.file}: {error}",
            "write it with `clusterwright plan ... --format json`",
        ) from None


def _write(rendered: list[RenderedJob], folder: Path) -> list[Path]:
    from clusterwright.cli.output_files import make_folder, write_atomically

    make_folder(folder)
    for job in rendered:
        write_atomically(folder / job.name, job.text, force=True)
    return [folder / job.name for job in rendered]


def _show(
    spec: LoadedSpec,
    path: Path,
    rendered: list[RenderedJob],
    refused: list[tuple[str, RefusedError]],
    written: list[Path],
    output_format: str,
) -> None:
    if output_format == "json":
        from clusterwright.json_output.render_jobs import jobs_json

        paths: list[Path | None] = [*written] if written else [None] * len(rendered)
        sys.stdout.write(
            jobs_json(
                spec.cluster.environment,
                str(path),
                files=list(zip(rendered, paths, strict=True)),
                refused=refused,
            )
        )
        return
    for name, error in refused:
        click.echo(f"left out: {name}: {error.reason}", err=True)
    for job in rendered:
        for note in job.notes:
            click.echo(f"note: {job.job}: {note}", err=True)
    if written:
        click.echo("".join(f"wrote {file}\n" for file in written), nl=False)
    elif len(rendered) == 1:
        click.echo(rendered[0].text, nl=False)
    else:
        for job in rendered:
            click.echo(f"# ---- {job.name}\n{job.text}")
