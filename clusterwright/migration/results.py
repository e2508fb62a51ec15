"""The result of a migration between platforms."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.cost.bill import Bill
from clusterwright.platforms.registry import PlatformName


@dataclass(frozen=True)
class Note:
    """One effect of a migration, and what to do about it.

    Attributes
    ----------
    path:
        The key of the migrated file, such as `compute[2].capacity`; empty for the whole cluster.
    what:
        A sentence.
    do:
        What the user does about it; `None` where nothing is needed.
    """

    path: str
    what: str
    do: str | None = None


@dataclass(frozen=True)
class Migration:
    """The new file, and what changes with it.

    Attributes
    ----------
    text:
        The new file: a layer over the same base.yaml as the old one, or complete without a base.
    lost, gained:
        What the old file has and the new platform lacks; what the new platform adds.
    moves:
        What is transferred or done by hand, and how.
    decisions:
        Choices made for the user, to confirm or change.
    in_place:
        With the same environment name: which stacks stay, which are destroyed first, and what
        prevents it; empty for a new environment.
    """

    source: PlatformName
    target: PlatformName
    text: str
    lost: tuple[Note, ...]
    gained: tuple[Note, ...]
    moves: tuple[Note, ...]
    decisions: tuple[Note, ...]
    in_place: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Costs:
    """Bills of both clusters; `after` is None where the new spec does not load."""

    before: Bill
    after: Bill | None


@dataclass(frozen=True)
class MigrationReport:
    """A migration, what must still be decided, and what it costs.

    Attributes
    ----------
    open_points:
        Errors of `check --offline` of the new spec.
    unknown:
        What that check could not answer.
    written:
        The file that was written.
    """

    migration: Migration
    open_points: tuple[Note, ...]
    unknown: tuple[Note, ...]
    costs: Costs
    file: str
    written: str | None
