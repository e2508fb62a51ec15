"""Single values of a YAML text change; every other character stays."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.cluster_spec.problems import Path
from clusterwright.migration.layers import flattened, upper_layer
from clusterwright.migration.yaml_editor import Editor, flow
from tests.support.yaml_styles import Writer, comments

TEXT = """\
# The head.
name: test     # its name

# Above the list.
groups:
  # Above the first.
  - {name: a, count: 1, deep: {x: 1}}
  - name: b         # the second
    count: 2
    # Above more.
    more:
      one: 1
      two: [1, 2]
text: |
  # no comment
  lines
last: "4711"
"""


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        (("name",), "# The head.\nname: test     # its name\n"),
        (("groups", 0), "  # Above the first.\n  - {name: a, count: 1, deep: {x: 1}}\n"),
        (("groups", 0, "deep"), ", deep: {x: 1}"),
        (("groups", 0, "name"), "name: a, "),
        (("groups", 1, "count"), "    count: 2\n"),
        (
            ("groups", 1, "more"),
            "    # Above more.\n    more:\n      one: 1\n      two: [1, 2]\n",
        ),
        (("text",), "text: |\n  # no comment\n  lines\n"),
        (("last",), 'last: "4711"\n'),
    ],
)
def test_key_is_removed_with_the_comment_above_it(path: Path, gone: str) -> None:
    editor = Editor(TEXT)
    editor.delete(path)
    assert TEXT.count(gone) == 1
    assert editor.text == TEXT.replace(gone, "")


def test_dash_is_kept_when_the_first_key_is_removed() -> None:
    editor = Editor(TEXT)
    editor.delete(("groups", 1, "name"))
    assert "  - count: 2\n    # Above more.\n" in editor.text
    assert editor.get(("groups", 1)) == {"count": 2, "more": {"one": 1, "two": [1, 2]}}


@pytest.mark.parametrize("parent", ["a:\n  b: 1\n", "# Why b.\na: {b: 1}\n", "a: {b: {d: 1}}\n"])
def test_empty_parent_is_removed(parent: str) -> None:
    editor = Editor(f"{parent}c: 2\n")
    editor.delete(("a", "b", "d") if "d" in parent else ("a", "b"))
    assert editor.text == "c: 2\n"


@pytest.mark.parametrize(
    ("path", "value", "there"),
    [
        (("name",), "other", "name: other     # its name\n"),
        (("groups", 0, "count"), 5, "  - {name: a, count: 5, deep: {x: 1}}\n"),
        (("groups", 0, "extra"), {"y": [1]}, "deep: {x: 1}, extra: {y: [1]}}\n"),
        (("groups", 1, "extra"), "1.34", "      two: [1, 2]\n    extra: '1.34'\n"),
        (("groups", 1, "more"), {"z": 3}, "    more: {z: 3}\ntext: |\n"),
        (("groups", 2), {"name": "c"}, "      two: [1, 2]\n  - {name: c}\ntext: |\n"),
        (("new", "inside"), None, 'last: "4711"\nnew: {inside: null}\n'),
        (("groups", 1, "more", "three"), True, "      two: [1, 2]\n      three: true\n"),
    ],
)
def test_value_is_inserted_at_its_position(path: Path, value: Any, there: str) -> None:
    editor = Editor(TEXT)
    editor.put(path, value)
    assert editor.get(path) == value
    assert there in editor.text
    assert editor.text.count("#") == TEXT.count("#")


@pytest.mark.parametrize(
    "value",
    [None, True, 5, 1.5, "a", "yes", "4711", "a: b", "#", "", {"a": [1, {"b": "x, y"}]}, []],
)
def test_flow_style_value_is_replaced(value: Any) -> None:
    assert Editor(f"key: {flow(value)}\n").get(("key",)) == value


BASE = """\
region: us-east-1
platform: hyperpod-slurm

# The network.
network:
  cidr: 10.0.0.0/16
  egress: closed
slurm:
  configuration: managed
"""


def test_layers_are_merged_to_one_text_and_split_again() -> None:
    top = "environment: dev\nnetwork:\n  cidr: 10.8.0.0/16   # ours\n"
    whole = flattened(top, BASE)
    assert Editor(whole).data == {
        "environment": "dev",
        "network": {"cidr": "10.8.0.0/16", "egress": "closed"},
        "region": "us-east-1",
        "platform": "hyperpod-slurm",
        "slurm": {"configuration": "managed"},
    }
    assert Editor(upper_layer(whole, BASE)).data == Editor(top).data
    assert "# ours" in upper_layer(whole, BASE)


def test_key_removed_from_the_base_is_null_in_the_file() -> None:
    editor = Editor(flattened("environment: dev\n", BASE))
    editor.delete(("slurm",))
    editor.put(("platform",), "eks")
    assert Editor(upper_layer(editor.text, BASE)).data == {
        "environment": "dev",
        "platform": "eks",
        "slurm": None,
    }


def test_mapping_in_braces_at_the_root_is_edited_by_lines() -> None:
    text = "# the file\n{a: 1,  # one\n  b: {c: [1,\n 2]}, 'd': x}\n# end\n"
    editor = Editor(text)
    assert editor.data == {"a": 1, "b": {"c": [1, 2]}, "d": "x"}
    assert editor.text.startswith("# the file\na: 1\n# one\nb: {c: [1,")
    assert editor.text.endswith("# end\n")
    merged = flattened("{environment: x, tags: {a: b}}", "{region: r, tags: {c: d}, e: [1]}")
    assert Editor(merged).data == {
        "environment": "x",
        "tags": {"a": "b", "c": "d"},
        "region": "r",
        "e": [1],
    }


def test_entry_below_its_dash_is_deleted_whole() -> None:
    editor = Editor("a:\n  -\n    b: 1\n    c: 2\n  - b: 3\n")
    editor.delete(("a", 0))
    assert editor.text == "a:\n  - b: 3\n"


# --- every layout -----------------------------------------------------------------------------

NAMES = ["a", "b", "cc", "name", "x1", "z"]
SCALARS = st.sampled_from(
    [None, True, False, 0, 7, "word", "4711", "a # b", "it's", 'say "x"', "", "x: y", "[z"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3) | st.lists(inner, max_size=3)
    ),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, VALUES, st.integers(0, 10**9))
def test_edits_have_their_meaning_and_keep_comments_in_every_layout(
    data: dict[str, Any], value: Any, seed: int
) -> None:
    rng = random.Random(seed)
    text = Writer(rng).text(data)
    editor = Editor(text)
    assert editor.data == data
    assert comments(editor.text) == comments(text)
    for step in range(3):
        model = copy.deepcopy(editor.data)
        places = list(_places(model))
        if not places:
            return
        path = rng.choice(places)
        parent = _at(model, path[:-1])
        kind = rng.choice(["replace", "insert", "delete"])
        if kind == "delete":
            editor.delete(path)
            del parent[path[-1]]
            assert _without_empty(editor.data) == _without_empty(model), text
            continue
        if kind == "insert":
            path = (*path[:-1], len(parent) if isinstance(parent, list) else f"new{step}")
        before = comments(editor.text)
        editor.put(path, value)
        if isinstance(parent, list) and path[-1] == len(parent):
            parent.append(value)
        else:
            parent[path[-1]] = value
        assert editor.data == model, text
        assert comments(editor.text) == before, text


@pytest.mark.parametrize(
    ("text", "path", "after"),
    [
        ("b: {a: 1, # c\n  }\n", ("b", "n"), "b: {a: 1, n: 5, # c\n  }\n"),
        ("b: { # c\n  }\n", ("b", "n"), "b: {n: 5 # c\n  }\n"),
        ("b: [1, # c\n  ]\n", ("b", 1), "b: [1, 5, # c\n  ]\n"),
        ("a:\n  'b': # c\nd: 1\n", ("a", "b"), "a:\n  'b': 5 # c\nd: 1\n"),
        ("a: {b: [1, # c\n  2]}\n", ("a", "b"), "# c\na: {b: 5}\n"),
        ("a:\n  - # c\nb: 1\n", ("a", 0), "# c\na: [5]\nb: 1\n"),
    ],
)
def test_comments_in_brackets_and_empty_values_survive_a_change(
    text: str, path: Path, after: str
) -> None:
    editor = Editor(text)
    editor.put(path, 5)
    assert editor.text == after


def test_last_entry_is_removed_with_its_comma_and_not_its_neighbours_comment() -> None:
    editor = Editor("a: [1, # c1\n  # c2\n  2]\nb: {x: [ # c3\n  1]}\n")
    editor.delete(("a", 1))
    editor.delete(("b", "x", 0))
    assert editor.data == {"a": [1], "b": {"x": []}}
    assert comments(editor.text) == {"# c1", "# c2", "# c3"}


def test_comment_below_a_deleted_key_does_not_join_the_text_above() -> None:
    editor = Editor("cc: >-\n  its\na: 1\n  # c6\nz: 2\n")
    editor.delete(("a",))
    assert editor.data == {"cc": "its", "z": 2}
    assert comments(editor.text) == {"# c6"}


def _places(value: Any, here: Path = ()) -> Iterator[Path]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for part, below in pairs:
        yield (*here, part)
        if isinstance(below, dict | list):
            yield from _places(below, (*here, part))


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _without_empty(value: Any) -> Any:
    """Mappings and lists that have lost their last entry may be deleted with it."""
    if isinstance(value, dict):
        found = {k: _without_empty(v) for k, v in value.items()}
        return {k: v for k, v in found.items() if v not in ({}, [])}
    if isinstance(value, list):
        return [x for x in map(_without_empty, value) if x not in ({}, [])]
    return value
