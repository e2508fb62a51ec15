"""JSON objects are read as dataclasses and written back."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from clusterwright_node import fields
from clusterwright_node.contract import ClusterFile, DeploymentFile
from clusterwright_node.fields import boolean, build, integer, number, read, texts, to_json
from clusterwright_node.parsing import JsonObject

from tests.nodes.world import input_files


@dataclass(frozen=True)
class Example:
    count: int | None = integer(1, 9, text="unknown")
    names: tuple[str, ...] = texts(default=())
    quiet: bool = boolean(default=False, omit=True)


def as_object(value: Any) -> JsonObject:
    return JsonObject(value, "example", [])


def test_record_survives_a_round_trip() -> None:
    files = input_files("managed")
    for kind, name in ((ClusterFile, "cluster.json"), (DeploymentFile, "deployment.json")):
        parsed = read(kind, as_object(files[name]))
        assert read(kind, as_object(to_json(parsed))) == parsed


def test_unknown_is_parsed_as_none_and_written_as_unknown() -> None:
    parsed = read(Example, as_object({"count": "unknown"}))
    assert parsed == Example(None, (), False)
    assert to_json(parsed)["count"] == "unknown"


def test_default_can_be_omitted() -> None:
    assert to_json(Example(1, (), False)) == {"count": 1, "names": []}
    assert to_json(Example(1, (), True)) == {"count": 1, "names": [], "quiet": True}


def test_attributes_of_the_same_name_are_copied() -> None:
    source = SimpleNamespace(count=3, names=["a"], quiet=True)
    assert build(Example, source, count=4) == Example(4, ("a",), True)


def test_every_problem_has_the_path_of_its_key() -> None:
    problems: list[str] = []
    value = {"count": 10, "names": [1], "quite": True}
    fields.read(Example, JsonObject(value, "example.json", problems, separator=": "))
    assert problems == [
        "example.json: count: 10 is not between 1 and 9",
        "example.json: names[0]: expected a string, found an integer",
        "example.json: quite: unknown key; did you mean quiet?",
    ]


@dataclass(frozen=True)
class Figure:
    minimum: float = number()


def test_a_number_is_above_zero() -> None:
    assert read(Figure, as_object({"minimum": 440})) == Figure(440.0)
    assert read(Figure, as_object({"minimum": 0.5})) == Figure(0.5)
    for value, problem in ((0, "0 is not above 0"), ("1", 'expected a number, found "1"')):
        problems: list[str] = []
        fields.read(Figure, JsonObject({"minimum": value}, "example", problems))
        assert problems == [f"example.minimum: {problem}"]
