"""LNet's interfaces over EFA."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from clusterwright_node import lnet
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.lnet import Interface

from tests.nodes.stub_node import stub_node

SHOW = "lnetctl net show"
NET = """\
net:
    - net type: efa
      local NI(s):
        - nid: 10.1.0.4@efa
          status: up
          interfaces:
              0: rdmap79s0
          statistics:
              send_count: 12
              recv_count: 34
              drop_count: 0
          sent_stats:
              put: 1
        - nid: 10.1.0.5@efa
          statistics:
              send_count: 0
              recv_count: 0
"""


def node_with(count: int, instance_type: str = "m5.large") -> SimpleNamespace:
    files = {
        f"/sys/class/infiniband/rdmap{number}s0/device/vendor": "0x1d0f\n"
        for number in range(count)
    }
    files["/sys/class/infiniband/mlx5_0/device/vendor"] = "0x15b3\n"
    group = SimpleNamespace(name="workers", instance_type=instance_type)
    found: SimpleNamespace = stub_node({}, files, group=group)
    return found


def test_devices_are_sorted_by_number() -> None:
    found = lnet.efa_devices(node_with(12))  # type: ignore[arg-type]
    assert found == [f"rdmap{number}s0" for number in range(12)]


@pytest.mark.parametrize(
    ("count", "instance_type", "numbers"),
    [
        (32, "p5.48xlarge", [0, 4, 8, 12, 16, 20, 24, 28]),
        (16, "p5en.48xlarge", [0, 15]),
        (1, "g6.8xlarge", [0]),
    ],
)
def test_devices_that_lnet_uses(count: int, instance_type: str, numbers: list[int]) -> None:
    node = node_with(count, instance_type)
    wanted = lnet.wanted_devices(node)  # type: ignore[arg-type]
    assert wanted == [f"rdmap{number}s0" for number in numbers]


def test_a_machine_without_efa() -> None:
    with pytest.raises(StepError, match="this machine has no EFA device, but group workers"):
        lnet.wanted_devices(node_with(0))  # type: ignore[arg-type]


def test_interfaces_and_their_counters() -> None:
    assert lnet.efa_interfaces(stub_node({SHOW: NET})) == [
        Interface("10.1.0.4@efa", ("rdmap79s0",), "up", 12, 34),
        Interface("10.1.0.5@efa", (), "unknown", 0, 0),
    ]


@pytest.mark.parametrize("said", ["No such network", "errno: -2", "net not found"])
def test_a_network_that_does_not_exist(said: str) -> None:
    assert lnet.efa_interfaces(stub_node({SHOW: (1, said)})) == []


def test_another_failure_is_an_error() -> None:
    with pytest.raises(CommandError, match="module not loaded"):
        lnet.efa_interfaces(stub_node({SHOW: (1, "module not loaded")}))


def test_a_missing_counter_is_not_zero() -> None:
    with pytest.raises(StepError, match=r"lnetctl shows no recv_count for 10.1.0.4@efa"):
        lnet.parse_interfaces(NET.replace("recv_count: 34", "recv: 34"))
