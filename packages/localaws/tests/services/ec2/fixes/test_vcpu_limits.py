"""Tests of services.ec2.fixes.vcpu_limits."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import Site, amazon_image_id, build_site, client, refusal


class TestVcpuLimits:
    STANDARD = "ec2/L-1216C47A"  # Running On-Demand Standard instances
    STANDARD_SPOT = "ec2/L-34B43A08"

    def run(self, site: Site, count: int, **more: Any) -> None:
        image = amazon_image_id()
        client("ec2").run_instances(
            ImageId=image,
            MinCount=count,
            MaxCount=count,
            InstanceType="c5.18xlarge",
            SubnetId=site.subnet_id,
            **more,
        )

    def test_instances_beyond_the_quota_are_refused(self) -> None:
        with local_aws(quotas={self.STANDARD: 150}):
            site = build_site()
            self.run(site, 2)  # 144 vCPUs
            found, message = refusal(self.run, site=site, count=1)
            assert found == "VcpuLimitExceeded"
            assert "vCPU limit of 150" in message
            ids = [
                instance["InstanceId"]
                for reservation in client("ec2").describe_instances()["Reservations"]
                for instance in reservation["Instances"]
            ]
            client("ec2").terminate_instances(InstanceIds=ids)
            self.run(site, 1)

    def test_spot_has_a_separate_quota(self) -> None:
        with local_aws(quotas={self.STANDARD_SPOT: 71}):
            site = build_site()
            self.run(site, 1)
            found, _ = refusal(
                self.run, site=site, count=1, InstanceMarketOptions={"MarketType": "spot"}
            )
        assert found == "MaxSpotInstanceCountExceeded"
