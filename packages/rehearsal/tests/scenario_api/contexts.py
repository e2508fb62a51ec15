"""A scenario context without a worker: its attributes are set by tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.scenario_api.context import ScenarioContext


def nodes(*names: str) -> list[dict[str, Any]]:
    """Descriptions of nodes as the worker has them."""
    return [
        {
            "name": name,
            "host": f"ip-10-0-0-{number}",
            "group": name.rpartition("-")[0],
            "address": f"10.0.0.{number}",
            "instance_id": f"i-{number}",
            "phase": "running",
        }
        for number, name in enumerate(names, 5)
    ]


def context(folder: Path, *names: str, spec: dict[str, Any] | None = None, **cluster: Any) -> Any:
    """A context of a cluster with groups `controller`, `login` and `workers`."""
    found: Any = ScenarioContext.__new__(ScenarioContext)
    found._scenario, found._promises, found._notes, found.results = "", {}, [], []
    found._machines, found._submitted = {}, 0
    found._clients, found._site, found.worker = Mock(), Mock(), Mock()
    rows = nodes(*(names or ("controller-1", "login-1", "workers-1", "workers-2")))
    found.worker.ask.side_effect = lambda do, **_: rows if do == "nodes" else None
    found.rows = rows
    groups = [
        SimpleNamespace(name=name, role=role)
        for name, role in (
            ("controller", "controller"),
            ("login", "login"),
            ("workers", "compute"),
        )
    ]
    found.cluster = SimpleNamespace(
        **{
            "environment": "prod",
            "compute": groups,
            "slurm": SimpleNamespace(configuration="managed", partitions=[]),
            "storage": SimpleNamespace(lustre=[SimpleNamespace(mount_path="/fsx")]),
            "resilience": SimpleNamespace(node_recovery="automatic"),
            "acceptance": SimpleNamespace(hold=False),
            "on_hyperpod": True,
            **cluster,
        }
    )
    found.spec, found._work, found.cdk = spec or {}, folder, Mock()
    return found


def answering(found: Any, answers: dict[str, str | tuple[int, str]]) -> list[str]:
    """Make every node answer commands by their beginning; return the commands."""
    from packages.rehearsal.tests.platforms.fake_machine import FakeMachine

    machine = FakeMachine(
        answers={
            start: answer if isinstance(answer, tuple) else (0, answer)
            for start, answer in answers.items()
        }
    )
    found.machine = lambda *_: machine
    return machine.commands


def pages(name: str, *rows: Sequence[Any]) -> Any:
    """A client whose paginator has these pages."""
    client = Mock()
    client.get_paginator.return_value.paginate.return_value = [{name: list(row)} for row in rows]
    return client


WORKER_NODES = [
    {"name": "workers-1", "host": "q-st-w-1", "instance_id": "i-1", "phase": "running"},
    {"name": "workers-2", "host": "q-st-w-2", "instance_id": "i-2", "phase": "failed"},
    {"name": "login-1", "host": "ip-10-0-0-3", "instance_id": "i-3", "phase": "scripts"},
]


def parallelcluster(tmp_path: Path) -> Any:
    """A context of ParallelCluster whose worker describes `WORKER_NODES`."""
    found: Any = ParallelClusterContext.__new__(ParallelClusterContext)
    found.results, found._notes = [], []
    found.worker = Mock(run=Run("r1", tmp_path))
    found.worker.ask.side_effect = lambda do, **_: WORKER_NODES if do == "nodes" else None
    found.cluster = SimpleNamespace(environment="prod")
    found._work = tmp_path
    return found
