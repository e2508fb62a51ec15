"""The parts that all JSON outputs have in common."""

from __future__ import annotations

import json

from clusterwright.cluster_spec.problems import Position, Problem
from clusterwright.json_output.base import problems_json

COUNT = Position("configs/prod.yaml", 22, 12, 2, "    count: 64")


def test_problem_path_is_text() -> None:
    problem = Problem("m", ("compute", 2, "count"), position=COUNT)
    output = json.loads(problems_json("check", (problem,)))
    assert output["exit_code"] == 3
    assert output["problems"] == [
        {
            "message": "m",
            "path": "compute[2].count",
            "file": "configs/prod.yaml",
            "line": 22,
            "column": 12,
            "note": None,
            "hint": None,
        }
    ]
