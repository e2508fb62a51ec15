"""Requests to the worker process, without machines."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.testing import Runtime, World
from clusterwright_rehearsal import worker as module
from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.worker import Worker, _described, _RequestHandler, _wait


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    serving: Any = SimpleNamespace(runtime=Runtime(World()), url="http://localhost:1")
    found = Worker(Run("r1", tmp_path), tmp_path / "image", serving)
    found._vpc = Mock()
    return found


def node(name: str = "workers-1") -> Any:
    machine = Mock(leader=77)
    machine.name = "ip-10-0-0-5"
    machine.is_up.return_value = True
    order = SimpleNamespace(
        name=name, group_name="workers", address="10.0.0.5", instance_id="i-1", logical_id="l-1"
    )
    return SimpleNamespace(
        order=order,
        machine=machine,
        role="Compute",
        instance_type="p5.48xlarge",
        phase="running",
        timings={"boot": 1.0},
    )


@pytest.fixture
def with_node(worker: Worker) -> Any:
    found = node()
    worker._hyperpod._nodes["l-1"] = found
    return found


def test_nodes_are_described(worker: Worker, with_node: Any) -> None:
    assert worker.execute({"do": "nodes"}) == [
        {
            "name": "workers-1",
            "host": "ip-10-0-0-5",
            "group": "workers",
            "role": "Compute",
            "address": "10.0.0.5",
            "instance_id": "i-1",
            "instance_type": "p5.48xlarge",
            "up": True,
            "leader": 77,
            "phase": "running",
            "timings": {"boot": 1.0},
        }
    ]
    assert _described(with_node) == worker.do_nodes()[0]


@pytest.mark.parametrize("name", ["workers-1", "ip-10-0-0-5", "i-1"])
def test_a_node_is_lost_by_any_of_its_names(worker: Worker, with_node: Any, name: str) -> None:
    worker.execute({"do": "crash", "node": name})
    with_node.machine.crash.assert_called_once_with()


def test_a_node_is_isolated_and_reconnected(worker: Worker, with_node: Any) -> None:
    worker.execute({"do": "isolate", "node": "workers-1"})
    worker.execute({"do": "reconnect", "node": "workers-1"})
    network: Any = worker._vpc.network
    network.isolate.assert_called_once_with("ip-10-0-0-5")
    network.reconnect.assert_called_once_with("ip-10-0-0-5")


def test_faults_are_added_to_the_world_and_removed(worker: Worker) -> None:
    fault = {"service": "s3", "operation": "GetObject", "error": "AccessDenied"}
    worker.execute({"do": "fault", **fault})
    worker.execute({"do": "fault", **fault, "operation": "PutObject"})
    faults = worker._serving.runtime.world.faults
    assert [found.operation for found in faults] == ["GetObject", "PutObject"]
    worker.execute({"do": "clear_faults"})
    assert worker._serving.runtime.world.faults == []


def test_settings_reach_every_platform_that_has_them(worker: Worker) -> None:
    worker.execute({"do": "settings", "hold_scripts": True, "controller_s": 5.0})
    assert worker._settings.hold_scripts
    assert worker._pcluster_settings.hold_scripts
    assert worker._settings.controller_s == 5.0


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"do": "fly"}, "no operation fly"),
        ({"do": "crash", "node": "nobody"}, "no node nobody"),
        ({"do": "settings", "colour": 1}, "no setting colour"),
    ],
)
def test_unknown_names_are_refused(worker: Worker, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(LookupError, match=message):
        worker.execute(request_)


def test_databases_are_stopped_and_started(worker: Worker) -> None:
    worker.execute({"do": "databases", "up": False})
    worker.execute({"do": "databases", "up": True})
    databases: Any = worker._vpc.databases
    databases.stop.assert_called_once_with()
    databases.start.assert_called_once_with()


def test_events_are_lines_of_the_timeline(worker: Worker, tmp_path: Path) -> None:
    worker._record_event("booted", node().order, seconds=2.5)
    (line,) = worker._run.timeline.read_text().splitlines()
    found = json.loads(line)
    assert found.pop("time") > 1e9
    assert found == {
        "event": "booted",
        "node": "workers-1",
        "instance_id": "i-1",
        "seconds": 2.5,
    }


def test_requests_and_answers_are_lines(worker: Worker, with_node: Any) -> None:
    written: list[bytes] = []
    handler: Any = _RequestHandler.__new__(_RequestHandler)
    handler.server = SimpleNamespace(worker=worker)
    handler.rfile = [b'{"do": "clear_faults"}\n', b'{"do": "fly"}\n', b"{\n"]
    handler.wfile = SimpleNamespace(write=written.append)
    handler.handle()
    first, second, third = (json.loads(line) for line in written)
    assert first == {"ok": None}
    assert second == {"error": "LookupError: no operation fly"}
    assert third["error"].startswith("JSONDecodeError: ")


class TestWait:
    def wait(self, monkeypatch: pytest.MonkeyPatch, run: Run, *, ended: bool, stop: bool) -> bool:
        event = threading.Event()
        if stop:
            event.set()
        monkeypatch.setattr(module.select, "select", lambda *_: ([0] if ended else [], [], []))
        monkeypatch.setattr(module.os, "read", lambda *_: b"")
        monkeypatch.setattr(module.sys, "stdin", Mock())
        return _wait(event, run)

    def test_a_signal_ends_it(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert not self.wait(monkeypatch, Run("r1", tmp_path), ended=False, stop=True)

    def test_the_end_of_the_parent_abandons_the_run(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        assert self.wait(monkeypatch, Run("r1", tmp_path), ended=True, stop=False)
