"""Tests of services.ec2.fixes.cpu_options."""

from __future__ import annotations

from packages.localaws.tests.parts import Site, amazon_image_id, client


def test_instance_has_the_cpu_options_of_its_type(site: Site) -> None:
    """`clusterwright check` counts the running vCPUs."""
    image = amazon_image_id()
    client("ec2").run_instances(
        ImageId=image, InstanceType="m5.2xlarge", MinCount=2, MaxCount=2, SubnetId=site.subnet_id
    )
    found = client("ec2").describe_instances()["Reservations"][0]["Instances"]
    assert [item["CpuOptions"] for item in found] == [{"CoreCount": 4, "ThreadsPerCore": 2}] * 2
