import boto3

from moto import mock_aws

# As in tests/__init__.py of moto.
EXAMPLE_AMI_ID = "ami-12c6146b"


@mock_aws
def test_instances_have_the_cpu_options_of_their_type() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    client.run_instances(
        ImageId=EXAMPLE_AMI_ID, InstanceType="m5.2xlarge", MinCount=1, MaxCount=1
    )
    instance = client.describe_instances()["Reservations"][0]["Instances"][0]
    assert instance["CpuOptions"] == {"CoreCount": 4, "ThreadsPerCore": 2}
