"""Statuses are never merged; selection, exceptions, order and exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.problems import Position
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import CallerAccount
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.registry import RuleFile, all_rules, named, rule_files
from clusterwright.preflight.results import (
    STATUSES,
    CheckResult,
    Finding,
    RuleResult,
    Unanswered,
    at_or_above,
    in_order,
)
from clusterwright.preflight.rule import Facts, Fail, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rule_names import UnknownRule
from tests.preflight.harness import TODAY, TableReader, refusal
from tests.support import specs


class Probe(Rule[str]):
    """Checks each group: `fail`, `unsure`, `crash` or `pass`, according to the group's name."""

    id = "CW-X001"
    title = "A probe"
    severity = "error"
    prevents = "nothing"
    source = "this test"

    def subjects(self, context: Context) -> Subjects[str]:
        for path, group in context.groups():
            yield (*path, "name"), group.name

    def check(self, name: str) -> Results:
        if name.startswith("fail"):
            yield Fail(message=f"{name} fails")
        elif name.startswith("mild"):
            yield Fail(message=f"{name} fails", severity="info")
        elif name.startswith("unsure"):
            yield Unknown(message=f"{name} is open")
        elif name.startswith("crash"):
            raise ZeroDivisionError("on purpose")


class File(RuleFile):
    """A rule without a file."""

    def __init__(self, rule: Rule[Any]) -> None:
        super().__init__(rule.id, rule.scope, "")
        self.__dict__["rule"] = rule


def check(folder: Path, *names: str, rule: Rule[Any] | None = None) -> CheckResult:
    groups = [
        {**specs.SMALL["compute"][1], "name": name, "count": 1, "instance_type": "m5.large"}
        for name in names
    ]
    changes = {f"compute.{number}": group for number, group in enumerate(groups, start=1)}
    context = Context(specs.load(folder, changes), load_catalog(), TODAY)
    return engine.run([File(rule or Probe())], context, None)


@pytest.mark.parametrize(
    ("names", "status", "code"),
    [
        (["ok"], "pass", 0),
        (["fail"], "fail", 1),
        (["unsure"], "unknown", 2),
        (["fail", "unsure"], "fail", 1),
        (["mild"], "fail", 0),
        (["mild", "unsure"], "fail", 2),
    ],
)
def test_rule_has_one_status(tmp_path: Path, names: list[str], status: str, code: int) -> None:
    result = check(tmp_path, *names)
    (rule,) = result.rules
    assert rule.status == status
    assert rule.tested == len(names) + 1
    assert len(result.findings) == sum(n in ("fail", "mild") for n in names)
    assert len(result.unanswered) == names.count("unsure")
    assert result.exit_code() == code
    assert result.summary() == {s: int(s == status) for s in STATUSES}


@pytest.mark.parametrize(
    ("fail_on", "names", "code"),
    [
        ("error", ["mild"], 0),
        ("warning", ["mild"], 0),
        ("info", ["mild"], 1),
        ("info", ["ok"], 0),
        ("warning", ["fail"], 1),
    ],
)
def test_threshold_determines_the_result(
    tmp_path: Path, fail_on: Any, names: list[str], code: int
) -> None:
    assert check(tmp_path, *names).exit_code(fail_on=fail_on) == code


def test_strict_treats_unknown_as_an_error(tmp_path: Path) -> None:
    result = check(tmp_path, "unsure").strictly()
    assert result.exit_code() == 1
    (finding,) = result.findings
    assert finding.severity == "error"
    assert finding.message == "could not be checked: unsure is open"
    assert result.unanswered
    assert check(tmp_path, "ok").strictly().exit_code() == 0


def test_exception_is_an_internal_error(tmp_path: Path) -> None:
    result = check(tmp_path, "fail", "crash")
    (rule,) = result.rules
    assert rule.crash == "ZeroDivisionError: on purpose"
    assert result.exit_code() == 70
    assert result.findings
    alone = check(tmp_path, "crash")
    assert alone.rules[0].status == "unknown"


def test_debug_raises_exceptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        check(tmp_path, "crash")


def test_exception_in_subjects_is_an_internal_error(tmp_path: Path) -> None:
    class NoSubjects(Probe):
        def subjects(self, context: Context) -> Subjects[str]:
            raise KeyError("missing")

    assert check(tmp_path, "ok", rule=NoSubjects()).exit_code() == 70


class Caller(Probe):
    """Needs a fact, and never receives a refusal."""

    id = "CW-X002"

    def needs(self, name: str) -> Facts:
        return (CallerAccount(),) if name == "asks" else ()

    def check(self, name: str, facts: FactValues) -> Results:
        if name == "asks":
            assert facts[CallerAccount()] == specs.ACCOUNT
        yield from super().check(name)


def asked(folder: Path, answer: Any, *names: str) -> CheckResult:
    group = {**specs.SMALL["compute"][1], "count": 1, "instance_type": "m5.large"}
    changes = {f"compute.{i}": {**group, "name": n} for i, n in enumerate(names, start=1)}
    context = Context(specs.load(folder, changes), load_catalog(), TODAY)
    return engine.run([File(Caller())], context, TableReader({CallerAccount(): answer}))


def test_missing_fact_makes_only_its_subject_unknown(tmp_path: Path) -> None:
    result = asked(tmp_path, refusal(CallerAccount(), "denied"), "asks", "fail")
    (rule,) = result.rules
    assert (rule.status, rule.tested) == ("fail", 3)
    assert [f.path for f in result.findings] == ["compute[2].name"]
    (entry,) = result.unanswered
    assert entry.path == "compute[1].name"
    assert (entry.iam_action, entry.service, entry.region, entry.reason) == (
        "sts:GetCallerIdentity", "sts", "us-east-1", "denied"
    )  # fmt: skip
    assert "lacks sts:GetCallerIdentity" in entry.message
    assert entry.hint == "allow sts:GetCallerIdentity for this identity"


def test_rule_passes_with_the_fact(tmp_path: Path) -> None:
    result = asked(tmp_path, specs.ACCOUNT, "asks")
    assert result.rules[0].status == "pass"
    assert result.calls == 1


def test_undeclared_fact_is_a_bug(tmp_path: Path) -> None:
    values = FactValues({})
    with pytest.raises(KeyError):
        values[CallerAccount()]


def test_refused_fact_has_no_value() -> None:
    values = FactValues({CallerAccount(): refusal(CallerAccount(), "throttled")})
    with pytest.raises(AwsUnavailable):
        values[CallerAccount()]


def selected(folder: Path, **selection: Any) -> CheckResult:
    context = Context(specs.load(folder), load_catalog(), TODAY)
    return engine.run(rule_files(), context, None, engine.Selection(**selection))


def test_offline_skips_account_rules_and_counts_them(tmp_path: Path) -> None:
    result = selected(tmp_path, offline=True)
    account = [file.id for file in rule_files() if file.scope == "account"]
    skipped = [rule.rule for rule in result.rules if rule.status == "skipped"]
    assert skipped == account
    assert result.summary()["skipped"] == len(account) > 20
    assert result.exit_code() == 0
    assert {rule.skipped_because for rule in result.rules if rule.rule in account} == {"--offline"}


def test_only_and_skip_are_applied(tmp_path: Path) -> None:
    only = selected(tmp_path, only=named(["CW-N003", "cw-s"]), offline=True)
    ran = {rule.rule for rule in only.rules if rule.status != "skipped"}
    assert "CW-N003" in ran
    assert {rule[:4] for rule in ran} == {"CW-N", "CW-S"}
    assert "CW-N004" not in ran
    skip = selected(tmp_path, skip=named(["CW-N003"]), offline=True)
    reasons = {rule.rule: rule.skipped_because for rule in skip.rules}
    assert reasons["CW-N003"] == "--skip"
    assert len(skip.rules) == len(only.rules) == len(rule_files())


@pytest.mark.parametrize(
    ("name", "near"), [("CW-N0003", "CW-N003"), ("cw-q12", "CW-Q012"), ("nonsense", None)]
)
def test_an_unknown_rule_has_a_suggestion(name: str, near: str | None) -> None:
    with pytest.raises(UnknownRule) as caught:
        named([name])
    assert caught.value.near == near


def test_findings_are_sorted_by_severity_and_position() -> None:
    def at(line: int, severity: Any) -> Finding:
        place = Position("a.yaml", line, 1)
        return Finding(rule="R", severity=severity, path="", message="", position=place)

    mixed = [at(9, "info"), at(5, "error"), at(1, "warning"), at(2, "error")]
    assert [(f.severity, f.position.line) for f in in_order(mixed) if f.position] == [
        ("error", 2), ("error", 5), ("warning", 1), ("info", 9)
    ]  # fmt: skip


def test_error_is_above_warning_is_above_info() -> None:
    assert at_or_above("error", "warning")
    assert not at_or_above("info", "warning")


def test_every_status_is_counted() -> None:
    rules = tuple(
        RuleResult(rule=f"R{n}", account=False, status=status) for n, status in enumerate(STATUSES)
    )
    assert CheckResult("f", "e", rules).summary() == dict.fromkeys(STATUSES, 1)


def test_unknown_is_reported_beside_findings() -> None:
    entry = Unanswered(rule="R", severity="info", path="", message="m")
    assert CheckResult("f", "e", (), unanswered=(entry,)).exit_code() == 2


def test_all_rules_can_be_imported() -> None:
    assert len(all_rules()) == len(rule_files())
