"""`clusterwright report goodput`: where the time of a training run went."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clusterwright.cli import report_files
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, prices_option, spec_argument
from clusterwright.cli.output_files import write_atomically

COMMAND = "report goodput"

EPILOG = f"""\b
Examples:
  sacct --json --duplicates --starttime 2026-11-01 > jobs.json
  clusterwright report goodput configs/prod.yaml --logs /fsx/logs --sacct jobs.json --run llama3
  clusterwright report goodput --env prod --logs mlperf/ --checkpoints /fsx/checkpoints/llama3

{report_files.EXIT_CODES}"""


@click.command(epilog=EPILOG)
@spec_argument
@report_files.run_options
@click.option(
    "--run",
    metavar="ID",
    help="The run: a job's id or name, or NAME of a comment `run=NAME`. Needed where the files "
    "are of several runs.",
)
@click.option(
    "--checkpoints",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder with the run's checkpoints. Where no log states saves, they are those of the "
    "folder.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write one HTML document with the timeline; an existing file is replaced.",
)
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    logs: Path,
    sacct: Path | None,
    plan_file: Path | None,
    run: str | None,
    checkpoints: Path | None,
    html: Path | None,
    prices: str | None,
    output_format: str,
) -> None:
    """Show where the time of a training run on the cluster of CONFIG went.

    Reads the logs of Megatron-LM, NeMo, torchtitan, the Trainer of transformers and MLPerf, and
    Slurm's accounting, across a chain of requeued jobs. Every moment belongs to one part, so the
    parts add up to the wall time: queue, boot, start, productive and repeated steps, checkpoints,
    stalls, down. No AWS API is called.
    """
    from clusterwright.goodput.report import goodput_report
    from clusterwright.goodput.runs import SeveralRuns, of_run

    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    found = report_files.read_logs(logs)
    records = report_files.read_accounting(sacct)
    try:
        own, jobs = of_run(run, found, records or ())
    except SeveralRuns as several:
        raise UserError(
            f"the files are of several runs: {', '.join(several.names[:10])}",
            f"--run {several.names[0]}",
        ) from None
    report = goodput_report(
        spec.cluster,
        own,
        jobs if records is not None else None,
        file=str(path),
        run=run,
        prices=report_files.prices_of(
            spec, path, prices, command=COMMAND, output_format=output_format
        ),
        plan=report_files.read_plan(path, plan_file),
        checkpoints=report_files.read_checkpoints(checkpoints),
    )
    if html is not None:
        from clusterwright.render.goodput_html import goodput_html

        write_atomically(html, goodput_html(report), force=True)
    if output_format == "json":
        from clusterwright.json_output.goodput import goodput_json

        sys.stdout.write(goodput_json(report))
    else:
        from clusterwright.render.goodput import goodput_text
        from clusterwright.render.style import Style

        sys.stdout.write(goodput_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)
