"""Names of Kubernetes objects."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clusterwright.platforms.kubernetes.objects import LONGEST_NAME, object_name
from tests.platforms.kubernetes import validator

NAMES = st.from_regex(r"[a-z](-?[a-z0-9]){0,20}", fullmatch=True)


@given(st.lists(st.text(alphabet="ab-AB_.", min_size=1, max_size=40), min_size=1, max_size=3))
def test_names_are_valid_and_unique(parts: list[str]) -> None:
    name = object_name("x", *parts)
    assert len(name) <= LONGEST_NAME
    assert validator.LABEL_NAME.fullmatch(name)


@given(
    st.lists(st.tuples(NAMES, NAMES), min_size=2, max_size=2, unique=True),
)
def test_joined_names_are_unambiguous(pairs: list[tuple[str, str]]) -> None:
    assert object_name(*pairs[0]) != object_name(*pairs[1])
