"""Single values of a YAML text change; every other character stays."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.problems import Path
from clusterwright.migration.layers import flattened, upper_layer
from clusterwright.migration.yaml_editor import Editor, flow

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


def test_empty_parent_is_removed() -> None:
    editor = Editor("a:\n  b: 1\nc: 2\n")
    editor.delete(("a", "b"))
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
