"""The list of platforms: each has a name here and a folder beside this module.

The folder has the name with underscores, and contains the modules of `PARTS`:

platform
    `PLATFORM`, a `traits.Platform`: data that imports only `traits` and `capacity_kinds`, so that
    every package may import this module.
capabilities
    `CELLS` (its column of the table of capabilities), `CAPACITY_SOURCE` and `LIMITATIONS`.
validators
    `VALIDATORS`: the validators of this platform.

Its stacks are in `stacks/<folder>/composition.py`, the file that `init` writes in
`clusterwright/cluster_spec/init_templates/<name>.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final, Literal, get_args

from clusterwright.platforms.traits import Platform

PlatformName = Literal["hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks", "pcs"]

PLATFORMS: Final[tuple[PlatformName, ...]] = get_args(PlatformName)

PARTS: Final = ("platform", "capabilities", "validators")
"""Modules that each platform's folder has."""

DEFAULT: Final[PlatformName] = PLATFORMS[0]
"""Default platform of `init`, `plan` and the demonstration."""


def folder_of(name: str) -> str:
    """Return the name of the platform's folders, here and under `stacks/`: `hyperpod_slurm`."""
    return name.replace("-", "_")


@cache
def traits_of(name: str) -> Platform:
    """Return the traits of a platform.

    Raises
    ------
    KeyError
        `PLATFORMS` has no such name.
    """
    if name not in PLATFORMS:
        raise KeyError(name)
    found: Platform = part_of(name, "platform").PLATFORM
    return found


def part_of(name: str, part: str) -> ModuleType:
    """Return a module of the platform's folder, such as `validators`, imported on demand.

    Raises
    ------
    ModuleNotFoundError
        The folder has no such module.
    """
    return import_module(f"{__package__}.{folder_of(name)}.{part}")


def traits_or_none(name: object) -> Platform | None:
    """Return `traits_of` for a value that may not be the name of a platform, else None."""
    return traits_of(str(name)) if name in PLATFORMS else None


def has_section(name: object, section: str) -> bool:
    """Return whether a platform has a section of the spec; False for an unknown name."""
    found = traits_or_none(name)
    return found is not None and section in found.sections


def with_section(section: str) -> tuple[PlatformName, ...]:
    """Return the platforms that have a section of the spec."""
    return tuple(name for name in PLATFORMS if section in traits_of(name).sections)


def either(names: Iterable[str]) -> str:
    """Return `hyperpod-eks or eks`, for messages and hints."""
    return " or ".join(names)


SLURM: Final = tuple(name for name in PLATFORMS if traits_of(name).uses_slurm)
KUBERNETES: Final = tuple(name for name in PLATFORMS if traits_of(name).uses_kubernetes)
HYPERPOD: Final = tuple(name for name in PLATFORMS if traits_of(name).on_hyperpod)
ON_EC2: Final = tuple(name for name in PLATFORMS if not traits_of(name).on_hyperpod)
GPU_PARTITIONS: Final = tuple(name for name in PLATFORMS if traits_of(name).gpu_partitions)
SECTIONS: Final = tuple(dict.fromkeys(s for name in PLATFORMS for s in traits_of(name).sections))
"""Return every section of the spec that not all platforms have."""
