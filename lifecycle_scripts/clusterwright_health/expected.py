"""The expected hardware of a healthy node, from the node program."""

from __future__ import annotations

import json
from dataclasses import dataclass

from clusterwright_common.probe import Probe

FILE = "/etc/clusterwright/health.json"


class NoExpectation(Exception):
    """The file is missing or invalid; without it checks would always pass."""


@dataclass(frozen=True)
class Expected:
    """`accelerator` is nvidia, neuron or none; the counts are devices of this node."""

    slurm_name: str
    accelerator: str
    accelerator_count: int
    efa_count: int
    shared_paths: tuple[str, ...]
    scratch_path: str | None


def read_expected(probe: Probe) -> Expected:
    """Read the file. Raises NoExpectation with the reason if it is missing or invalid."""
    text = probe.read(FILE)
    if text is None:
        raise NoExpectation(f"{FILE} cannot be read")
    try:
        found = json.loads(text)
        return Expected(
            str(found["slurm_name"]),
            str(found["accelerator"]),
            int(found["accelerator_count"]),
            int(found["efa_count"]),
            tuple(str(path) for path in found["shared_paths"]),
            None if found["scratch_path"] is None else str(found["scratch_path"]),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise NoExpectation(
            f"{FILE} is not a valid file of the node program: {error!r}"
        ) from error


def written(expected: Expected) -> str:
    """The text of the file."""
    return (
        json.dumps(
            {
                "slurm_name": expected.slurm_name,
                "accelerator": expected.accelerator,
                "accelerator_count": expected.accelerator_count,
                "efa_count": expected.efa_count,
                "shared_paths": list(expected.shared_paths),
                "scratch_path": expected.scratch_path,
            },
            indent=2,
            sort_keys=True,
        )
        + "\n"
    )
