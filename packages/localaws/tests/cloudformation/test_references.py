"""References in templates: the edges of the dependency graph."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.references import (
    Reference,
    references,
    split_attribute,
    sub_tokens,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "A"}, [("ref", "A", None)]),
        ({"Fn::GetAtt": ["A", "Endpoint", "Port"]}, [("attribute", "A", "Endpoint.Port")]),
        ({"Fn::GetAtt": "A.Arn"}, [("attribute", "A", "Arn")]),
        (
            {"Fn::GetAtt": ["A", {"Ref": "P"}]},
            [("attribute", "A", None), ("ref", "P", None)],
        ),
        (
            {"Fn::If": ["C", {"Ref": "A"}, {"Ref": "B"}]},
            [("if", "C", None), ("ref", "A", None), ("ref", "B", None)],
        ),
        ({"Condition": "C"}, [("condition", "C", None)]),
        (
            {"Fn::FindInMap": ["M", {"Ref": "P"}, "x"]},
            [("mapping", "M", None), ("ref", "P", None)],
        ),
        ({"Fn::ImportValue": "export"}, [("import", "export", None)]),
        (
            {"Fn::Sub": "${A}-${B.Arn}-${!Literal}-${AWS::Region}"},
            [("ref", "A", None), ("attribute", "B", "Arn"), ("ref", "AWS::Region", None)],
        ),
        (
            {"Fn::Sub": ["${A}-${V}", {"V": {"Ref": "B"}}]},
            [("ref", "B", None), ("ref", "A", None)],
        ),
        (
            {"Fn::Join": ["", [{"Ref": "A"}, {"Ref": "B"}]]},
            [("ref", "A", None), ("ref", "B", None)],
        ),
        ({"Ref": "A", "Other": {"Ref": "B"}}, [("ref", "B", None)]),
        ({"Ref": 1}, []),
        ("text", []),
    ],
)
def test_references(value: Any, expected: list[tuple[str, str, str | None]]) -> None:
    assert list(references(value)) == [Reference(*each) for each in expected]


def test_names_in_a_substituted_text() -> None:
    assert sub_tokens("${ A }${!B}$C{D}${}") == ["A"]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("A.B.C", ("A", "B.C")),
        (["A", "B", "C"], ("A", "B.C")),
        (["A", {"Ref": "P"}], ("A", {"Ref": "P"})),
        (["A"], ("", None)),
        (None, ("", None)),
    ],
)
def test_both_forms_of_an_attribute(argument: Any, expected: tuple[str, Any]) -> None:
    assert split_attribute(argument) == expected
