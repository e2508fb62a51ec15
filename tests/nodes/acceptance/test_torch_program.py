"""Programs in the Python that has PyTorch."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running, torch_program

from tests.nodes.acceptance.fake_node import Node

PRINTS = "import sys, json; print('loading'); print(json.dumps({'gpus': sys.argv[1]}))"


def run(node: Node, source: str = PRINTS) -> dict[str, object]:
    return torch_program.run(node.probe(), node.expected, source, 10.0)


def python(node: Node, has_torch: bool = True) -> None:
    node.command(
        "torch-python",
        f"if [ \"$2\" = 'import torch' ]; then exit {0 if has_torch else 1}; fi\n"
        'exec python3 "$@"',
    )


def test_last_line_is_the_result(node: Node) -> None:
    python(node)
    assert run(node) == {"gpus": "8"}


def test_python_without_torch_is_missing(node: Node) -> None:
    with pytest.raises(running.Missing, match="torch-python is not on this node"):
        run(node)
    python(node, has_torch=False)
    with pytest.raises(running.Missing, match="torch-python has no PyTorch"):
        run(node)


@pytest.mark.parametrize("source", ["print(3)", "pass", "raise ValueError('x')"])
def test_other_output_is_unreadable(node: Node, source: str) -> None:
    python(node)
    with pytest.raises(running.Unreadable):
        run(node, source)
