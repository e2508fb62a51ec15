"""Runs one rule on a small spec with a table of facts instead of AWS."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.errors import REASONS, AwsUnavailable
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cost.retiring import find_file_system
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota, QuotaState
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.registry import named, rule_files
from clusterwright.preflight.results import CheckResult, Finding, RuleResult, Unanswered
from tests.support import specs

TODAY = dt.date(2026, 11, 20)

Facts = Mapping[Fact[Any], Any]


@dataclass
class TableReader:
    """Facts from a table; a requested fact that is not in the table is an error of the test."""

    table: Facts
    calls: int = 0
    api_calls: int = 0
    longest_chain: int = 0
    wanted: list[Fact[Any]] = field(default_factory=list)

    def read(self, facts: Iterable[Fact[Any]]) -> FactValues:
        self.wanted = list(dict.fromkeys(facts))
        self.calls = len(self.wanted)
        return FactValues({fact: self.table[fact] for fact in self.wanted})

    def until_asked(self, timeout_seconds: float) -> None:
        """A table has no open requests."""


@dataclass(frozen=True)
class Outcome:
    name: str
    result: CheckResult
    wanted: list[Fact[Any]]

    @property
    def rule(self) -> RuleResult:
        (rule,) = [rule for rule in self.result.rules if rule.rule == self.name]
        return rule

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.result.findings

    @property
    def unanswered(self) -> tuple[Unanswered, ...]:
        return self.result.unanswered


class Harness:
    """What a test of rules has: `fails`, `passes`, `unsure`.

    The names matter: `test_completeness` reads them to see that no rule is without its tests.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        # A rule that crashes raises here instead of becoming a result.
        monkeypatch.setenv("CLUSTERWRIGHT_DEBUG", "1")

    def run(
        self,
        rule: str,
        changes: Mapping[str, Any] | None = None,
        facts: Facts | None = None,
        *,
        spec: LoadedSpec | None = None,
        today: dt.date = TODAY,
        offline: bool = False,
        also: Iterable[str] = (),
        retire: str | None = None,
    ) -> Outcome:
        """Result of one rule. `also` are rules that run in addition, `retire` a file system."""
        loaded = spec or specs.load(self.folder, changes)
        storage = None if retire is None else find_file_system(loaded.cluster, retire)
        context = Context(loaded, load_catalog(), today, retire=storage)
        reader = TableReader(facts or {})
        selection = engine.Selection(only=named([rule, *also]), offline=offline)
        result = engine.run(rule_files(), context, reader, selection)
        return Outcome(rule, result, reader.wanted)

    def fails(
        self,
        rule: str,
        changes: Mapping[str, Any] | None = None,
        facts: Facts | None = None,
        *,
        path: str,
        message: str,
        severity: str | None = None,
        numbers: tuple[Any, Any, Any] | None = None,
        spec: LoadedSpec | None = None,
        **more: Any,
    ) -> Finding:
        """The rule has exactly one finding, and refusing any fact makes the rule unknown."""
        spec = spec or specs.load(self.folder, changes)
        outcome = self.run(rule, None, facts, spec=spec, **more)
        assert [f.message for f in outcome.findings] != [], f"{rule} found nothing"
        (finding,) = outcome.findings
        assert finding.path == path
        assert message in finding.message
        if severity is not None:
            assert finding.severity == severity
        if numbers is not None:
            assert (finding.requested, finding.used, finding.limit) == numbers
        assert finding.position is not None
        assert finding.position.source_line.strip()
        assert finding.doc == f"docs/reference/rules.md#{rule.lower()}"
        assert outcome.rule.status == "fail"
        self.refuse_each(rule, spec, facts, outcome, **more)
        return finding

    def refuse_each(
        self,
        rule: str,
        spec: LoadedSpec,
        facts: Facts | None,
        outcome: Outcome,
        **more: Any,
    ) -> None:
        """Each fact in turn is refused, for every reason.

        never a pass, never a finding about it.
        """
        for fact in outcome.wanted:
            for reason in REASONS:
                refused = {**(facts or {}), fact: refusal(fact, reason)}
                found = self.run(rule, None, refused, spec=spec, **more)
                assert found.unanswered, (rule, fact, reason)
                assert found.rule.status in ("unknown", "fail")
                assert len(found.findings) < max(1, len(outcome.findings)) + 1
                (entry, *_) = found.unanswered
                assert entry.reason == reason
                assert entry.iam_action == fact.actions[0]
                assert entry.region == "us-east-1"
                if len(outcome.findings) == 1 and outcome.rule.tested == 1:
                    assert (found.rule.status, found.findings) == ("unknown", ())

    def passes(
        self,
        rule: str,
        changes: Mapping[str, Any] | None = None,
        facts: Facts | None = None,
        *,
        tested: bool = True,
        **more: Any,
    ) -> Outcome:
        """Assert that the rule passes and, unless `tested` is False, that it checked something."""
        outcome = self.run(rule, changes, facts, **more)
        assert [f.message for f in outcome.findings] == []
        assert [u.message for u in outcome.unanswered] == []
        assert outcome.rule.status == "pass"
        assert bool(outcome.rule.tested) is tested
        return outcome

    def unsure(
        self,
        rule: str,
        changes: Mapping[str, Any] | None = None,
        facts: Facts | None = None,
        *,
        path: str,
        message: str,
        **more: Any,
    ) -> Unanswered:
        """Assert that the rule is unknown, and neither fails nor passes."""
        outcome = self.run(rule, changes, facts, **more)
        assert [f.message for f in outcome.findings] == []
        (entry,) = outcome.unanswered
        assert entry.path == path
        assert message in entry.message
        assert outcome.rule.status == "unknown"
        return entry


def refusal(fact: Fact[Any], reason: Any) -> AwsUnavailable:
    service, _, operation = fact.actions[0].partition(":")
    return AwsUnavailable(
        service=service,
        operation=operation,
        region="us-east-1",
        reason=reason,
        detail="on purpose",
        iam_action=fact.actions[0],
    )


def quota(service: str, code: str, value: float, measured: float | None = None) -> Facts:
    """The fact of one applied quota."""
    return {AppliedQuota(service, code): QuotaState(value, measured)}
