"""Finds and reads the user's price file: `cost` itself does no I/O."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clusterwright.cluster_spec.document import read_document
from clusterwright.cost.user_prices import UserPrices, parse

FILE_NAME: Final = "prices.yaml"


def find(config: Path) -> Path | None:
    """The prices beside a spec, else `configs/prices.yaml` here; None where there are none."""
    for candidate in (config.parent / FILE_NAME, Path("configs") / FILE_NAME):
        if candidate.is_file():
            return candidate
    return None


def read(path: Path) -> UserPrices:
    """Read a file of prices.

    Raises
    ------
    SpecErrors
        It cannot be read, or everything that is wrong with it, with positions.
    """
    return parse(read_document(path))
