"""The options of `clusterwright plan` beside the goal, read from flags and files."""

from __future__ import annotations

import datetime as dt
import json
import math
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from clusterwright import files
from clusterwright.cli.errors import UserError
from clusterwright.cli.yaml_files import read_mapping

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.sizing.goal import ClusterGoal
    from clusterwright.sizing.measurement import Measurement
    from clusterwright.sizing.ownership import Owned
    from clusterwright.sizing.report import Questions

LARGEST_FIGURE: Final = 10**13
"""Upper limit of the figures of owned hardware: a larger one is a typing error."""


def questions(
    phases: str | None,
    starts: str | None,
    inference_tokens: str | None,
    owned: str | None,
    measured: Sequence[str] = (),
    *,
    charts: bool,
) -> Questions:
    """The questions that the flags ask.

    Raises
    ------
    GoalError, UserError
        A number, a date or a file is invalid.
    """
    from clusterwright.sizing.quantities import TOKENS, parse_count
    from clusterwright.sizing.report import Questions

    hardware = _owned(owned) if owned is not None else (None, None)
    return Questions(
        ramp_steps=_steps(phases) if phases is not None else None,
        starts=_day(starts) if starts is not None else None,
        inference_tokens=parse_count(inference_tokens, TOKENS, field="inference_tokens")
        if inference_tokens is not None
        else None,
        owned=hardware[0],
        owned_cluster=hardware[1],
        charts=charts,
        measured=tuple(_measured(path) for path in measured),
    )


def catalog_with(prices: str | None) -> Catalog:
    """The catalogue, with the user's rates where a file is named.

    Raises
    ------
    UserError
        The file is not a prices.yaml.
    """
    from clusterwright.catalog import PriceOverrideError, load_catalog

    if prices is None:
        return load_catalog()
    data = read_mapping(prices)
    if data.get("rates") is None:
        raise UserError(f"{prices} states no rates", "see docs/how-to/state-prices.md")
    try:
        return load_catalog(prices_override=data.get("rates", []))
    except PriceOverrideError as error:
        raise UserError(f"{prices}: {error}", "see docs/how-to/state-prices.md") from None


def command_line() -> str:
    """The command line as it was typed, without --force."""
    words = [word for word in sys.argv[1:] if word not in {"--force"}]
    if not words or words[0] != "plan":
        words = ["plan"]
    return shlex.join(["clusterwright", *words])


def _measured(path: str) -> Measurement:
    """The measurement of a file.

    Raises
    ------
    GoalError, UserError
        It cannot be read, or is not the output of a command that `--measured` takes.
    """
    from clusterwright.sizing.measurement import read_measurement

    hint = "the JSON of `clusterwright report goodput CONFIG --logs DIR --format json`"
    try:
        document = json.loads(files.read_text(path))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"--measured: {path} cannot be read: {reason}", hint) from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"--measured: {path} is not JSON: {error}", hint) from None
    return read_measurement(document, path)


def _steps(text: str) -> tuple[int, ...]:
    try:
        steps = tuple(int(word) for word in text.split(",") if word.strip())
    except ValueError:
        steps = ()
    if not steps:
        raise UserError(f"--phases {text!r}: expected numbers of nodes", "--phases 8,64")
    return steps


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UserError(f"--starts {text!r}: expected a date", "--starts 2027-01-31") from None


def _owned(path: str) -> tuple[Owned, ClusterGoal | None]:
    """The figures of the file, and the accelerators that it names."""
    from dataclasses import MISSING, fields

    from clusterwright.sizing.goal import ClusterGoal, parse
    from clusterwright.sizing.ownership import Owned

    data = read_mapping(path)
    known = {field.name: field for field in fields(Owned)}
    named = [name for name in ClusterGoal.model_fields if name != "instance_type"]
    wrong = sorted(str(key) for key in data if key not in known and key not in named)
    if wrong:
        raise UserError(
            f"{path}: unknown key {wrong[0]!r}", f"known: {', '.join([*known, *named])}"
        )
    missing = [
        name for name, field in known.items() if field.default is MISSING and name not in data
    ]
    if missing:
        raise UserError(f"{path}: {missing[0]} is missing", "purchase, watts and tariff_per_kwh")
    cluster = {key: data.pop(key) for key in named if key in data}
    if cluster and "accelerator" not in cluster:
        raise UserError(
            f"{path}: {next(iter(cluster))} requires accelerator", "accelerator: RTX-A6000"
        )
    if cluster and "accelerators" not in cluster and "nodes" not in cluster:
        raise UserError(
            f"{path}: the number of {cluster['accelerator']} is missing", "accelerators: 64"
        )
    for key, value in data.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise UserError(f"{path}: {key} is {value!r}", "expected a number")
        if abs(value) > LARGEST_FIGURE and value not in (math.inf, -math.inf):
            raise UserError(
                f"{path}: {key} is larger than {LARGEST_FIGURE:g}", "dollars, watts or years"
            )
    figures = Owned(**{key: float(value) for key, value in data.items()})
    return figures, parse({"cluster": cluster}).cluster if cluster else None
