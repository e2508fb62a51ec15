"""Reads the probes of the package, and what every operation that they use leaves behind."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from clusterwright_localaws.probes.model import Operation, Probe, ProbeFile, Source

_NOT_PROBES: Final = frozenset({"sources.yaml", "operations.yaml"})
_READS: Final = re.compile(
    r"(Describe|List|Get|Head|Batch(Get|Describe)|Simulate|Validate|Search|Estimate|Lookup|Decode|Filter)"
)


@functools.cache
def probes() -> tuple[Probe, ...]:
    """Return every probe, by file and in the order of the file."""
    folder = resources.files("clusterwright_localaws") / "probes" / "data"
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".yaml"))
    found: list[Probe] = []
    for name in names:
        if name not in _NOT_PROBES:
            found.extend(ProbeFile.model_validate(_read(name)).probes)
    return tuple(found)


@functools.cache
def sources() -> Mapping[str, Source]:
    """Return the sources of facts and prices, by name."""
    return MappingProxyType(
        {name: Source.model_validate(row) for name, row in _read("sources.yaml").items()}
    )


@functools.cache
def operations() -> Mapping[str, Operation]:
    """Return the operations that change an account, as `service.Operation`."""
    return MappingProxyType(
        {name: Operation.model_validate(row) for name, row in _read("operations.yaml").items()}
    )


def reads_only(operation: str) -> bool:
    """Return whether an operation, by AWS's verbs, changes nothing."""
    return _READS.match(operation) is not None


def creates(probe: Probe) -> bool:
    """Return whether a probe could create or change something, also where AWS should refuse it."""
    return any(not reads_only(step.call.operation) for step in probe.steps)


def price_usd(probe: Probe) -> float | None:
    """Return the most that a probe costs in USD; None if a price is unknown."""
    total = 0.0
    for step in probe.steps:
        # AWS creates nothing, and charges nothing, where it refuses.
        if reads_only(step.call.operation) or step.error is not None:
            continue
        price = operations()[str(step.call)].price_usd
        if price is None:
            return None
        total += price
    return total


def _read(name: str) -> Any:
    import yaml

    # PyYAML's C loader reads these files ten times faster than ruamel.yaml.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    file = resources.files("clusterwright_localaws") / "probes" / "data" / name
    return yaml.load(file.read_text(encoding="utf-8"), loader)  # noqa: S506  a safe loader
