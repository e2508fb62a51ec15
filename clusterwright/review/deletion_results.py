"""Result types of a deletion plan."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from clusterwright.review.results import Unknown

Found = Literal["template", "service", "account"]
"""Where an entry comes from: the templates, what a service creates by itself, or the account."""


@dataclass(frozen=True, kw_only=True)
class DeletionStep:
    """One step of the deletion, with the command to run."""

    command: str
    why: str


@dataclass(frozen=True, kw_only=True)
class DeletionBlocker:
    """Why `cdk destroy` of every stack would stop, and the command that removes the cause."""

    where: str
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class LostData:
    """What is deleted and cannot be created again.

    Attributes
    ----------
    where:
        The resource, `stack/logical id`.
    copy:
        Where a copy of it is; None where there is none.
    """

    where: str
    type: str
    what: str
    copy: str | None = None


@dataclass(frozen=True, kw_only=True)
class Remaining:
    """What exists after the deletion of every stack.

    Attributes
    ----------
    kind:
        `retained` (a policy of the template), `snapshot`, `service` (a service creates it by
        itself), `existing` (the spec names it; no stack has it), `shared` (of the account),
        `capacity` (bought, and paid for until it ends).
    name:
        A resource of a stack, a name, or a pattern of names with `*`.
    certain:
        It exists in any case; False where it exists only if it was used.
    blocks:
        The deletion of which stack fails while it exists; None where none does.
    monthly_usd:
        Its cost after the deletion; None where it is unknown.
    delete:
        The command that deletes it; None where nothing can delete it.
    source:
        The documentation, where the entry is not of a template.
    """

    kind: Literal["retained", "snapshot", "service", "existing", "shared", "capacity"]
    what: str
    name: str
    why: str
    id: str | None = None
    """Its id in the account; None where it was not read."""

    certain: bool = True
    blocks: str | None = None
    free: bool = False
    monthly_usd: Decimal | None = None
    delete: str | None = None
    found: Found = "template"
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class DeletionPlan:
    """What the deletion of a cluster does.

    Attributes
    ----------
    stacks:
        Every stack, in the order of deletion.
    read_account:
        Whether the account was read; else the plan is that of the templates alone.
    """

    file: str
    environment: str
    platform: str
    protection: str
    stacks: tuple[str, ...] = ()
    steps: tuple[DeletionStep, ...] = ()
    blockers: tuple[DeletionBlocker, ...] = ()
    lost: tuple[LostData, ...] = ()
    remaining: tuple[Remaining, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    read_account: bool = False

    @property
    def monthly_usd(self) -> Decimal:
        """The known cost of what remains, per month of 730 hours."""
        return sum((r.monthly_usd for r in self.remaining if r.monthly_usd), Decimal(0))

    @property
    def unknown_costs(self) -> int:
        """Number of entries that cost something unknown."""
        return sum(1 for r in self.remaining if not r.free and r.monthly_usd is None)

    @property
    def exit_code(self) -> int:
        """1 where the deletion would stop; else 2 where something is unknown; else 0."""
        return 1 if self.blockers else 2 if self.unknown else 0
