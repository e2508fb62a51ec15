"""moto omits the monitoring state of a spot request that does not set it.

`Monitoring.Enabled` is required in the answer, and `false` where the request does not set it:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstancesMonitoringEnabled.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: RequestSpotInstances and RequestSpotFleet return `Monitoring.Enabled` of every request"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
launch = {"ImageId": image, "InstanceType": "m5.large"}
ec2.request_spot_instances(SpotPrice="1", LaunchSpecification=launch)
(request,) = ec2.describe_spot_instance_requests()["SpotInstanceRequests"]
assert request["LaunchSpecification"]["Monitoring"]["Enabled"] is False
"""


def apply() -> None:
    from moto.ec2.models.spot_requests import LaunchSpecification, SpotFleetLaunchSpec

    def monitoring(self: Any) -> dict[str, bool]:
        # moto passes the whole member where the request is of a fleet.
        wanted = self.monitored
        return {"Enabled": bool(wanted["Enabled"] if isinstance(wanted, dict) else wanted)}

    def fleet_monitoring(self: Any) -> dict[str, bool]:
        return {"Enabled": bool(self.monitoring_enabled)}

    LaunchSpecification.monitoring = property(monitoring)  # type: ignore[assignment]
    SpotFleetLaunchSpec.monitoring = property(fleet_monitoring)  # type: ignore[assignment]
