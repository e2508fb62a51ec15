"""Parsing of quantities, and hints for mistakes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.quantities import (
    BATCH_TOKENS,
    PARAMETERS,
    TOKENS,
    Quantity,
    human,
    parse_count,
    parse_hours,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("70B", 70e9),
        ("70b", 70e9),
        ("70e9", 70e9),
        ("70 billion", 70e9),
        ("70bn", 70e9),
        ("7_000_000_000", 7e9),
        ("7,000,000,000", 7e9),
        ("1.5T", 1.5e12),
        ("350M", 350e6),
        (70e9, 70e9),
        (70_000_000_000, 70e9),
    ],
)
def test_counts_are_parsed(text: str | float, value: float) -> None:
    assert parse_count(text, PARAMETERS, field="params") == value


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("70", "too few parameters", "did you mean 70B (7e+10)?"),
        (7, "too few", "did you mean 7B"),
        ("0.5", "too few", "did you mean 0.5B"),
        ("nan", "not a number", "70B"),
        (math.nan, "not a number", "70B"),
        ("inf", "infinite", "70B"),
        (-math.inf, "infinite", "70B"),
        ("-70B", "negative", "positive"),
        ("0", "zero", "positive"),
        ("70e9B", "too many parameters", "did you mean 70B"),
        ("70000T", "too many parameters", "did you mean 70B"),
        ("1e300", "too many parameters", "70B"),
        ("1e999", "infinite", "70B"),
        ("seventy", "not a number of parameters", "70B"),
        ("", "not a number", "70B"),
        ("70TB", "not a number", "70B"),
        (True, "not a number", "70B"),
        ("70B; rm", "not a number", "70B"),
    ],
)
def test_mistake_has_a_hint_with_the_probable_number(
    text: str | float, said: str, hint: str
) -> None:
    with pytest.raises(GoalError) as caught:
        parse_count(text, PARAMETERS, field="params")
    assert said in caught.value.message
    assert hint in (caught.value.hint or "")
    assert caught.value.field == "params"


def test_tokens_without_a_unit_have_a_hint() -> None:
    with pytest.raises(GoalError) as caught:
        parse_count("15", TOKENS, field="tokens")
    assert caught.value.hint == "did you mean 15T (1.5e+13)?"


@given(st.one_of(st.text(max_size=12), st.floats(), st.integers()))
def test_any_text_is_a_number_in_range_or_an_error(text: str | float) -> None:
    for kind in (PARAMETERS, TOKENS, BATCH_TOKENS):
        try:
            value = parse_count(text, kind, field="x")
        except GoalError as error:
            assert str(error)  # noqa: PT017 - either is fine
        else:
            assert kind.smallest <= value <= kind.largest


@given(st.floats(min_value=1e6, max_value=1e14))
def test_count_survives_a_round_trip(value: float) -> None:
    kind = Quantity("things", "things", 1, 1e16, "B", "1B")
    assert parse_count(human(value), kind, field="x") == pytest.approx(value, rel=0.006)


@pytest.mark.parametrize(
    ("text", "hours"), [("90d", 2160), ("2w", 336), ("72h", 72), ("1y", 8760), ("3mo", 2190)]
)
def test_durations_are_parsed(text: str, hours: float) -> None:
    assert parse_hours(text) == hours


@pytest.mark.parametrize("text", ["90", "soon", "-3d", "0d", "nand", "1e999d", "d", ""])
def test_an_invalid_duration_is_an_error(text: str) -> None:
    with pytest.raises(GoalError):
        parse_hours(text)
    if text == "90":
        with pytest.raises(GoalError) as caught:
            parse_hours(text)
        assert caught.value.hint == "did you mean 90d?"
