"""HyperPod's service: orders, failures and lost nodes, without machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.drivers import LIFECYCLE_FAILED
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.hyperpod import driver as module
from clusterwright_rehearsal.platforms.hyperpod.driver import HyperPod, Settings, _instance
from clusterwright_rehearsal.platforms.hyperpod.node import HyperPodNode, LifecycleFailed
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.hyperpod.orders import member, order, specification


class Service(HyperPod):
    """HyperPod whose nodes come up at once, and whose timeline is a list."""

    def __init__(self, **settings: Any) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.vpc: Any = Mock(folder=Path("/run"))
        self.vpc.machine.side_effect = lambda host, *_: FakeMachine(host)
        super().__init__(
            Mock(),
            "http://localhost:1",
            self.vpc,
            Settings(**settings),
            lambda event, order, **more: self.events.append((event, more)),
        )
        self.problem: Exception | None = None

    def _account(self, order: Any) -> Any:
        return Mock()

    def _bring_up(self, node: HyperPodNode) -> None:
        if self.problem is not None:
            raise self.problem

    def add(self, number: int = 5, **more: Any) -> HyperPodNode:
        machine: Any = FakeMachine(f"ip-10-0-0-{number}")
        found = HyperPodNode(machine, order(number, **more), Path("/run"))
        self._nodes[found.order.logical_id] = found
        return found

    @property
    def names(self) -> list[str]:
        return [event for event, _ in self.events]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setattr(module, "members", lambda *_: [])
    return Service()


def test_a_created_node_is_reported_as_running(service: Service) -> None:
    one = order()
    service._execute(one, service._create)
    one.report.running.assert_called_once_with()
    assert service.names == ["created", "running"]
    assert [node.machine.name for node in service.nodes()] == ["ip-10-0-0-5"]


@pytest.mark.parametrize("name", ["workers-5", "ip-10-0-0-5", "i-5"])
def test_a_node_is_found_by_each_of_its_names(service: Service, name: str) -> None:
    found = service.add()
    assert service.node(name) is found
    assert service.node("workers-9") is None


class TestFailures:
    @pytest.mark.parametrize(
        ("problem", "text"),
        [
            (LifecycleFailed("as it is"), "as it is"),
            (RehearsalError("no disk"), f"{LIFECYCLE_FAILED} no disk"),
            (OSError("full"), f"{LIFECYCLE_FAILED} full"),
        ],
    )
    def test_are_reported_in_hyperpods_words(
        self, service: Service, problem: Exception, text: str
    ) -> None:
        service.problem, one = problem, order()
        service._execute(one, service._create)
        one.report.failed.assert_called_once_with(text)
        one.report.running.assert_not_called()
        assert service.nodes()[0].phase == "failed"
        assert service.names[-1] == "failed"

    def test_an_internal_error_is_named(self, service: Service) -> None:
        service.problem, one = KeyError("x"), order()
        service._execute(one, service._create)
        one.report.failed.assert_called_once_with("the rehearsal failed: KeyError: 'x'")

    def test_of_a_removed_node_is_not_reported(self, service: Service) -> None:
        service.problem, one = RehearsalError("gone"), order()
        service._execute(one, lambda _: service._bring_up(Mock()))
        one.report.failed.assert_not_called()


def test_a_replacement_has_an_empty_disk_and_the_same_machine(service: Service) -> None:
    old = service.add()
    fresh = order(5, action="replace", instance_id="i-9")
    service._execute(fresh, service._replace)
    assert old.machine.events == ["crash", "wipe"]  # type: ignore[attr-defined]
    (node,) = service.nodes()
    assert (node.machine, node.order.instance_id) == (old.machine, "i-9")
    assert service.names == ["replaced", "running"]


def test_a_reboot_keeps_the_node(service: Service) -> None:
    old = service.add()
    service._execute(old.order, service._reboot)
    assert old.machine.events[:2] == ["stop", "boot"]  # type: ignore[attr-defined]
    assert service.nodes() == [old]


def test_a_deleted_node_is_gone(service: Service) -> None:
    old = service.add()
    service._delete(old.order)
    assert old.machine.events == ["remove"]  # type: ignore[attr-defined]
    old.order.report.gone.assert_called_once_with()
    service.vpc.metadata.remove.assert_called_once_with("10.0.0.5")
    assert service.nodes() == []


def test_closing_removes_every_machine(service: Service) -> None:
    nodes = [service.add(5), service.add(6)]
    service.close()
    assert service.closing
    assert [node.machine.events for node in nodes] == [["remove"]] * 2  # type: ignore[attr-defined]


class TestOver:
    def test_a_node_that_was_stopped_or_replaced_is_over(self, service: Service) -> None:
        node = service.add()
        assert not service._is_over(node)
        service._stopping.add("l-5")
        assert service._is_over(node)
        service._stopping.clear()
        service.add()
        assert service._is_over(node)


class TestContainers:
    def service(self, text: str | None) -> bool:
        service = Service()
        files = {} if text is None else {"cluster.json": text.encode()}
        service._scripts = Mock()
        service._scripts.fetch.return_value = files
        config = {"SourceS3Uri": "s3://b/v1"}
        return service._image_has_containers(order(), config)

    @pytest.mark.parametrize(
        ("containers", "expected"),
        [
            ({"pyxis": True}, True),
            ({"pyxis": True, "install": "image"}, True),
            ({"pyxis": True, "install": "mirrored"}, False),
            ({"pyxis": False}, False),
        ],
    )
    def test_by_cluster_json(self, containers: dict[str, Any], expected: bool) -> None:
        assert self.service(json.dumps({"containers": containers})) is expected

    @pytest.mark.parametrize("text", [None, "{", "{}", '{"containers": null}'])
    def test_what_cannot_be_read_has_none(self, text: str | None) -> None:
        assert self.service(text) is False


def test_the_controller_knows_the_roles_of_the_request(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "members", lambda *_: [member(5, "controller"), member(6)])
    found = service._controller(order())
    assert (found.role("controller"), found.role("workers")) == ("Controller", "Compute")
    assert service._controller(order(6)) is found


def test_a_database_of_the_orchestrator(service: Service) -> None:
    assert service._database(order()) is None
    config = {"Endpoint": "db", "SecretArn": "s"}
    request = {"Orchestrator": {"Slurm": {"AccountingDatabase": config}}}
    service._database(order(request=request))
    assert service.vpc.database.call_args.args[1:] == (config, specification())


@pytest.mark.parametrize(
    ("region", "domain"),
    [("us-east-1", "ec2.internal"), ("eu-west-1", "eu-west-1.compute.internal")],
)
def test_the_instance_in_the_metadata_service(region: str, domain: str) -> None:
    found = _instance(order(region=region), "ip-10-0-0-5")
    assert found.host_name == f"ip-10-0-0-5.{domain}"
    assert (found.instance_type, found.image_id) == ("p5.48xlarge", "ami-00000000000000000")


class TestMarkedNodes:
    LIST = "sinfo --all"

    def controller(self, service: Service, listing: str, code: int = 0) -> HyperPodNode:
        found = service.add(9, group="controller")
        found.machine.answers[self.LIST] = (code, listing)  # type: ignore[attr-defined]
        return found

    def test_marked_node_is_recovered_once_and_resumed(self, service: Service) -> None:
        node = service.add(5)
        controller = self.controller(service, "ip-10-0-0-5|drained|Action:Replace|\n")
        for _ in range(2):
            service.recover_marked_once(controller)
        node.order.report.recover.assert_called_once_with("replace")  # type: ignore[attr-defined]
        service._execute(order(5, action="replace", instance_id="i-9"), service._replace)
        commands = controller.machine.commands  # type: ignore[attr-defined]
        assert commands[-1] == "scontrol update nodename=ip-10-0-0-5 state=resume"
        service.recover_marked_once(controller)
        service.nodes()[0].order.report.recover.assert_called_once_with("replace")  # type: ignore[attr-defined]

    def test_node_that_is_not_recovered_is_asked_for_again(self, service: Service) -> None:
        node = service.add(5)
        node.order.report.recover.return_value = False  # type: ignore[attr-defined]
        controller = self.controller(service, "ip-10-0-0-5|drained|Action:Reboot|\n")
        for _ in range(2):
            service.recover_marked_once(controller)
        assert node.order.report.recover.call_count == 2  # type: ignore[attr-defined]

    def test_slurm_that_does_not_answer_is_asked_later(self, service: Service) -> None:
        service.add(5)
        controller = self.controller(service, "ip-10-0-0-5|drained|Action:Reboot|\n", code=1)
        service.recover_marked_once(controller)
        assert service._marked == {}


class TestHealthChecks:
    def checked(self, service: Service, jobs: list[bool]) -> list[str]:
        done: list[str] = []
        controller = Mock()
        controller.reserve.side_effect = lambda host: done.append(f"reserve {host}")
        controller.release.side_effect = lambda host: done.append(f"release {host}")
        controller.has_job.side_effect = lambda _: jobs.pop(0) if len(jobs) > 1 else jobs[0]
        service._controllers[order().cluster_arn] = controller
        one = order(action="check_health")
        service._execute(one, service._check_health)
        one.report.running.assert_called_once_with()
        return done

    def test_node_is_reserved_while_it_is_checked(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        slept: list[float] = []
        monkeypatch.setattr(module.time, "sleep", slept.append)
        assert self.checked(service, [True, True, False]) == [
            "reserve ip-10-0-0-5",
            "release ip-10-0-0-5",
        ]
        assert slept == [0.5, 0.5, Settings.health_check_s]

    def test_node_with_a_long_job_is_skipped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "members", lambda *_: [])
        slept: list[float] = []
        monkeypatch.setattr(module.time, "sleep", slept.append)
        service = Service(health_check_wait_s=0.0)
        assert self.checked(service, [True])[-1] == "release ip-10-0-0-5"
        assert slept == []
