"""The step that verifies data transfers over EFA."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterwright_node.errors import StepError
from clusterwright_node.lnet import Interface, parse_interfaces
from clusterwright_node.steps.efa_transport import compare

from tests.nodes.world import World

TEXT = """net:
    - net type: efa
      local NI(s):
        - nid: 10.1.0.31@efa
          status: up
          interfaces:
              0: rdmap79s0
          statistics:
              send_count: 1200
              recv_count: 1300
              drop_count: 0
          tunables:
              peer_timeout: 180
              send_count: 99
          lnd tunables:
              conns_per_peer: 1
          dev cpt: 0
          CPT: "[0,1]"
        - nid: 10.1.0.31@efa1
          status: down
          interfaces:
              0: rdmap83s0
          statistics:
              send_count: 0
              recv_count: 0
              drop_count: 0
"""


def interface(nid: str, sent: int, received: int, status: str = "up") -> Interface:
    return Interface(nid, (nid,), status, sent, received)


def test_counters_of_every_interface_are_read() -> None:
    assert parse_interfaces(TEXT) == [
        Interface("10.1.0.31@efa", ("rdmap79s0",), "up", 1200, 1300),
        Interface("10.1.0.31@efa1", ("rdmap83s0",), "down", 0, 0),
    ]


@pytest.mark.parametrize("gone", ["send_count: 1200", "recv_count: 0"])
def test_interface_without_a_counter_is_an_error(gone: str) -> None:
    with pytest.raises(StepError, match=r"lnetctl shows no (send|recv)_count"):
        parse_interfaces(TEXT.replace(gone, "other: 1", 1))


def test_invalid_counter_is_an_error() -> None:
    with pytest.raises(StepError, match="send_count"):
        parse_interfaces(TEXT.replace("send_count: 1200", "send_count: many"))


def test_empty_output_has_no_interfaces() -> None:
    assert parse_interfaces("") == []


def test_traffic_on_several_interfaces_passes(world: Callable[..., World]) -> None:
    node = world("workers-1")
    run = node.run()
    assert run.statuses()["efa_transport"] == "applied"
    said = next(text for text in run.notices() if "uses EFA" in text)
    assert said == "/fsx uses EFA: 256 messages out and 256 in over 2 interfaces"
    assert (node.root / "run/clusterwright/efa-transport-fsx").exists()
    left = [path for path in (node.root / "fsx").rglob("*") if path.is_file()]
    assert left == [], "the test file is removed"


def test_unchanged_counters_fail(world: Callable[..., World]) -> None:
    """The defect of public scripts: two interfaces, no traffic, success."""
    node = world("workers-1", efa_moves=[0])
    run = node.run()
    assert run.code == 1
    assert (
        "data to and from /fsx does not use EFA: 64 MiB each way moved 0 messages out and 0 in"
        " over 2 EFA interfaces" in run.last
    )
    assert "security groups" in run.last
    assert not (node.root / "run/clusterwright/efa-transport-fsx").exists()


def test_pings_are_not_data(world: Callable[..., World]) -> None:
    assert world("workers-1", efa_moves=[0, 1]).run().code == 1


def test_unused_interface_is_reported(
    world: Callable[..., World],
) -> None:
    run = world("workers-1", efa_moves=[64, 0]).run()
    assert run.code == 0
    assert any("nothing over 10.1.0.31@efa1" in text for text in run.notices())


def test_interface_that_is_down_fails(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    lnet = node.state["lnet"]
    next(iter(lnet.values()))["status"] = "down"
    node.change(lnet=lnet)
    run = node.run()
    assert run.code == 1
    assert "EFA interfaces of LNet are not up: 10.1.0.31@efa is down" in run.last


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([interface("a", 0, 0)], [], "no EFA network"),
        ([interface("a", 0, 0)], [interface("b", 99, 99)], "changed during the test"),
        ([interface("a", 50, 50)], [interface("a", 49, 99)], "decreased during the test"),
        ([interface("a", 0, 0)], [interface("a", 99, 0)], "does not use EFA"),
        ([interface("a", 0, 0)], [interface("a", 0, 99)], "does not use EFA"),
        ([interface("a", 0, 0)], [interface("a", 99, 99, "down")], "are not up: a is down"),
    ],
)
def test_unexpected_output_is_not_a_success(
    before: list[Interface], after: list[Interface], said: str
) -> None:
    with pytest.raises(StepError, match=said):
        compare(before, after, "/fsx")


def test_nodes_without_efa_are_skipped(world: Callable[..., World]) -> None:
    assert world("controller-1").run().statuses()["efa_transport"] == "skipped"
