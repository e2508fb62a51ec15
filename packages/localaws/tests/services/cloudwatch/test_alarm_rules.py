"""Tests of services.cloudwatch.alarm_rules."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.cloudwatch.alarm_rules import read

HOME = "arn:aws:cloudwatch:us-east-1:111122223333:alarm:"
STATES = {"a": "ALARM", "b": "OK", "c d": "INSUFFICIENT_DATA", 'e"': "OK"}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("ALARM(a)", True),
        ('OK("a")', False),
        ("ALARM(a) AND ALARM(b)", False),
        ("ALARM(b) OR ALARM(a)", True),
        ("NOT ALARM(b) AND OK(b)", True),
        ('(ALARM(b) OR INSUFFICIENT_DATA("c d")) AND TRUE', True),
        (f"ALARM({HOME}a)", True),
        (r'OK("e\"")', True),
        ("FALSE OR ALARM(a) AND FALSE", False),
        ("NOT (ALARM(a) AND ALARM(b))", True),
    ],
)
def test_rules(text: str, holds: bool) -> None:
    assert read(text, HOME).holds(STATES.__getitem__) is holds


def test_alarms_of_a_rule_are_named_once_and_in_order() -> None:
    assert read("ALARM(b) OR (OK(a) AND NOT OK(b))", HOME).alarms == ("b", "a")


def test_an_alarm_of_another_place_is_its_arn() -> None:
    other = HOME.replace("us-east-1", "us-west-2") + "a"
    assert read(f"ALARM({other}) OR OK({HOME}a)", HOME).alarms == (other, "a")


def test_a_rule_has_at_most_100_alarms() -> None:
    def rule(alarms: int) -> str:
        return " OR ".join(f"OK(a{number}) OR ALARM(a{number})" for number in range(alarms))

    assert len(read(rule(100), HOME).alarms) == 100
    with pytest.raises(AwsError, match="100"):
        read(rule(101), HOME)


@pytest.mark.parametrize(
    ("text", "token", "position"),
    [
        ("()", ")", 1),
        ("ALARM(a) XOR ALARM(b)", "XOR", 9),
        ("ALARM(a", "ALARM", 0),
        ("ALARM(a) AND", "", 12),
        ("(" * 60 + "TRUE" + ")" * 60, "(", 50),
    ],
)
def test_rules_that_are_refused(text: str, token: str, position: int) -> None:
    with pytest.raises(AwsError) as refused:
        read(text, HOME)
    assert refused.value.code == "ValidationError"
    expected = f"Error in AlarmRule [Unsupported token '{token}' at char {position}]"
    assert refused.value.message == expected
