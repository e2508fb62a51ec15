"""Silent data corruption."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import gemm

from tests.nodes.acceptance.fake_node import Node


def torch(node: Node, **answer: object) -> None:
    text = json.dumps({"wrong": {}, "products": 96, **answer})
    node.command("torch-python", f"[ \"$2\" = 'import torch' ] || echo '{text}'")


def test_exact_products_pass(node: Node) -> None:
    torch(node)
    found = node.look("gemm")
    assert (found.verdict, found.value, found.unit) == ("pass", 96.0, "products")


def test_single_wrong_sum_replaces_the_node(node: Node) -> None:
    torch(node, wrong={"3": 1, "5": 2})
    found = node.look("gemm")
    assert (found.verdict, found.action) == ("fail", "replace")
    assert found.reason == "GPU 3, 5: 3 wrong sums: silent corruption"


def test_no_product_is_no_pass(node: Node) -> None:
    torch(node, products=0)
    assert node.look("gemm").verdict == "fail"
    node.command("torch-python", "[ \"$2\" = 'import torch' ] || echo nothing")
    with pytest.raises(running.Unreadable):
        node.look("gemm")


def test_program_is_valid() -> None:
    compile(gemm.PROGRAM, "gemm", "exec")


def test_its_known_answer_is_right() -> None:
    """The identity that the program relies on: sums of a product from sums of its factors."""
    a, b = [[1, -1], [0, 1]], [[1, 1], [-1, 0]]
    product = [[sum(a[i][k] * b[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    rows = [sum(a[i][k] * sum(b[k]) for k in (0, 1)) for i in (0, 1)]
    columns = [sum((a[0][k] + a[1][k]) * b[k][j] for k in (0, 1)) for j in (0, 1)]
    assert rows == [sum(row) for row in product]
    assert columns == [product[0][j] + product[1][j] for j in (0, 1)]
