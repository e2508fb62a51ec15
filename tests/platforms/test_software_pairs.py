"""Which versions work together: ranges, conditions and verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.software_pairs import (
    END_OF_LIFE,
    REFUSED,
    UNKNOWN,
    WORKS,
    Surroundings,
    evaluate,
    matches,
    numbers,
)


@pytest.mark.parametrize(
    ("versions", "version", "expected"),
    [
        ("*", "anything", True),
        (">=2.17.1", "2.17.1", True),
        (">=2.17.1", "2.27", True),
        (">=2.17.1", "2.16.5", False),
        (">=2.17.1", "2.17", None),
        (">=580", "580.65.06", True),
        (">=580.0", "580", True),
        (">=580", "unknown", None),
        ("<1.29", "1.28.0", True),
        ("<1.29", "1.29.0", False),
        (">=2.1,<3", "2.9", True),
        (">=2.1,<3", "3.0", False),
        (">=2.1,<3", "2", None),
        ("1.33", "1.33", True),
        ("1.33", "1.33.4", True),
        ("1.33", "1.330", False),
        ("1.16.0", "1.16.0-aws", True),
        ("6.8.0-1063", "6.8.0-1063-aws", True),
        ("6.8.0-1063", "6.8.0-1064-aws", False),
        (">=1.18.3", "v1.19.0-eksbuild.1", True),
        ("1.18", "v1.18.3-eksbuild.1", True),
        ("p6-b200*|p6e-gb200*", "p6e-gb200.36xlarge", True),
        ("p6-b200*|p6e-gb200*", "p6-b300.48xlarge", False),
        ("2.1|2.3", "2.3.1", True),
    ],
)
def test_ranges(versions: str, version: str, expected: bool | None) -> None:
    assert matches(versions, version) is expected


def test_numbers_end_where_the_suffix_begins() -> None:
    assert numbers("2.6.0amzn1.0") == (2, 6, 0)
    assert numbers("v1.18.3") == (1, 18, 3)
    assert numbers("unknown") == ()
    assert matches("=", "570.1", "570.1") is True
    assert matches("=", "570.1", "570.2") is False


def row(**changes: str) -> dict[str, str]:
    found = {"subject": "a", "versions": "*", "other": "b", "other_versions": ">=2"}
    rest = {
        "verdict": "requires",
        "condition": "",
        "note": "",
        "source": "s",
        "date": "2026-01-01",
    }
    return {**found, **rest, **changes}


def model(*rows: dict[str, str]) -> dict[str, Any]:
    return {
        "components": {"a": "Alpha", "b": "Beta", "os": "OS", "instance_type": "type"},
        "pairs": [{"components": ["a", "b"], "rule": "Alpha fits Beta", "rows": list(rows)}],
    }


@pytest.mark.parametrize(
    ("rows", "b", "expected"),
    [
        ([row()], "2.0", WORKS),
        ([row()], "1.9", REFUSED),
        ([row(versions="7")], "1.9", UNKNOWN),
        ([row(other_versions=">=2.1")], "2", UNKNOWN),
        ([row(verdict="fails", other_versions="1")], "1.5", REFUSED),
        ([row(verdict="fails", other_versions="1")], "2.5", UNKNOWN),
        ([row(verdict="works", other_versions="1")], "1.5", WORKS),
        ([row(verdict="end-of-life", other_versions="1")], "1.5", END_OF_LIFE),
        ([row(), row(verdict="fails", other_versions="2")], "2.0", REFUSED),
        ([row(), row(verdict="end-of-life", other_versions="2")], "2.0", END_OF_LIFE),
    ],
)
def test_verdicts(rows: list[dict[str, str]], b: str, expected: str) -> None:
    (found,) = evaluate(model(*rows), {"a": "1.0", "b": b})
    assert found.verdict == expected
    assert found.text == f"Beta {b}, Alpha 1.0"
    assert (found.source == "") is (expected == UNKNOWN)


def test_pair_with_a_version_that_is_not_known_is_unknown() -> None:
    (found,) = evaluate(model(row()), {"a": "1.0"})
    assert (found.verdict, found.text) == (UNKNOWN, "Beta not found, Alpha 1.0")


@pytest.mark.parametrize(
    ("condition", "versions", "surroundings", "expected"),
    [
        ("type:p5.*|p4d.*", {"instance_type": "p4d.24xlarge"}, Surroundings(), REFUSED),
        ("type:p5.*", {"instance_type": "g5.xlarge"}, Surroundings(), UNKNOWN),
        ("type:p5.*", {}, Surroundings(), UNKNOWN),
        ("os:ubuntu", {"os": "ubuntu-22.04"}, Surroundings(), REFUSED),
        ("os:ubuntu", {"os": "rhel-9.4"}, Surroundings(), UNKNOWN),
        ("platform:x", {}, Surroundings(platform="x"), REFUSED),
        ("platform:x", {}, Surroundings(platform="y"), UNKNOWN),
        ("feature:f", {}, Surroundings(features=("f",)), REFUSED),
        ("feature:f", {}, Surroundings(), UNKNOWN),
        ("unless:f", {}, Surroundings(features=("f",)), UNKNOWN),
        ("unless:f", {}, Surroundings(), REFUSED),
        ("feature:f os:ubuntu", {"os": "rhel-9"}, Surroundings(features=("f",)), UNKNOWN),
    ],
)
def test_conditions(
    condition: str, versions: dict[str, str], surroundings: Surroundings, expected: str
) -> None:
    found = {"a": "1.0", "b": "1.0", **versions}
    (result,) = evaluate(model(row(condition=condition)), found, surroundings)
    assert result.verdict == expected


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({}, "Alpha 1.0 requires Beta 2 or newer"),
        ({"note": "why"}, "Alpha 1.0 requires Beta 2 or newer: why"),
        ({"other_versions": ">=2,<3"}, "Alpha 1.0 requires Beta 2 or newer and older than 3"),
        ({"other_versions": "2.5"}, "Alpha 1.0 requires Beta 2.5"),
        (
            {"other_versions": "="},
            "use an image with equal versions of both, or install the matching one",
        ),
        (
            {"verdict": "fails", "other_versions": "1"},
            "Alpha 1.0 does not work with Beta 1.5",
        ),
        (
            {"verdict": "end-of-life", "other_versions": "1"},
            "Beta 1.5 no longer supports Alpha 1.0",
        ),
    ],
)
def test_hints(changes: dict[str, str], hint: str) -> None:
    (found,) = evaluate(model(row(**changes)), {"a": "1.0", "b": "1.5"})
    assert found.hint == hint
    assert found.source == "s (2026-01-01)"
