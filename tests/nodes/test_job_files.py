"""The job files of the deployment are read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from clusterwright_node import job_files
from clusterwright_node.errors import StepError
from clusterwright_node.node import Node


def _node(folder: Path, role: str = "login") -> Node:
    inputs, group = SimpleNamespace(folder=str(folder)), SimpleNamespace(role=role)
    return cast("Node", SimpleNamespace(inputs=inputs, group=group))


def _written(folder: Path, found: Any) -> Node:
    text = found if isinstance(found, str) else json.dumps(found)
    (folder / job_files.INPUT).write_text(text)
    return _node(folder)


def test_texts_are_read_by_name(tmp_path: Path) -> None:
    texts = {"fsdp2.sbatch": "#!/bin/bash\n", "prepare_data-2.py": ""}
    assert job_files.rendered(_written(tmp_path, texts)) == texts


@pytest.mark.parametrize(("role", "expected"), [("login", True), ("compute", False)])
def test_nodes_for_submission_have_them(tmp_path: Path, role: str, expected: bool) -> None:
    assert not job_files.are_here(_node(tmp_path, role))
    _written(tmp_path, {"fsdp2.sbatch": "#!/bin/bash\n"})
    assert job_files.are_here(_node(tmp_path, role)) is expected


@pytest.mark.parametrize(
    "found",
    ["{", [], {"../authorized_keys": "x"}, {".profile": "x"}, {"a b": "x"}, {"job": 1}],
    ids=["no-json", "list", "path", "hidden", "space", "no-text"],
)
def test_anything_else_is_refused(tmp_path: Path, found: Any) -> None:
    with pytest.raises(StepError):
        job_files.rendered(_written(tmp_path, found))
