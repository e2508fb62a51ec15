"""The base class of rules, and what a rule returns.

Re-exports `Context`, `FactValues` and `Severity`, so that a rule imports everything from here.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.results import Amount, QuotaNeed, Severity

__all__ = [
    "Context",
    "FactValues",
    "Facts",
    "Fail",
    "Path",
    "Results",
    "Rule",
    "Severity",
    "Subject",
    "Subjects",
    "Unknown",
]

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Fail:
    """A subject violates the rule; the engine creates a `Finding` from it.

    `path` is set if the violation is not at the subject's path, `severity` if it is lower than
    that of the rule. The other fields are those of `Finding`.
    """

    message: str
    path: Path | None = None
    requested: Amount = None
    used: Amount = None
    limit: Amount = None
    where: str | None = None
    quota_code: str | None = None
    hint: str | None = None
    severity: Severity | None = None
    quota: QuotaNeed | None = None


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A subject cannot be checked: the catalogue or AWS's answer lacks a value."""

    message: str
    path: Path | None = None
    hint: str | None = None
    quota: QuotaNeed | None = None


Results = Iterator[Fail | Unknown]
"""Results of `check`: nothing if the subject complies with the rule."""
Subject = tuple[Path, Value]
"""A subject of a rule, after its path in the spec."""
Subjects = Iterable[Subject[Value]]
Facts = Iterable[Fact[Any]]


class Rule(ABC, Generic[Value]):
    """A rule: an id, a row of the reference, a failing and a passing test.

    `needs` and `check` name the parameters that they use, in any order: `path` (that
    of the subject), `context`, `facts`. A parameter of any other name is the subject's value. For
    example::

        def check(self, plan: PlanUse, facts: FactValues) -> Results: ...

    A rule without subjects passes. An account rule declares the facts that each subject needs; if
    one could not be read, that subject is unknown, and `check` is not called.
    """

    id: str
    title: str
    """What the rule requires: the first line of the docstring of the rule's module."""
    severity: Severity = "error"
    prevents: str
    """What AWS returns, or what happens, without the rule."""
    source: str
    """Source of the limit or the failure."""
    after: bool = False
    """Whether the rule runs after all others and reads their findings."""

    needs: ClassVar[Facts | Callable[..., Facts]] = ()
    """The account facts that are needed to check a subject, or a method that returns them. The
    registry reads `needs` from the text of the rule's own class: an account rule that inherits it
    states it again.
    """
    check: ClassVar[Callable[..., Results]]
    """Method that yields the violations of a subject."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "id" in vars(cls) and "title" not in vars(cls):
            lines = (sys.modules[cls.__module__].__doc__ or "").splitlines()
            cls.title = lines[0].rstrip(".") if lines else cls.id

    @abstractmethod
    def subjects(self, context: Context) -> Subjects[Value]:
        """Return the subjects of the rule in this spec."""

    def facts_for(self, subject: Subject[Value], context: Context) -> tuple[Fact[Any], ...]:
        """Return the facts that `needs` declares for a subject."""
        needs = self.needs
        return tuple(_call(needs, subject, context) if callable(needs) else needs)

    def results(self, subject: Subject[Value], context: Context, facts: FactValues) -> Results:
        """Return the results of `check` for a subject."""
        return iter(_call(self.check, subject, context, facts))

    @property
    def scope(self) -> Literal["offline", "account"]:
        """A rule that needs no facts makes no AWS calls."""
        return "account" if self.needs != () else "offline"

    @property
    def account(self) -> bool:
        return self.scope == "account"


def _call(
    method: Any, subject: Subject[Any], context: Context, facts: FactValues | None = None
) -> Any:
    """Call a method with the arguments named by its parameters."""
    path, value = subject
    known = {"path": path, "context": context, "facts": facts}
    code = method.__func__.__code__
    names = code.co_varnames[1 : code.co_argcount]
    return method(*(known.get(name, value) for name in names))
