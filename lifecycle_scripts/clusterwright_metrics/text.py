"""Metrics, and their text in the exposition format of Prometheus (version 0.0.4).

Source: Prometheus, "Exposition formats" (text-based format): line feeds, quotes and backslashes
of label values are escaped, the lines of a family are together, HELP and TYPE first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})


@dataclass
class Family:
    """One metric. `kind` is gauge, counter or untyped."""

    name: str
    kind: str
    about: str
    samples: list[tuple[tuple[tuple[str, str], ...], float]] = field(default_factory=list)


class Metrics:
    """The samples of a source."""

    def __init__(self) -> None:
        self.families: dict[str, Family] = {}

    def add(
        self,
        name: str,
        kind: str,
        about: str,
        value: float | None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """Add a sample unless its value is None. Raises ValueError for an invalid name."""
        if value is None:
            return
        if not _NAME.fullmatch(name):
            raise ValueError(f"not the name of a metric: {name!r}")
        family = self.families.setdefault(name, Family(name, kind, about))
        family.samples.append((tuple((labels or {}).items()), float(value)))


def number(text: str | None) -> float | None:
    """The number in a text, else None: for `[N/A]`, an empty file, a number with a unit."""
    try:
        return float((text or "").strip())
    except ValueError:
        return None


def sanitised(name: str) -> str:
    """`name` as a part of a metric's name."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name).strip("_").lower()


def exposition(parts: Iterable[Metrics]) -> str:
    """The text of all samples, merged by family and without duplicates."""
    merged: dict[str, Family] = {}
    for part in parts:
        for family in part.families.values():
            known = merged.setdefault(family.name, Family(family.name, family.kind, family.about))
            known.samples += family.samples
    lines = []
    for name in sorted(merged):
        family = merged[name]
        lines.append(f"# HELP {name} {_help(family.about)}")
        lines.append(f"# TYPE {name} {family.kind}")
        lines += [f"{name}{_labels(labels)} {_value(v)}" for labels, v in _once(family)]
    return "".join(line + "\n" for line in lines)


def _once(family: Family) -> list[tuple[tuple[tuple[str, str], ...], float]]:
    return list(dict(family.samples).items())


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{value.translate(_ESCAPES)}"' for key, value in labels) + "}"


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _value(value: float) -> str:
    if value != value:  # noqa: PLR0124  only NaN is not itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
