"""The list of platforms. One name here and one folder beside it make a platform.

The folder is called as the name, with underscores, and has the modules of `PARTS`:

platform
    `PLATFORM`, a `traits.Platform`: data that imports only `traits` and `capacity_kinds`, so that
    every package may import this module.
capabilities
    `CELLS`, its column of the table of capabilities, `CAPACITY_SOURCE` and `LIMITATIONS`.
validators
    `VALIDATORS`: the checks of a spec that belong to this platform alone.

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

PlatformName = Literal["hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks"]

PLATFORMS: Final[tuple[PlatformName, ...]] = get_args(PlatformName)

PARTS: Final = ("platform", "capabilities", "validators")
"""Modules that each platform's folder has."""

DEFAULT: Final[PlatformName] = PLATFORMS[0]
"""What `init`, `plan` and the demonstration take where no platform is named."""


def folder_of(name: str) -> str:
    """The name of the platform's folders, here and under `stacks/`: `hyperpod_slurm`."""
    return name.replace("-", "_")


@cache
def traits_of(name: str) -> Platform:
    """The traits of one platform.

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
    """`traits_of` for a value that may not be a platform's name."""
    return traits_of(str(name)) if name in PLATFORMS else None


def has_section(name: object, section: str) -> bool:
    """Whether a platform of this name has a section of the spec; False for no platform's name."""
    found = traits_or_none(name)
    return found is not None and section in found.sections


def with_section(section: str) -> tuple[PlatformName, ...]:
    """Platforms that have a section of the spec."""
    return tuple(name for name in PLATFORMS if section in traits_of(name).sections)


def either(names: Iterable[str]) -> str:
    """`hyperpod-eks or eks`, for messages and hints."""
    return " or ".join(names)


SLURM: Final = tuple(name for name in PLATFORMS if traits_of(name).uses_slurm)
KUBERNETES: Final = tuple(name for name in PLATFORMS if traits_of(name).uses_kubernetes)
HYPERPOD: Final = tuple(name for name in PLATFORMS if traits_of(name).on_hyperpod)
ON_EC2: Final = tuple(name for name in PLATFORMS if not traits_of(name).on_hyperpod)
GPU_PARTITIONS: Final = tuple(name for name in PLATFORMS if traits_of(name).gpu_partitions)
SECTIONS: Final = tuple(dict.fromkeys(s for name in PLATFORMS for s in traits_of(name).sections))
"""Every section of the spec that not all platforms have."""
