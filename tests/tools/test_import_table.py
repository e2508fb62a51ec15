"""The contracts of the import table find every import that no row allows."""

from __future__ import annotations

import grimp
import pytest

from tools.import_table import OutsideContract, PackagesContract, parse_rows

_TABLE = ["spec:", "cost: spec", "render: cost.result", "cli: everything", "later: spec"]


def _graph(*imports: tuple[str, str]) -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    for module in (
        "product",
        "product.spec",
        "product.cost",
        "product.cost.result",
        "product.cost.sums",
    ):
        graph.add_module(module)
    for module in (
        "product.render",
        "product.cli",
        "product.spec.__main__",
        "beside",
        "beside.stack",
    ):
        graph.add_module(module)
    graph.add_module("outsider", is_squashed=True)
    for importer, imported in imports:
        graph.add_import(
            importer=importer, imported=imported, line_number=7, line_contents="import it"
        )
    return graph


def _broken_packages(graph: grimp.ImportGraph, rows: list[str]) -> list[tuple[str, str]]:
    contract = PackagesContract(
        name="packages",
        session_options={"root_packages": ["product"]},
        contract_options={"within": "product", "packages": rows},
    )
    check = contract.check(graph, verbose=False)
    broken = [(found.importer, found.imported) for found in check.metadata["broken"]]
    missing = [(f"product.{package}", "no row") for package in check.metadata["missing"]]
    assert check.kept == (not broken and not missing)
    return missing + broken


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("product.cost.sums", "product.spec"),
        ("product.cost.sums", "product.cost.result"),
        ("product.render", "product.cost.result"),
        ("product.cli", "product.render"),
        ("product.spec", "outsider"),
        ("product.spec", "product"),
        ("product.spec.__main__", "product.cli"),
    ],
)
def test_import_allowed_by_its_row_passes(importer: str, imported: str) -> None:
    assert _broken_packages(_graph((importer, imported)), _TABLE) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("product.spec", "product.cost.result"),
        ("product.render", "product.cost.sums"),
        ("product.cost.result", "product.cli"),
    ],
)
def test_import_not_allowed_by_its_row_is_found(importer: str, imported: str) -> None:
    assert _broken_packages(_graph((importer, imported)), _TABLE) == [(importer, imported)]


def test_package_without_a_row_is_an_error() -> None:
    rows = [row for row in _TABLE if not row.startswith("render")]
    assert _broken_packages(_graph(), rows) == [("product.render", "no row")]


def test_package_outside_the_product_can_have_a_row() -> None:
    rows = [*_TABLE, "beside: spec"]
    assert _broken_packages(_graph(("beside.stack", "product.spec")), rows) == []
    assert _broken_packages(_graph(("beside.stack", "product.cost")), rows) == [
        ("beside.stack", "product.cost")
    ]


@pytest.mark.parametrize(
    ("importer", "imported", "kept"),
    [
        ("product.cost.sums", "outsider", True),
        ("product.spec", "outsider", False),
        ("beside.stack", "beside", True),
        ("product.cli", "beside.stack", False),
    ],
)
def test_outside_package_is_imported_only_by_its_users(
    importer: str, imported: str, kept: bool
) -> None:
    contract = OutsideContract(
        name="outside",
        session_options={"root_packages": ["product"]},
        contract_options={"users": ["outsider: product.cost", "beside:", "absent:"]},
    )
    check = contract.check(_graph((importer, imported)), verbose=False)
    assert check.kept is kept
    assert [(found.importer, found.line) for found in check.metadata["broken"]] == (
        [] if kept else [(importer, 7)]
    )


def test_rows_are_read() -> None:
    assert parse_rows(["a:", "b: a", "c : a  b"]) == {"a": (), "b": ("a",), "c": ("a", "b")}
