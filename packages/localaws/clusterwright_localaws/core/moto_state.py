"""moto's state: the backends that keep the resources of a service."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator
from typing import Any


@functools.cache
def backends(service: str) -> Any:
    """Return moto's backends of a service by moto's name of it, by account and region."""
    models = importlib.import_module(f"moto.{service}.models")
    return getattr(models, f"{service.removeprefix('aws')}_backends")


def backend(service: str, account: str, region: str) -> Any:
    """Return moto's backend of a service in an account and region; a new one if it has none.

    Services without regions have a partition in place of the region.
    """
    return backends(service)[account][region]


def existing(service: str, account: str, region: str) -> Any | None:
    """Return moto's backend of a service, or None for an account that moto does not know yet."""
    found = backends(service)
    return found[account][region] if account in found else None


def all_existing(service: str) -> Iterator[Any]:
    """Yield moto's backends of a service in all accounts and regions that it knows."""
    if f"moto.{service}.models" in sys.modules:
        for regions in list(backends(service).values()):
            yield from list(regions.values())
