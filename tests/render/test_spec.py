"""The resolved spec as YAML, which survives a round trip."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.cluster_spec.document import parse_document
from clusterwright.render.spec import leaves, spec_yaml, whole

AWKWARD = [
    *("", "yes", "true", "null", "~", "1", "1.5", "1e3", "0x1", "2027-01-31", "12:30", ".nan"),
    *("@a", "`a`", "%a", "!a", "&a", "*a", "|", ">", "'", '"', "\\", "{}", "[]", "?", "-", "="),
    *("a: b", "a #b", "- a", "a\nb", "a:", ":a", "\u2028", "\x85", "\ufeff", "\x00", "\x1b", "🚀"),
]
texts = st.text(max_size=30) | st.sampled_from(AWKWARD)
scalars = st.booleans() | st.integers(-(10**16), 10**16) | texts | st.floats(-1e300, 1e300)
data = st.dictionaries(
    texts,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=12,
    ),
    max_size=4,
)


@given(data)
def test_output_survives_a_round_trip(value: dict[str, Any]) -> None:
    if "<<" in str(value):
        return
    document = parse_document(spec_yaml(value), "f") if value else None
    assert document is None or document.problems == []
    assert (document.data if document else {}) == value


@given(data)
def test_origins_are_comments(value: dict[str, Any]) -> None:
    if "<<" in str(value) or not value:
        return
    origins = {path: "configs/a.yaml:1" for path, _ in leaves(value)}
    text = spec_yaml(value, origins)
    assert text.count("  # configs/a.yaml:1\n") == len(origins)
    assert parse_document(text, "f").data == value


def test_format_of_values() -> None:
    text = spec_yaml(
        {
            "b": [1, {"w": True, "x": "a b"}, [2], {}, []],
            "a": {"z": "10.0.0.0/16", "c": None},
            "on": "off",
            "e": {},
            "f": [],
            "g": 1.5,
        }
    )
    assert text == (
        "a:\n"
        "  c: null\n"
        '  z: "10.0.0.0/16"\n'
        "b:\n"
        "  - 1\n"
        "  - w: true\n"
        '    x: "a b"\n'
        "  -\n"
        "    - 2\n"
        "  - {}\n"
        "  - []\n"
        "e: {}\n"
        "f: []\n"
        "g: 1.5\n"
        '"on": "off"\n'
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2500000.0, 2500000),
        (1.5, 1.5),
        (1e300, 1e300),
        ({"a": [1.0, True, "1.0", None]}, {"a": [1, True, "1.0", None]}),
    ],
)
def test_integers_are_written_as_integers(value: Any, expected: Any) -> None:
    result = whole(value)
    assert result == expected
    assert repr(result) == repr(expected)


def test_leaves_are_values_and_empty_collections() -> None:
    value = {"b": [1, {"c": 2}], "a": {}, "d": []}
    assert list(leaves(value)) == [
        (("a",), {}),
        (("b", 0), 1),
        (("b", 1, "c"), 2),
        (("d",), []),
    ]
