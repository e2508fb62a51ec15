"""Instance-store disks."""

from __future__ import annotations

from clusterwright_acceptance.checks import nvme_disks

from tests.nodes.acceptance.fake_node import Node


def test_the_types_disks_pass_and_ebs_is_not_counted(node: Node) -> None:
    node.write("/sys/class/nvme/nvme0/model", "Amazon Elastic Block Store\n")
    found = node.look("nvme-disks")
    assert (found.verdict, found.value) == ("pass", 8.0)


def test_missing_and_small_disks_fail(node: Node) -> None:
    node.disk(8, gb=1900)
    assert node.look("nvme-disks").reason == "nvme8 has 1900 GB, the type's disks 3800"
    node.write("/sys/class/nvme/nvme8/model", "unreadable")
    assert node.look("nvme-disks").reason == "7 instance-store disks, p5.48xlarge has 8"


def test_types_without_disks_are_left_out(node: Node) -> None:
    assert nvme_disks.applies(node.expected) is None
    node.expect(instance_type="m5.8xlarge")
    assert nvme_disks.applies(node.expected) == "the type has no instance store"
    node.expect(instance_type="p99.48xlarge")
    assert node.look("nvme-disks").verdict == "unknown"
