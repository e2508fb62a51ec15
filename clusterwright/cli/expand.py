"""`clusterwright expand`: the resolved spec with defaults and the origin of each value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.cluster_spec import LoadedSpec

EPILOG = """
Examples:

\b
  clusterwright expand configs/prod.yaml
  clusterwright expand --env prod --origins
  clusterwright expand configs/prod.yaml --format json | jq .network
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--origins", is_flag=True, help="Print file and line of each value, or `default` or `derived`."
)
@format_option("yaml", "json")
def command(
    path: Path,
    origins: bool,
    output_format: str,
) -> None:
    """Print the resolved spec: merged layers, defaults and derived values, with sorted keys.

    The output is a valid spec, and expands to itself.
    """
    from clusterwright.render.spec import spec_yaml, whole

    spec = load_or_exit(
        path,
        command="expand",
        output_format=output_format,
    )
    data = whole(_without_nulls(spec.resolved()))
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        fields = {key: data[key] for key in sorted(data)}
        if origins:
            fields["origins"] = _origin_data(spec, data)
        click.echo(json_answer("expand", 0, fields), nl=False)
        return
    click.echo(spec_yaml(data, _origin_texts(spec, data) if origins else None), nl=False)


def _without_nulls(data: dict[str, Any]) -> dict[str, Any]:
    from clusterwright.cluster_spec.layering import without_nulls

    result: dict[str, Any] = without_nulls(data)
    return result


def _origin_texts(spec: LoadedSpec, data: dict[str, Any]) -> dict[tuple[str | int, ...], str]:
    from clusterwright.render.spec import leaves

    texts = {}
    for path, _ in leaves(data):
        origin = spec.origin(path)
        texts[path] = origin if isinstance(origin, str) else f"{origin.file}:{origin.line}"
    return texts


def _origin_data(spec: LoadedSpec, data: dict[str, Any]) -> dict[str, Any]:
    from clusterwright.cluster_spec import path_text
    from clusterwright.render.spec import leaves

    result: dict[str, Any] = {}
    for path, _ in leaves(data):
        origin = spec.origin(path)
        result[path_text(path)] = (
            origin if isinstance(origin, str) else {"file": origin.file, "line": origin.line}
        )
    return result
