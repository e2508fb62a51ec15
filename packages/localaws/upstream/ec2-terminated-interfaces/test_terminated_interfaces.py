import boto3

from moto import mock_aws

# As in tests/__init__.py of moto.
EXAMPLE_AMI_ID = "ami-12c6146b"


@mock_aws
def test_interfaces_of_launch_are_deleted_with_the_instance() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc_id, CidrBlock="10.0.0.0/24")["Subnet"]
    existing = client.create_network_interface(SubnetId=subnet["SubnetId"])
    existing_id = existing["NetworkInterface"]["NetworkInterfaceId"]
    created = {"DeviceIndex": 0, "SubnetId": subnet["SubnetId"]}
    kept = {**created, "DeviceIndex": 1, "DeleteOnTermination": False}
    attached = {"DeviceIndex": 2, "NetworkInterfaceId": existing_id}

    instance = client.run_instances(
        ImageId=EXAMPLE_AMI_ID,
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[created, kept, attached],
    )["Instances"][0]
    ids = {
        interface["Attachment"]["DeviceIndex"]: interface["NetworkInterfaceId"]
        for interface in instance["NetworkInterfaces"]
    }
    for previous in ("running", "terminated"):
        answer = client.terminate_instances(InstanceIds=[instance["InstanceId"]])
        assert answer["TerminatingInstances"][0]["PreviousState"]["Name"] == previous

    remaining = client.describe_network_interfaces()["NetworkInterfaces"]
    assert {one["NetworkInterfaceId"] for one in remaining} == {ids[1], existing_id}
