"""The table of imports is held, in both directions."""

from __future__ import annotations

import grimp
import pytest

from tools.import_rooms import OutsideContract, RoomsContract, parse_rows

_TABLE = ["spec:", "cost: spec", "render: cost.result", "cli: everything", "later: spec"]


def _graph(*imports: tuple[str, str]) -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    for module in ("house", "house.spec", "house.cost", "house.cost.result", "house.cost.sums"):
        graph.add_module(module)
    for module in ("house.render", "house.cli", "house.spec.__main__", "beside", "beside.stack"):
        graph.add_module(module)
    graph.add_module("outsider", is_squashed=True)
    for importer, imported in imports:
        graph.add_import(
            importer=importer, imported=imported, line_number=7, line_contents="import it"
        )
    return graph


def _broken_rooms(graph: grimp.ImportGraph, rows: list[str]) -> list[tuple[str, str]]:
    contract = RoomsContract(
        name="rooms",
        session_options={"root_packages": ["house"]},
        contract_options={"within": "house", "rooms": rows},
    )
    check = contract.check(graph, verbose=False)
    broken = [(found.importer, found.imported) for found in check.metadata["broken"]]
    missing = [(f"house.{room}", "no row") for room in check.metadata["missing"]]
    assert check.kept == (not broken and not missing)
    return missing + broken


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("house.cost.sums", "house.spec"),
        ("house.cost.sums", "house.cost.result"),
        ("house.render", "house.cost.result"),
        ("house.cli", "house.render"),
        ("house.spec", "outsider"),
        ("house.spec", "house"),
        ("house.spec.__main__", "house.cli"),
    ],
)
def test_import_that_its_row_allows(importer: str, imported: str) -> None:
    assert _broken_rooms(_graph((importer, imported)), _TABLE) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("house.spec", "house.cost.result"),
        ("house.render", "house.cost.sums"),
        ("house.cost.result", "house.cli"),
    ],
)
def test_import_that_its_row_does_not_allow(importer: str, imported: str) -> None:
    assert _broken_rooms(_graph((importer, imported)), _TABLE) == [(importer, imported)]


def test_package_without_a_row_is_an_error() -> None:
    rows = [row for row in _TABLE if not row.startswith("render")]
    assert _broken_rooms(_graph(), rows) == [("house.render", "no row")]


def test_package_beside_the_rooms_may_have_a_row() -> None:
    rows = [*_TABLE, "beside: spec"]
    assert _broken_rooms(_graph(("beside.stack", "house.spec")), rows) == []
    assert _broken_rooms(_graph(("beside.stack", "house.cost")), rows) == [
        ("beside.stack", "house.cost")
    ]


@pytest.mark.parametrize(
    ("importer", "imported", "kept"),
    [
        ("house.cost.sums", "outsider", True),
        ("house.spec", "outsider", False),
        ("beside.stack", "beside", True),
        ("house.cli", "beside.stack", False),
    ],
)
def test_outside_package_is_imported_only_by_its_users(
    importer: str, imported: str, kept: bool
) -> None:
    contract = OutsideContract(
        name="outside",
        session_options={"root_packages": ["house"]},
        contract_options={"users": ["outsider: house.cost", "beside:", "absent:"]},
    )
    check = contract.check(_graph((importer, imported)), verbose=False)
    assert check.kept is kept
    assert [(found.importer, found.line) for found in check.metadata["broken"]] == (
        [] if kept else [(importer, 7)]
    )


def test_rows_are_read() -> None:
    assert parse_rows(["a:", "b: a", "c : a  b"]) == {"a": (), "b": ("a",), "c": ("a", "b")}
