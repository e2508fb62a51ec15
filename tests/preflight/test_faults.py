"""Every API call that a check makes goes wrong, one at a time: never a pass, never a traceback,
and the verdict names what is unknown. Rules and calls that are added later are covered.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from clusterwright.aws.errors import iam_action_of
from clusterwright.json_output.check import check_json
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.results import CheckResult
from clusterwright.render.check import check_markdown, check_text
from clusterwright.render.junit import check_junit
from clusterwright.render.sarif import check_sarif
from clusterwright_localaws import local_aws
from tests.preflight import tape
from tests.preflight.accounts import SITES, needed
from tests.preflight.tape import Operation, PlayedSession, RecordingSession, Strange
from tests.support import specs

NOT_PASSED = {"fail", "unknown"}


@dataclass
class Played:
    """The check of one site, which can be repeated with a changed operation."""

    context: Context
    session: PlayedSession
    operations: list[Operation]
    """The operations that are changed at this site."""

    facts: dict[str, tuple[Fact[Any], ...]]
    asked: dict[Fact[Any], frozenset[Operation]]
    as_it_is: CheckResult

    def check(
        self, target: Operation | None = None, spoil: Any = None, *, whole: bool = False
    ) -> CheckResult:
        """The rules that need an operation whose answer is changed; with `whole`, all rules."""
        self.session.target, self.session.spoil = target, spoil
        only = None if target is None or whole else frozenset(self.rules_of(target))
        reader = AwsFactReader(self.session, pool_size=1)
        return engine.run(rule_files(), self.context, reader, engine.Selection(only=only))

    def rules_of(self, operation: Operation) -> set[str]:
        """Rules that need the answer of an operation."""
        return {
            rule
            for rule, facts in self.facts.items()
            if any(operation in self.asked[fact] for fact in facts)
        }


def site_of(action: str) -> str:
    """The site where the most rules need an action: other sites would only repeat it."""
    return max(
        sorted(SITES),
        key=lambda name: sum(
            any(action in fact.actions for fact in facts) for facts in needed(name).values()
        ),
    )


@pytest.fixture(scope="module", params=sorted(SITES))
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Played]:
    site = SITES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)
        patch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        with local_aws(site.account()):
            context = site.context(tmp_path_factory.mktemp(site.name), site.furnish())
            recording = RecordingSession()
            recorded = engine.run(rule_files(), context, AwsFactReader(recording))
        session = PlayedSession(recording.tape)
        facts = engine.needed(rule_files(), context)
        here = [o for o in recording.tape.operations if site_of(iam_action_of(*o)) == site.name]
        asked = tape.asked_by(session, dict.fromkeys(f for fs in facts.values() for f in fs))
        found = Played(context, session, here, facts, asked, recorded)
        again = found.check()
        assert {u.message for u in again.unanswered} == {u.message for u in recorded.unanswered}
        assert statuses(again) == statuses(recorded)
        yield found


def statuses(result: CheckResult) -> dict[str, str]:
    return {rule.rule: rule.status for rule in result.rules}


def shown(result: CheckResult) -> None:
    """Every output format can be written."""
    code = result.exit_code()
    assert check_text(result)
    assert check_json(result, code)
    assert check_markdown(result, code)
    assert check_sarif(result, "1.0.0")
    assert check_junit(result)


REFUSALS: dict[str, tuple[Callable[..., Any], str]] = {
    "denied": (tape.refused("AccessDeniedException", 400), "denied"),
    "throttled": (tape.refused("ThrottlingException", 400), "throttled"),
    "timeout": (tape.timed_out, "timeout"),
    "broken": (tape.refused("InternalFailure", 500), "other"),
}


@pytest.mark.parametrize("kind", sorted(REFUSALS))
def test_refusal_is_unknown_and_names_the_call(played: Played, kind: str) -> None:
    spoil, reason = REFUSALS[kind]
    wrong = []
    for operation in played.operations:
        result = played.check(operation, spoil)
        shown(result)
        assert result.crashed == (), operation
        needing = played.rules_of(operation)
        said = {
            entry.rule
            for entry in result.unanswered
            if entry.reason == reason and entry.iam_action == iam_action_of(*operation)
        }
        after = statuses(result)
        if said != needing or any(after[rule] not in NOT_PASSED for rule in needing):
            wrong.append(f"{operation}: {sorted(said ^ needing)}")
    assert not wrong, "\n".join(wrong)


def test_refusal_does_not_affect_other_rules(played: Played) -> None:
    before = statuses(played.as_it_is)
    for operation in played.operations:
        after = statuses(played.check(operation, REFUSALS["denied"][0], whole=True))
        changed = {rule for rule in before if before[rule] != after[rule]}
        assert changed <= played.rules_of(operation), operation


@pytest.mark.parametrize("spoil", [tape.cut_off, tape.endless])
def test_endless_list_is_unknown(played: Played, spoil: Any) -> None:
    wrong = []
    for operation in played.operations:
        if tape.paging(operation) is None or not answered(played, operation):
            continue
        result = played.check(operation, spoil)
        assert result.crashed == (), operation
        after = statuses(result)
        passed = {r for r in played.rules_of(operation) if after[r] not in NOT_PASSED}
        if passed:
            wrong.append(f"{operation}: {sorted(passed)}")
    assert not wrong, "\n".join(wrong)


def test_empty_page_is_not_the_end(played: Played) -> None:
    """For a single resource requested by name there are no further pages: then it is unknown."""
    before = statuses(played.as_it_is)
    read_on = 0
    for operation in played.operations:
        if tape.paging(operation) is None:
            continue
        after = statuses(played.check(operation, tape.first_page_empty))
        changed = {r: after[r] for r in played.rules_of(operation) if after[r] != before[r]}
        assert set(changed.values()) <= {"unknown"}, operation
        read_on += not changed
    assert read_on >= len(played.operations) // 4


def test_empty_answer_is_unknown(played: Played) -> None:
    wrong = []
    for operation in played.operations:
        if operation in BARE:
            continue
        result = played.check(operation, tape.hollow)
        shown(result)
        assert result.crashed == (), operation
        after = statuses(result)
        passed = {r for r in played.rules_of(operation) if after[r] not in NOT_PASSED}
        if passed:
            wrong.append(f"{operation}: {sorted(passed)}")
    assert not wrong, "\n".join(wrong)


def test_empty_list_is_an_answer_only_where_possible(played: Played) -> None:
    wrong = []
    for operation in played.operations:
        if operation in QUIET:
            continue
        result = played.check(operation, tape.emptied)
        assert result.crashed == (), operation
        after = statuses(result)
        passed = {
            rule
            for rule in played.rules_of(operation)
            if after[rule] not in NOT_PASSED
            and not all(
                may_be_empty(fact)
                for fact in played.facts[rule]
                if operation in played.asked[fact]
            )
        }
        # An absent resource is a finding of one rule; the others ignore it.
        noticed = any(after[rule] in NOT_PASSED for rule in played.rules_of(operation))
        if passed and not noticed and tape.has_lists(_answers(played, operation)):
            wrong.append(f"{operation}: {sorted(passed)}")
    assert not wrong, "\n".join(wrong)


def test_unknown_value_is_not_a_pass(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = engine._Work.judge

    def noted(work: Any, *arguments: Any) -> None:
        if any(work.facts):  # the others are evaluated while facts are read
            Strange.looking = work.rule.id
        try:
            judge(work, *arguments)
        finally:
            Strange.looking = "reading"

    monkeypatch.setattr(engine._Work, "judge", noted)
    wrong = []
    for operation in played.operations:
        Strange.seen_by.clear()
        result = played.check(operation, tape.strange)
        shown(result)
        assert result.crashed == (), operation
        after = statuses(result)
        needing = played.rules_of(operation)
        looked = needing if "reading" in Strange.seen_by else needing & Strange.seen_by
        passed = {rule for rule in looked if after[rule] not in NOT_PASSED}
        # Of several rules about one resource, one checks its state; the others ignore it.
        if passed and not NOT_PASSED & {after[rule] for rule in looked - passed}:
            wrong.append(f"{operation}: {sorted(passed)}")
    assert not wrong, "\n".join(wrong)


# AWS has no datapoint for an unused quota in the last hour; the listed usage counts.
QUIET = {("cloudwatch", "GetMetricStatistics")}
# Their HTTP status is the answer, or an empty configuration is one.
BARE = {("s3", "HeadBucket"), ("s3", "GetBucketNotificationConfiguration")}


def answered(played: Played, operation: Operation) -> bool:
    """Return whether there was an answer each time: a missing resource has no pages."""
    return all(
        recorded.status < 300
        for (asked, _), recorded in played.session._tape.answers.items()
        if asked == operation
    )


def may_be_empty(fact: Fact[Any]) -> bool:
    """Return whether a fact is a list of existing resources, for which empty is an answer."""
    if fact.inventory:
        return True
    for base in getattr(type(fact), "__orig_bases__", ()):
        for argument in typing.get_args(base):
            if typing.get_origin(argument) in (tuple, frozenset) or argument in (tuple, frozenset):
                return True
    return False


def _answers(played: Played, operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (asked, _), recorded in played.session._tape.answers.items():
        if asked == operation:
            found |= recorded.answer
    return found
