"""Tests of efa."""

from __future__ import annotations

from clusterwright_metrics.sources import efa

from tests.nodes.metrics.fake_node import (
    Machine,
    at,
)


def test_efa_counters_are_read_from_sysfs(machine: Machine) -> None:
    for number in range(2):
        folder = f"/sys/class/infiniband/rdmap{number}s0"
        machine.file(f"{folder}/device/vendor", "0x1d0f\n")
        machine.file(f"{folder}/ports/1/state", "4: ACTIVE\n" if number else "1: DOWN\n")
        machine.file(f"{folder}/ports/1/hw_counters/rdma_read_bytes", "4096\n")
        machine.file(f"{folder}/ports/1/hw_counters/lifespan", "12\n")
        machine.file(f"{folder}/ports/1/hw_counters/some-new.counter", "5\n")
    machine.file("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n")
    found = machine.samples(efa)
    assert at(found, "efa_device_count") == 2
    assert at(found, "efa_port_active", device="rdmap0s0", port="1") == 0
    assert at(found, "efa_port_active", device="rdmap1s0", port="1") == 1
    assert at(found, "efa_rdma_read_bytes_total", device="rdmap1s0", port="1") == 4096
    assert at(found, "efa_some_new_counter_total", device="rdmap1s0", port="1") == 5
    assert not any("lifespan" in name or "mlx5" in str(labels) for name, labels in found)
