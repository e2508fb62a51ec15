"""What a move between platforms comes to."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.cost.bill import Bill
from clusterwright.platforms.registry import PlatformName


@dataclass(frozen=True)
class Note:
    """One thing that a move does, and what to do about it.

    Attributes
    ----------
    path:
        The key of the file that was moved, such as `compute[2].capacity`; empty where the whole
        cluster is meant.
    what:
        A sentence.
    do:
        What a person does about it; `None` where nothing is to be done.
    """

    path: str
    what: str
    do: str | None = None


@dataclass(frozen=True)
class Migration:
    """The other file, and what changes with it.

    Attributes
    ----------
    text:
        The other file, to be laid over the same base.yaml as the one that was moved, or whole
        where none was given.
    lost, gained:
        What the file said and the platform cannot do; what the platform does besides.
    moves:
        What has to be carried over, and how.
    decisions:
        What stands in the way of the other file until somebody decides.
    in_place:
        Under the same name: which stacks stay, which go first, and what is in the way; empty for
        a cluster beside the old one.
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
