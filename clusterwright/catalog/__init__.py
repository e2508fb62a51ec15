"""Dated facts: instances, where they are offered, prices, quotas, limits, network layouts.

Every value has a source and a date, or is unknown with a reason. `load_catalog()` reads the files
of the package, or those of the directory that `CLUSTERWRIGHT_CATALOG` names (written by
`clusterwright catalog refresh --output DIR`).
"""

from __future__ import annotations

import os
from pathlib import Path

from clusterwright.catalog.catalog import Catalog
from clusterwright.catalog.errors import CatalogError, PriceOverrideError, PriceProblem
from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.lustre import LustreFacts, LustreTier
from clusterwright.catalog.model import (
    Accelerator,
    InstanceType,
    Interface,
    LocalNvme,
    Price,
    PriceKind,
    Quota,
    QuotaUse,
    UltraServer,
)
from clusterwright.catalog.overrides import PriceOverrides, read_overrides
from clusterwright.catalog.store import Store

DIRECTORY_VARIABLE = "CLUSTERWRIGHT_CATALOG"

__all__ = [
    "DIRECTORY_VARIABLE",
    "Accelerator",
    "Catalog",
    "CatalogError",
    "Fact",
    "InstanceType",
    "Interface",
    "Known",
    "LocalNvme",
    "LustreFacts",
    "LustreTier",
    "Price",
    "PriceKind",
    "PriceOverrideError",
    "PriceOverrides",
    "PriceProblem",
    "Quota",
    "QuotaUse",
    "UltraServer",
    "Unknown",
    "load_catalog",
    "read_overrides",
]

_stores: dict[Path | None, Store] = {}


def load_catalog(
    *, prices_override: object = None, directory: str | os.PathLike[str] | None = None
) -> Catalog:
    """The catalogue; files are read on demand, once per process.

    Parameters
    ----------
    prices_override:
        The parsed content of `configs/prices.yaml` (see `overrides.read_overrides`), or `None`.
    directory:
        Directory of the data files; by default `CLUSTERWRIGHT_CATALOG`, or else the package's
        data.

    Raises
    ------
    PriceOverrideError
        The user's prices are invalid.
    CatalogError
        On first use of a file that is missing or damaged.
    """
    named = directory or os.environ.get(DIRECTORY_VARIABLE) or None
    key = Path(named) if named is not None else None
    overrides = read_overrides(prices_override)
    store = _stores.setdefault(key, Store(key))
    return Catalog(store, overrides)
