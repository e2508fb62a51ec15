import boto3

from moto import mock_aws

INSTANCE_STORE = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}


@mock_aws
def test_run_instances_with_instance_store_volume() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client.run_instances(
        ImageId=image_id,
        MinCount=1,
        MaxCount=1,
        BlockDeviceMappings=[
            INSTANCE_STORE,
            {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 20}},
        ],
    )
    volumes = client.describe_volumes()["Volumes"]
    assert [volume["Size"] for volume in volumes] == [20]


@mock_aws
def test_launch_template_with_instance_store_volume() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client.create_launch_template(
        LaunchTemplateName="t",
        LaunchTemplateData={
            "ImageId": image_id,
            "BlockDeviceMappings": [INSTANCE_STORE],
        },
    )
    client.run_instances(
        LaunchTemplate={"LaunchTemplateName": "t"}, MinCount=1, MaxCount=1
    )
    instance = client.describe_instances()["Reservations"][0]["Instances"][0]
    names = [mapping["DeviceName"] for mapping in instance["BlockDeviceMappings"]]
    assert names == ["/dev/sda1"]


@mock_aws
def test_root_device_without_size_has_the_size_of_the_image() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image = client.describe_images(Owners=["amazon"])["Images"][0]
    client.run_instances(
        ImageId=image["ImageId"],
        MinCount=1,
        MaxCount=1,
        BlockDeviceMappings=[
            {"DeviceName": image["RootDeviceName"], "Ebs": {"VolumeType": "gp3"}}
        ],
    )
    volume = client.describe_volumes()["Volumes"][0]
    assert volume["Size"] == image["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"]
