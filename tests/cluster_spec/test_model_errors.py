"""Pydantic's errors in words. Whole messages are in test_bad_input's snapshots."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from clusterwright.cluster_spec.model_errors import MOST_PROBLEMS, translate
from clusterwright.cluster_spec.models.cluster import Cluster
from tests.support.rich_specs import BUILT, renamed, with_value, without


def said(data: dict[str, Any]) -> list[tuple[str, str | None]]:
    with pytest.raises(ValidationError) as refused:
        Cluster.model_validate(data)
    return [(p.message, p.hint) for p in translate(refused.value, data, data)]


@pytest.mark.parametrize(
    ("path", "value", "message", "hint"),
    [
        (("account",), "12", "'12' is not an account id of 12 digits", None),
        (("account",), 12, "a text is wanted, this is a whole number", 'quote it: "12"'),
        (
            ("account",),
            1.5,
            "a text is wanted, this is a number",
            "quote it: without quotes it is the number 1.5",
        ),
        (("account",), True, "a text is wanted, this is true or false", 'quote it: "true"'),
        (
            ("run", "hours"),
            "1,024",
            "a number is wanted, this is a text",
            "write 1024 without quotes",
        ),
        (("run", "hours"), 0, "0 is not more than 0", None),
        (("run", "hours"), 90000, "90000 is more than 87,600, the most", None),
        (("compute", 2, "count"), -1, "-1 is less than 0, the least", None),
        (("compute", 2, "count"), 4.0, "a whole number is wanted, this is a number", "write 4"),
        (("compute", 2, "count"), 4.5, "a whole number is wanted, this is a number", None),
        (
            ("storage", "lustre", 0, "efa"),
            "on",
            "true or false is wanted, this is a text",
            "write true",
        ),
        (
            ("storage", "lustre", 0, "version"),
            2.15,
            "2.15 is not one of 2.10, 2.12, 2.15",
            'write "2.15"',
        ),
        (
            ("observability", "log_retention_days"),
            "30",
            "'30' is not one of 1, 3, 5",
            "30 without quotes",
        ),
        (("waivers", 0, "reason"), "", "this is empty", None),
        (("waivers", 0, "reason"), "short", "'short' has fewer than 10 characters", None),
        (("environment",), "x" * 41, "has more than 40 characters", None),
        (("slurm", "partitions", 0, "groups"), [], "this is empty", None),
        (("network", "secondary_cidrs"), ["10.1.0.0/24"] * 5, "5 entries, 4 are the most", None),
        (
            ("network", "secondary_cidrs"),
            "10.1.0.0/24",
            "a list is wanted",
            "a list is written [a, b]",
        ),
        (("network",), None, "a mapping is wanted, this is empty", None),
        (("compute", 2, "capacity", "kind"), "plan", "'plan' is not one of on-demand, spot", None),
    ],
)
def test_messages(path: tuple[str | int, ...], value: Any, message: str, hint: str | None) -> None:
    ((found, offered),) = said(with_value(BUILT, path, value))
    assert message in found
    assert (hint in (offered or "")) if hint else (offered is None)


def test_a_misspelt_required_key_is_one_mistake() -> None:
    assert said(renamed(BUILT, ("account",), "acount")) == [
        ("unknown key `acount`", "did you mean `account`?")
    ]


def test_two_keys_that_look_alike_are_two_mistakes_if_both_are_there() -> None:
    assert said({**BUILT, "acount": 1}) == [("unknown key `acount`", None)]


def test_a_misspelt_kind_is_found_although_the_union_cannot_be_told() -> None:
    data = renamed(BUILT, ("compute", 2, "capacity", "kind"), "knd")
    assert said(data) == [("unknown key `knd`", "did you mean `kind`?")]
    data = without(BUILT, ("compute", 2, "capacity", "kind"))
    assert said(data) == [("`kind` is missing", None)]


def test_a_key_of_another_place_is_sent_there() -> None:
    assert said({**BUILT, "cidr": "10.0.0.0/16"}) == [
        ("unknown key `cidr`", "`cidr` is a key elsewhere: network.cidr")
    ]


def test_too_many_mistakes_are_counted() -> None:
    found = said({**BUILT, **{f"key{i}": i for i in range(MOST_PROBLEMS + 5)}})
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1] == ("and 5 more problems like this", None)
