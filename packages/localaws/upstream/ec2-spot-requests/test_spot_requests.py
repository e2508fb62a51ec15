import boto3

from moto import mock_aws


@mock_aws
def test_spot_request_without_monitoring() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client.request_spot_instances(
        SpotPrice="1",
        LaunchSpecification={"ImageId": image_id, "InstanceType": "m5.large"},
    )
    request = client.describe_spot_instance_requests()["SpotInstanceRequests"][0]
    assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": False}


@mock_aws
def test_request_of_spot_fleet_with_monitoring() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc_id, CidrBlock="10.0.0.0/24")["Subnet"]
    client.request_spot_fleet(
        SpotFleetRequestConfig={
            "SpotPrice": "1",
            "TargetCapacity": 1,
            "AllocationStrategy": "lowestPrice",
            "IamFleetRole": "arn:aws:iam::123456789012:role/fleet",
            "LaunchSpecifications": [
                {
                    "ImageId": image_id,
                    "InstanceType": "m5.large",
                    "SubnetId": subnet["SubnetId"],
                    "Monitoring": {"Enabled": True},
                }
            ],
        }
    )
    request = client.describe_spot_instance_requests()["SpotInstanceRequests"][0]
    assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": True}
