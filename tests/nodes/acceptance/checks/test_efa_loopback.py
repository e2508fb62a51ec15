"""Ping-pong over each EFA device."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import efa_loopback

from tests.nodes.acceptance.fake_node import Node

TABLE = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
64      10      =10      1.2k        0.00s      7.13       8.97       0.11
1k      10      =10      20k         0.00s     90.10      11.36       0.09"""


@pytest.fixture
def four(node: Node) -> Node:
    """Four devices; fi_pingpong moves the counters of the one it is asked for."""
    for number in range(4, 32):
        (node.root / f"sys/class/infiniband/rdmap{number}s0/device/vendor").unlink()
    pingpong(node)
    return node


def pingpong(node: Node, special: str = "true", output: str = TABLE) -> None:
    counters = f"{node.root}/sys/class/infiniband/$FI_EFA_DEVICE_NAME/ports/1/hw_counters"
    node.command(
        "fi_pingpong",
        f'{special}\n[ "$FI_EFA_ENABLE_SHM_TRANSFER" = 0 ] || exit 9\n'
        f'[ "$6" = "$FI_EFA_DEVICE_NAME-rdm" ] || exit 9\n'
        f'if [ "$7" = -B ]; then exec sleep 5; fi\n'
        f"echo 4096 > {counters}/tx_bytes\ncat <<'E'\n{output}\nE",
    )


def test_every_device_is_tried(four: Node) -> None:
    found = four.look("efa-loopback")
    assert (found.verdict, found.value, found.floor, found.unit) == ("pass", 4.0, 4.0, "devices")


def test_dead_device_is_named(four: Node) -> None:
    pingpong(
        four, '[ "$FI_EFA_DEVICE_NAME" = rdmap2s0 ] && { echo "fi_endpoint(): -12" >&2; exit 1; }'
    )
    found = four.look("efa-loopback")
    assert (found.verdict, found.value, found.action) == ("fail", 3.0, "reboot")
    assert found.reason == "rdmap2s0: fi_endpoint(): -12"


def test_success_without_traffic_is_a_failure(four: Node) -> None:
    pingpong(four, '[ "$FI_EFA_DEVICE_NAME" = rdmap1s0 ] && exec true')
    # The program succeeded, and printed nothing.
    assert four.look("efa-loopback").reason == "rdmap1s0: no result"
    four.command("fi_pingpong", f"[ \"$7\" = -B ] && exec sleep 5\ncat <<'E'\n{TABLE}\nE")
    assert four.look("efa-loopback").reason == (
        "rdmap0s0 sent nothing: the test did not use it (4 of 4)"
    )


def test_hanging_and_missing_programs(four: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efa_loopback, "SECONDS_PER_DEVICE", 0.5)
    four.hangs("fi_pingpong")
    with pytest.raises(running.Hung):
        four.look("efa-loopback")
    four.without("fi_pingpong")
    with pytest.raises(running.Missing):
        four.look("efa-loopback")


def test_node_without_devices_fails(node: Node) -> None:
    pingpong(node)
    for number in range(32):
        (node.root / f"sys/class/infiniband/rdmap{number}s0/device/vendor").unlink()
    assert node.look("efa-loopback").reason == "no EFA device is there"
    node.expect(efa=False)
    assert efa_loopback.applies(node.expected) == "the group has no EFA interfaces"
