"""The run of `localaws verify`: selection, budget, and whether it finds what differs."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.probes import library
from clusterwright_localaws.probes.calls import Answer, BotoCaller, Caller, NoAnswer
from clusterwright_localaws.probes.model import Call, Probe
from clusterwright_localaws.probes.verifying import (
    NoIdentity,
    Report,
    VerifyError,
    identity,
    select,
    verify,
)
from clusterwright_localaws.testing import Fault, Override

KEY = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
ALL = select(library.probes(), create=True, budget_usd=100)


def caller() -> BotoCaller:
    return BotoCaller("us-east-1", **KEY)


def differing(report: Report) -> set[str]:
    return {one.probe.id for one in report.results if one.verdict != "same"}


class TestSelection:
    def test_only_reading_by_default(self) -> None:
        found = select(library.probes())
        assert found.chosen
        assert not any(library.creates(probe) for probe in found.chosen)
        assert {one.verdict for one in found.left_out} == {"not_tried"}
        assert len(found.chosen) + len(found.left_out) == len(library.probes())
        assert found.cost_usd == 0

    def test_create_needs_a_budget(self) -> None:
        with pytest.raises(VerifyError, match="--create needs a budget"):
            select(library.probes(), create=True)

    @pytest.mark.parametrize("amount", [math.nan, math.inf, -1.0])
    def test_budget_is_a_finite_amount(self, amount: float) -> None:
        with pytest.raises(VerifyError, match="the budget is no amount"):
            select(library.probes(), create=True, budget_usd=amount)

    @pytest.mark.parametrize("amount", [math.nan, math.inf, -1.0])
    def test_stated_price_is_a_finite_amount(
        self, amount: float, probe: Callable[..., Probe]
    ) -> None:
        given = [probe({"ec2.RunInstances": {"MinCount": 1}, "answer": {"A": 1}})]
        with pytest.raises(VerifyError, match="the price of one is no amount"):
            select(given, create=True, budget_usd=1, stated_usd={"one": amount})

    def test_sum_is_compared_with_the_budget(self) -> None:
        keys = ["kms-alias-*"]
        cost = select(library.probes(), keys, create=True, budget_usd=100).cost_usd
        assert cost >= 1
        assert select(library.probes(), keys, create=True, budget_usd=cost).cost_usd == cost
        with pytest.raises(VerifyError, match=r"cost up to USD .*, the budget is USD 0\.50"):
            select(library.probes(), keys, create=True, budget_usd=0.5)

    def test_unknown_price_is_refused_unless_stated(self, probe: Callable[..., Probe]) -> None:
        step = {"ec2.RunInstances": {"MinCount": 1}, "answer": {"A": 1}}
        given = [probe(step)]
        with pytest.raises(VerifyError, match="the price of one is unknown") as caught:
            select(given, create=True, budget_usd=100)
        assert "--price one=USD" in caught.value.hint
        found = select(given, create=True, budget_usd=100, stated_usd={"one": 2.5})
        assert found.cost_usd == 2.5

    def test_unknown_probe(self) -> None:
        with pytest.raises(VerifyError, match=r"no probe is called 'none-\*'"):
            select(library.probes(), ["none-*"])


class TestIdentity:
    def test_account(self, scripted: Any) -> None:
        assert identity(scripted(GetCallerIdentity={"Account": "1"})) == "1"

    @pytest.mark.parametrize("answer", [NoAnswer("closed"), Answer(403, code="X", message="no")])
    def test_without_credentials_nothing_runs(self, scripted: Any, answer: Any) -> None:
        given = scripted(GetCallerIdentity=answer)
        with pytest.raises(NoIdentity, match=r"closed|X: no"):
            verify(ALL, given, "us-east-1")
        assert given.operations == ["GetCallerIdentity"]


class TestStop:
    def test_nothing_is_created_after_a_stop(self) -> None:
        stop = threading.Event()
        chosen = select(
            library.probes(), ["iam-role-exists", "iam-role-d*"], create=True, budget_usd=1
        )
        with local_aws():
            import boto3

            report = verify(
                chosen, caller(), "us-east-1", stop=stop, progress=lambda *_: stop.set()
            )
            assert boto3.client("iam", **KEY).list_roles()["Roles"] == []
        assert [one.verdict for one in report.results] == ["same", "not_tried"]
        assert report.interrupted
        assert report.exit_code == 130


class TestAgainstLocalAws:
    """The local AWS itself, and local AWSs that lie."""

    def test_world_with_lies(self) -> None:
        lies = {
            "ec2-subnet-free-addresses": Override(
                service="ec2",
                operation="DescribeSubnets",
                each="Subnets",
                set={"AvailableIpAddressCount": 256},
            ),
            "logs-retention": Override(
                service="logs",
                operation="DescribeLogGroups",
                each="logGroups",
                set={"retentionInDays": 30},
            ),
            "cloudwatch-alarm-state": Override(
                service="cloudwatch",
                operation="DescribeAlarms",
                each="MetricAlarms",
                set={"StateReason": "lie"},
            ),
        }
        faults = [
            Fault(service="fsx", operation="DescribeBackups", error="BadRequest"),
            Fault(service="kms", operation="DescribeKey", error="InternalException"),
        ]
        told = {*lies, "fsx-backup-unknown", "kms-key-unknown"}
        chosen = select(library.probes(), sorted(told), create=True, budget_usd=10)
        with local_aws(overrides=list(lies.values()), faults=faults):
            report = verify(chosen, caller(), "us-east-1")
        assert differing(report) == told
        assert report.exit_code == 1

    def test_no_difference_and_nothing_left(self) -> None:
        names = ["ec2-vpc-*", "iam-role-*", "s3-tags-*", "logs-*", "quota-*", "sts-*", "ssm-*"]
        chosen = select(library.probes(), names, create=True, budget_usd=1)
        with local_aws():
            report = verify(chosen, caller(), "us-east-1")
        assert [(one.probe.id, one.differences) for one in report.results if one.differences] == []
        assert (report.exit_code, report.left_behind) == (0, [])


class Recorded:
    """Answers of a local AWS, kept to be answered again with one thing changed."""

    def __init__(self, inner: Caller) -> None:
        self._inner = inner
        self.answers: list[Answer] = []

    def __call__(self, call: Call) -> Answer:
        answer = self._inner(call)
        self.answers.append(answer)
        return answer


class Replayed:
    """Answers from a list; the answer of one number is changed."""

    def __init__(self, answers: list[Answer], number: int, changed: Answer) -> None:
        self._answers = answers
        self._number = number
        self._changed = changed
        self._at = -1

    def __call__(self, call: Call) -> Answer:
        self._at += 1
        if self._at == self._number:
            return self._changed
        if self._at < len(self._answers):
            return self._answers[self._at]
        return Answer(200, {})


def lies_about(probe: Probe, answers: list[Answer]) -> Iterator[tuple[int, str, Answer]]:
    """Every lie about one probe: another code, an accepted call, a refusal, an empty answer."""
    for number, step in enumerate(probe.steps):
        # Repeated calls of `until` end with the one that holds: these lies need one call a step.
        if step.until:
            return
        truth = answers[number]
        if step.error is not None:
            yield number, "other code", Answer(400, code="SomethingElse", message=truth.message)
            yield number, "accepted", Answer(200, {})
        else:
            yield number, "refused", Answer(400, code="SomethingElse", message="no")
            if any(value not in (None, [], {"is": "absent"}) for value in step.answer.values()):
                yield number, "empty", Answer(200, {})


@pytest.fixture(scope="module")
def truths() -> Mapping[str, tuple[Probe, list[Answer]]]:
    """What a local AWS answers to the calls of every probe that only reads, and some others."""
    found = {}
    given = caller()  # one: it reads the API models
    with local_aws():
        for index, probe in enumerate(library.probes()):
            if any(step.until for step in probe.steps):
                continue
            recorder = Recorded(given)
            run_probe(probe, recorder, f"verify-truth-{index}")
            found[probe.id] = (probe, recorder.answers)
    return found


def run_probe(probe: Probe, given: Caller, name: str) -> Any:
    from clusterwright_localaws.probes.running import Clock, ProbeRun

    names = {"account": "123456789012", "region": "us-east-1", "run": "r", "name": name}
    times = iter(range(0, 10_000_000, 60))
    clock = Clock(now=lambda: float(next(times)), sleep=lambda _: None)
    return ProbeRun(probe, given, names, clock=clock).run()


def test_every_lie_about_every_probe_is_found(
    truths: Mapping[str, tuple[Probe, list[Answer]]],
) -> None:
    missed = []
    told = 0
    for index, (name, (probe, answers)) in enumerate(truths.items()):
        for number, kind, lie in lies_about(probe, answers):
            result = run_probe(probe, Replayed(answers, number, lie), f"verify-truth-{index}")
            told += 1
            if result.verdict != "different":
                missed.append(f"{name}, call {number + 1}: {kind}: {result.verdict}")
    assert missed == []
    assert told > 300
