"""RunInstances and StartInstances of moto with zones, images and reservations."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

P5, ZONE_ID = "p5.48xlarge", "use1-az6"
LINUX = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"


def run(**more: Any) -> list[dict[str, Any]]:
    request = {"ImageId": "ami-12c6146b", "InstanceType": "m5.large", "MinCount": 1, "MaxCount": 1}
    return list(client("ec2").run_instances(**{**request, **more})["Instances"])


def refused(**more: Any) -> tuple[str, str]:
    return refusal(lambda **_: run(**more))


@pytest.mark.usefixtures("local")
class TestImages:
    def test_an_image_by_its_parameter(self) -> None:
        (found,) = run(ImageId=f"resolve:ssm:{LINUX}")
        named = client("ssm").get_parameter(Name=LINUX)["Parameter"]["Value"]
        assert found["ImageId"] == named

    def test_a_missing_parameter_is_refused(self) -> None:
        assert refused(ImageId="resolve:ssm:/none") == (
            "InvalidParameterValue",
            "The parameter '/none' of the image does not exist.",
        )

    def test_the_image_of_a_launch_template(self) -> None:
        ec2 = client("ec2")
        ec2.create_launch_template(
            LaunchTemplateName="template",
            LaunchTemplateData={
                "ImageId": f"resolve:ssm:{LINUX}",
                "InstanceType": "m5.xlarge",
            },
        )
        (found,) = ec2.run_instances(
            MinCount=1, MaxCount=1, LaunchTemplate={"LaunchTemplateName": "template"}
        )["Instances"]
        named = client("ssm").get_parameter(Name=LINUX)["Parameter"]["Value"]
        assert (found["ImageId"], found["InstanceType"]) == (named, "m5.xlarge")


def test_a_zone_by_id_is_the_zone_of_the_instance(aws: Runtime) -> None:
    (found,) = run(Placement={"AvailabilityZoneId": ZONE_ID})
    assert found["Placement"]["AvailabilityZone"] == "us-east-1a"


def test_as_many_start_as_there_is_capacity() -> None:
    capacity = [{"instance_type": P5, "zone_id": ZONE_ID, "available": 2}]
    with local_aws(capacity=capacity):
        zone = {"AvailabilityZone": "us-east-1a"}
        assert len(run(InstanceType=P5, MaxCount=5, Placement=zone)) == 2
        code, _ = refused(InstanceType=P5, Placement=zone)
        assert code == "InsufficientInstanceCapacity"


def test_a_stopped_instance_needs_capacity_to_start() -> None:
    capacity = [{"instance_type": P5, "zone_id": ZONE_ID, "available": 1}]
    with local_aws(capacity=capacity):
        ec2, zone = client("ec2"), {"AvailabilityZone": "us-east-1a"}
        (first,) = run(InstanceType=P5, Placement=zone)
        ec2.stop_instances(InstanceIds=[first["InstanceId"]])
        run(InstanceType=P5, Placement=zone)
        code, _ = refusal(ec2.start_instances, InstanceIds=[first["InstanceId"]])
        assert code == "InsufficientInstanceCapacity"


def test_an_instance_shows_its_reservation_preference(aws: Runtime) -> None:
    (found,) = run()
    assert found["CapacityReservationSpecification"] == {"CapacityReservationPreference": "open"}
