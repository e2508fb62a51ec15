"""What a rule is: an id, what it prevents, the facts it needs, and one question per subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.results import Amount, QuotaNeed, Severity

if TYPE_CHECKING:
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.facts.fact import Fact, FactValues

Value = TypeVar("Value")


@dataclass(frozen=True)
class Subject(Generic[Value]):
    """One thing that a rule looks at, and where it stands in the spec."""

    path: Path
    value: Value


@dataclass(frozen=True, kw_only=True)
class Fail:
    """A subject breaks the rule. `severity` only where it is milder than the rule's own."""

    message: str
    path: Path | None = None
    """Where it stands, if not at the subject's own path."""

    requested: Amount = None
    used: Amount = None
    limit: Amount = None
    where: str | None = None
    quota_code: str | None = None
    hint: str | None = None
    severity: Severity | None = None
    quota: QuotaNeed | None = None


@dataclass(frozen=True, kw_only=True)
class Unsure:
    """A subject cannot be judged: a fact of the catalogue or of AWS's answer is missing."""

    message: str
    path: Path | None = None
    hint: str | None = None
    quota: QuotaNeed | None = None


Verdict = Fail | Unsure


class Rule(ABC, Generic[Value]):
    """One rule: one file, one id, one row of the reference, a failing and a passing test.

    A rule with no subjects passes with nothing to test. An account rule declares the facts that
    each subject needs; where one is missing, that subject is unknown, and the rule is not asked.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity]
    scope: ClassVar[Literal["offline", "account"]] = "account"
    """An offline rule makes no AWS calls. The registry reads the line `scope = "offline"` from the
    text of the rule's own class: an inherited value is not enough."""
    prevents: ClassVar[str]
    """What AWS says or does otherwise."""

    source: ClassVar[str]
    """Where the limit or the failure is described."""

    after: ClassVar[bool] = False
    """Runs after all others and sees their findings."""

    @abstractmethod
    def subjects(self, context: Context) -> Iterable[Subject[Value]]:
        """What the rule looks at in this spec."""

    def needs(self, subject: Subject[Value], context: Context) -> Iterable[Fact[Any]]:
        """Facts of the account that must be known to judge this subject."""
        del subject, context
        return ()

    @abstractmethod
    def check(
        self, subject: Subject[Value], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        """What is wrong with the subject; nothing where it keeps the rule."""

    @property
    def account(self) -> bool:
        return self.scope == "account"
