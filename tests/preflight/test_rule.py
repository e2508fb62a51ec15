"""The base class of rules: titles, scope, and calls by parameter name."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota, QuotaState
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Facts, Fail, Results, Rule, Subjects
from tests.support import specs

FACT = AppliedQuota("ec2", "L-1")


@dataclass(frozen=True)
class Group:
    name: str


class Offline(Rule[Group]):
    id = "CW-Z001"
    prevents = "p"
    source = "s"

    def subjects(self, context: Context) -> Subjects[Group]:
        return [(("compute", 0), Group("a"))]

    def check(self, group: Group) -> Results:
        yield Fail(message=group.name)


class Account(Offline):
    id = "CW-Z002"

    def needs(self, group: Group, context: Context) -> Facts:
        return (FACT,) if group.name and context.region else ()

    def check(self, facts: FactValues, path: Any, group: Group) -> Results:
        yield Fail(message=f"{group.name} {facts[FACT].value}", path=path)


def context(folder: Path) -> Context:
    return Context(specs.load(folder), load_catalog(), dt.date(2026, 11, 20))


def test_the_title_is_the_first_line_of_the_module() -> None:
    assert Offline().title == "The base class of rules: titles, scope, and calls by parameter name"


def test_a_rule_without_facts_is_offline(tmp_path: Path) -> None:
    rule = Offline()
    assert (rule.scope, rule.account) == ("offline", False)
    (subject,) = rule.subjects(context(tmp_path))
    assert rule.facts_for(subject, context(tmp_path)) == ()
    assert [r.message for r in rule.results(subject, context(tmp_path), FactValues({}))] == ["a"]


def test_methods_get_the_parameters_that_they_name(tmp_path: Path) -> None:
    rule = Account()
    assert (rule.scope, rule.account) == ("account", True)
    (subject,) = rule.subjects(context(tmp_path))
    assert rule.facts_for(subject, context(tmp_path)) == (FACT,)
    facts = FactValues({FACT: QuotaState(8.0)})
    (found,) = rule.results(subject, context(tmp_path), facts)
    assert (found.message, found.path) == ("a 8.0", ("compute", 0))
