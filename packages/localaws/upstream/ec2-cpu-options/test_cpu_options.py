import boto3

from moto import mock_aws


@mock_aws
def test_instances_have_the_cpu_options_of_their_type() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client.run_instances(
        ImageId=image_id, InstanceType="m5.2xlarge", MinCount=1, MaxCount=1
    )
    instance = client.describe_instances()["Reservations"][0]["Instances"][0]
    assert instance["CpuOptions"] == {"CoreCount": 4, "ThreadsPerCore": 2}
