"""Texts of pydantic's errors. Full messages are in test_bad_input's snapshots."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from clusterwright.cluster_spec.model_errors import MAXIMUM_PROBLEMS, translate
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
        (("account",), 12, "expected a string, got an integer", 'quote it: "12"'),
        (
            ("account",),
            1.5,
            "expected a string, got a number",
            "quote it: without quotes it is the number 1.5",
        ),
        (("account",), True, "expected a string, got a boolean", 'quote it: "true"'),
        (
            ("run", "hours"),
            "1,024",
            "expected a number, got a string",
            "write 1024 without quotes",
        ),
        (
            ("run", "hours"),
            "24h",
            "expected a number, got a string",
            "write the number alone: hours is in hours",
        ),
        (
            ("account",),
            "1111-2222-3333",
            "'1111-2222-3333' is not an account id",
            'write "111122223333"',
        ),
        (
            ("storage", "lustre", 0, "capacity_gib"),
            "4TiB",
            "expected an integer, got a string",
            "write 4096: the number alone, in GiB",
        ),
        (
            ("storage", "lustre", 0, "throughput_mbps_per_tib"),
            "1GB/s",
            "expected an integer, got a string",
            "write the number alone: throughput_mbps_per_tib is in MB/s per TiB",
        ),
        (("run", "hours"), 0, "must be greater than 0, got 0", None),
        (("run", "hours"), 90000, "must be at most 87,600, got 90000", None),
        (("compute", 2, "count"), -1, "must be at least 0, got -1", None),
        (("compute", 2, "count"), 4.0, "expected an integer, got a number", "write 4"),
        (("compute", 2, "count"), 4.5, "expected an integer, got a number", None),
        (
            ("compute", 2, "count"),
            "8 nodes",
            "expected an integer, got a string",
            "write the number alone: 8",
        ),
        (
            ("storage", "lustre", 0, "capacity_gib"),
            4.8,
            "expected an integer, got a number",
            "an integer: capacity_gib is in GiB",
        ),
        *(
            (
                ("slurm", "partitions", 0, "max_time_minutes"),
                clock,
                "expected an integer, got a string",
                f"write {minutes}: the number alone, in minutes",
            )
            for clock, minutes in (("7-00:00:00", 10080), ("1:30:30", 91), ("90:00", 90))
        ),
        (
            ("storage", "lustre", 0, "efa"),
            "on",
            "expected true or false, got a string",
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
        (("waivers", 0, "reason"), "", "must not be empty", None),
        (("waivers", 0, "reason"), "short", "must be at least 10 characters, got 'short'", None),
        (("environment",), "x" * 41, "must be at most 40 characters", None),
        (("slurm", "partitions", 0, "groups"), [], "must not be empty", None),
        (
            ("network", "secondary_cidrs"),
            ["10.1.0.0/24"] * 5,
            "must have at most 4 entries, got 5",
            None,
        ),
        (
            ("network", "secondary_cidrs"),
            "10.1.0.0/24",
            "expected a list",
            "a list is written [a, b]",
        ),
        (("network",), None, "expected a mapping, got null", None),
        (
            ("compute", 2, "capacity", "kind"),
            "plan",
            "'plan' is not one of on-demand, spot",
            "did you mean `training-plan`?",
        ),
        (("compute", 2, "capacity", "kind"), "x", "'x' is not one of on-demand, spot", None),
    ],
)
def test_messages(path: tuple[str | int, ...], value: Any, message: str, hint: str | None) -> None:
    ((found, offered),) = said(with_value(BUILT, path, value))
    assert message in found
    assert (hint in (offered or "")) if hint else (offered is None)


def test_misspelt_required_key_is_one_error() -> None:
    assert said(renamed(BUILT, ("account",), "acount")) == [
        ("unknown key `acount`", "did you mean `account`?")
    ]


def test_similar_keys_are_two_errors_if_both_exist() -> None:
    assert said({**BUILT, "acount": 1}) == [("unknown key `acount`", None)]


def test_misspelt_kind_is_found_in_an_ambiguous_union() -> None:
    data = renamed(BUILT, ("compute", 2, "capacity", "kind"), "knd")
    assert said(data) == [("unknown key `knd`", "did you mean `kind`?")]
    data = without(BUILT, ("compute", 2, "capacity", "kind"))
    assert said(data) == [("`kind` is missing", None)]


def test_misplaced_key_has_a_hint() -> None:
    assert said({**BUILT, "cidr": "10.0.0.0/16"}) == [
        ("unknown key `cidr`", "`cidr` is a key of other mappings: network.cidr")
    ]


def test_keys_of_a_small_mapping_are_listed_for_one_that_none_is_similar_to() -> None:
    found = said({**BUILT, "run": {"hours": 24, "xyz": 3}})
    assert found == [
        (
            "unknown key `xyz`",
            "the keys are checkpoint_gib, checkpoint_interval_minutes, hours, "
            "max_checkpoint_seconds, start",
        )
    ]


def test_number_of_omitted_errors_is_reported() -> None:
    found = said({**BUILT, **{f"key{i}": i for i in range(MAXIMUM_PROBLEMS + 5)}})
    assert len(found) == MAXIMUM_PROBLEMS + 1
    assert found[-1] == ("and 5 similar problems", None)


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        (("slurm", "accounting"), "rds", "accounting: {kind: rds}"),
        (("compute", 0, "capacity"), "spot", "capacity: {kind: spot}"),
        (("image", "auto_patch"), "when-idle", "auto_patch: {strategy: when-idle}"),
        (("slurm", "containers"), True, "containers: {pyxis: true}"),
        (("storage", "home"), "openzfs", "home: {kind: openzfs}"),
        (("run",), 5, "a mapping with the keys hours, start, checkpoint_gib, "),
    ],
)
def test_value_of_a_key_for_its_mapping_is_suggested(path: Any, value: Any, hint: str) -> None:
    ((message, found),) = said(with_value(BUILT, path, value))
    assert message.startswith("expected a mapping, got ")
    assert found is not None
    assert found.startswith(hint)


def test_beginning_of_two_keys_and_words_of_other_tools_are_recognised() -> None:
    lustre = ("storage", "lustre", 0)
    for key, hint in (
        ("throughput", "did you mean `throughput_mbps`?"),
        ("size", "the spec has `storage.lustre[].capacity_gib` or"),
        ("grafana", "the spec has `observability.grafana` for this; "),
    ):
        ((message, found),) = said(with_value(BUILT, (*lustre, key), 1))
        assert message == f"unknown key `{key}`"
        assert found is not None
        assert found.startswith(hint), key
    new = without(BUILT, (*lustre, "throughput_mbps_per_tib"))
    ((_, found),) = said(with_value(new, (*lustre, "throughput"), 125))
    assert found == "did you mean `throughput_mbps` or `throughput_mbps_per_tib`?"
