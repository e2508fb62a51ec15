"""The step that installs the acceptance program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from clusterwright_acceptance.expected import FileSystem, SizedFloor, from_json

from tests.nodes.world import World

FILE = "etc/clusterwright/acceptance.json"
LIBRARY = "opt/clusterwright/lib"


@pytest.mark.parametrize("configuration", ["managed", "scripted", "parallelcluster"])
def test_a_compute_node_knows_what_it_should_be(
    world: Callable[..., World], configuration: str
) -> None:
    node = world("workers-1", configuration)
    assert node.run().statuses()["acceptance"] == "applied"
    found = from_json(json.loads((node.root / FILE).read_text()))
    assert (found.instance_type, found.kind, found.group) == ("p5.48xlarge", "nvidia", "workers")
    name = "train-st-workers-1" if configuration == "parallelcluster" else "ip-10-1-0-31"
    assert found.node == name
    assert found.efa
    assert found.lustre == (
        FileSystem(
            "/fsx", "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com", "abcdefgh", None, None
        ),
    )
    assert found.home_path == "/home"
    assert found.scratch_path is not None
    assert (found.floors, found.waivers, found.programs) == ({}, (), {})
    assert node.run().statuses()["acceptance"] == "unchanged"


@pytest.mark.parametrize(
    ("configuration", "name"),
    [
        *((one, "controller-1") for one in ("managed", "scripted", "parallelcluster")),
        ("pcs", "login-1"),
    ],
)
def test_the_node_that_takes_requests_has_the_program_that_carries_them_out(
    world: Callable[..., World], configuration: str, name: str
) -> None:
    node = world(name, configuration)
    node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    node.run()
    for package in ("clusterwright_state", "clusterwright_acceptance"):
        assert (node.root / LIBRARY / package / "__main__.py").exists()


def test_a_changed_group_changes_the_file(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    node.edit("cluster.json", lambda c: c["groups"][2].update(efa=False))
    assert node.run().statuses()["acceptance"] == "applied"
    assert json.loads((node.root / FILE).read_text())["efa"] is False


def test_the_installed_program_plans_by_the_nodes_type(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from clusterwright_common.probe import Probe\n"
            "from clusterwright_acceptance import program\n"
            "make = lambda seconds: Probe(root=sys.argv[1], deadline_seconds=seconds)\n"
            "sys.exit(program.main(['plan'], make))",
            str(node.root),
        ],
        env={"PYTHONPATH": str(node.root / LIBRARY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    checks = [row["id"] for row in json.loads(found.stdout)]
    assert "gpu-count" in checks
    assert "efa-devices" in checks
    assert "neuron-devices" not in checks


def test_the_controller_has_the_program_and_login_nodes_have_not(
    world: Callable[..., World],
) -> None:
    controller = world("controller-1")
    assert controller.run().statuses()["acceptance"] == "applied"
    assert (controller.root / LIBRARY / "clusterwright_acceptance/floors.json").is_file()
    assert not (controller.root / FILE).exists()
    assert world("login-1").run().statuses()["acceptance"] == "skipped"


def test_a_changed_program_is_replaced(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    (node.root / LIBRARY / "clusterwright_acceptance/floors.json").write_text("{}")
    assert node.run().statuses()["acceptance"] == "applied"


WAIVER = {
    "check": "nvlink",
    "reason": "the vendor replaces the cable",
    "expires": "2027-01-31",
    "nodes": ["ip-10-1-0-31"],
    "groups": [],
}
FLOOR = {
    "check": "nvlink-allreduce",
    "minimum": 440,
    "unit": "GB/s",
    "size_mib": None,
    "node_count": None,
    "groups": [],
}


def test_floors_and_waivers_of_the_nodes_group_are_in_the_file(
    world: Callable[..., World],
) -> None:
    section = {
        "level": "quick",
        "floors": [
            FLOOR,
            {**FLOOR, "check": "pairs", "groups": ["others"]},
            {**FLOOR, "check": "cluster-allreduce", "size_mib": 1024, "minimum": 200.5},
        ],
        "waivers": [WAIVER, {**WAIVER, "check": "clock", "groups": ["others"]}],
    }
    node = world("workers-1")
    node.run()
    node.edit("cluster.json", lambda c: c.update(acceptance=section))
    assert node.run().statuses()["acceptance"] == "applied"
    found = from_json(json.loads((node.root / FILE).read_text()))
    assert found.floors == {"nvlink-allreduce": 440.0}
    assert found.sized_floors == (SizedFloor("cluster-allreduce", 200.5, 1024, None),)
    (waiver,) = found.waivers
    assert waiver == {key: value for key, value in WAIVER.items() if key != "groups"}
