import boto3

from moto import mock_aws

# As in tests/__init__.py of moto.
EXAMPLE_AMI_ID = "ami-12c6146b"


@mock_aws
def test_spot_request_without_monitoring() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    client.request_spot_instances(
        SpotPrice="1",
        LaunchSpecification={"ImageId": EXAMPLE_AMI_ID, "InstanceType": "m5.large"},
    )
    request = client.describe_spot_instance_requests()["SpotInstanceRequests"][0]
    assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": False}


@mock_aws
def test_request_of_spot_fleet_with_monitoring() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
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
                    "ImageId": EXAMPLE_AMI_ID,
                    "InstanceType": "m5.large",
                    "SubnetId": subnet["SubnetId"],
                    "Monitoring": {"Enabled": True},
                }
            ],
        }
    )
    request = client.describe_spot_instance_requests()["SpotInstanceRequests"][0]
    assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": True}
