"""Compressed host lists of Slurm."""

from __future__ import annotations

import pytest
from clusterwright_node import hostlist
from clusterwright_node.hostlist import compressed, paired
from clusterwright_node.slurm_conf import expanded
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a1"], "a1"),
        (["a2", "a1", "a3", "a1"], "a[1-3]"),
        (["a1", "a3", "a4", "b"], "b,a[1,3-4]"),
        (["a01", "a02", "a1"], "a1,a[01-02]"),
        (["a0", "a1"], "a[0-1]"),
        (["ip-10-1-0-9", "ip-10-1-0-10"], "ip-10-1-0-[9-10]"),
    ],
)
def test_names_become_ranges(names: list[str], text: str) -> None:
    assert compressed(names) == text


@given(st.sets(st.from_regex(r"[a-c]{1,2}-?[0-9]{0,3}", fullmatch=True)))
def test_slurm_expands_it_to_the_same_names(names: set[str]) -> None:
    assert sorted(expanded(compressed(names))) == sorted(names)


def test_a_bracket_has_a_maximum_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostlist, "_LARGEST_RUN", 2)
    assert compressed(f"a{number}" for number in range(5)) == "a[0-1],a[2-3],a[4]"


def test_pairs_with_equal_numbers_are_merged() -> None:
    pairs = [
        ("ip-10-1-0-2", "10.1.0.2"),
        ("ip-10-1-0-1", "10.1.0.1"),
        ("ip-10-1-1-7", "10.1.1.7"),
        ("other", "10.1.0.9"),
        ("a3", "10.1.0.4"),
    ]
    assert paired(pairs) == [
        ("ip-10-1-0-[1-2]", "10.1.0.[1-2]"),
        ("ip-10-1-1-7", "10.1.1.7"),
        ("a3", "10.1.0.4"),
        ("other", "10.1.0.9"),
    ]
