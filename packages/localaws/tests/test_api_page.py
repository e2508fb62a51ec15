"""The page of the API: operations, types, fixes and fields of worlds."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import api_page


def test_operations_are_listed_by_service_in_order() -> None:
    found = api_page.own_operations()
    assert "CreateCluster" in found["sagemaker"]
    assert list(found) == sorted(found)
    assert all(names == sorted(names) for names in found.values())


def test_the_page_has_its_sections_and_a_row_for_each_service() -> None:
    text = api_page.page()
    sections = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert sections == [
        "Operations that are Clusterwright's own",
        "Services that the stacks and commands call",
        "CloudFormation resource types",
        "Fixed bugs of moto",
        "What moto answers against AWS's model",
        "Warnings",
        "Fields of a world",
    ]
    for service in api_page.USED:
        assert f"\n| {service} | " in text


def test_tables_have_as_many_cells_as_their_head() -> None:
    width = 0
    for line in api_page.page().splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = line.replace("\\|", "").count("|")
        width = width or cells
        assert cells == width, line


def test_properties_that_a_type_does_not_support_are_named() -> None:
    from clusterwright_localaws.cloudformation.resource_types import registry

    found = api_page._unsupported("AWS::APS::Workspace", registry()["AWS::APS::Workspace"])
    assert "WorkspaceConfiguration" in found
    assert not found & {"Alias", "Arn", "WorkspaceId"}


@pytest.mark.parametrize(
    ("described", "more", "expected"),
    [
        ({"description": "One.\n\nMore."}, {}, "| `f` | – | One. |"),
        ({"description": "A | b", "default": 3}, {}, "| `f` | `3` | A \\| b |"),
        ({"default": {}}, {"required": True}, "| `f` | required |  |"),
        (
            {"description": "Mode", "enum": ["a", "b"], "default": "a"},
            {},
            '| `f` | `"a"` | Mode; one of `a`, `b` |',
        ),
        ({"description": "a or b", "enum": ["a", "b"]}, {}, "| `f` | – | a or b |"),
        ({"$ref": "#/$defs/X"}, {}, "| `f` | – | An X. |"),
    ],
)
def test_rows_of_fields(described: dict[str, Any], more: dict[str, Any], expected: str) -> None:
    schema = {"$defs": {"X": {"description": "An X."}}}
    assert api_page._field("f", described, schema, **more) == expected
