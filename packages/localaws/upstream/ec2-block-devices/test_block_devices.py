import boto3

from moto import mock_aws

# As in tests/__init__.py of moto.
EXAMPLE_AMI_ID = "ami-12c6146b"
INSTANCE_STORE = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}


@mock_aws
def test_run_instances_with_instance_store_volume() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    client.run_instances(
        ImageId=EXAMPLE_AMI_ID,
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
    client.create_launch_template(
        LaunchTemplateName="template",
        LaunchTemplateData={
            "ImageId": EXAMPLE_AMI_ID,
            "BlockDeviceMappings": [INSTANCE_STORE],
        },
    )
    client.run_instances(
        LaunchTemplate={"LaunchTemplateName": "template"}, MinCount=1, MaxCount=1
    )
    instance = client.describe_instances()["Reservations"][0]["Instances"][0]
    names = [mapping["DeviceName"] for mapping in instance["BlockDeviceMappings"]]
    assert names == ["/dev/sda1"]


@mock_aws
def test_root_device_without_size_has_the_size_of_the_image() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image = client.describe_images(ImageIds=[EXAMPLE_AMI_ID])["Images"][0]
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


@mock_aws
def test_root_device_of_a_launch_template_has_the_size_of_the_image() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image = client.describe_images(ImageIds=[EXAMPLE_AMI_ID])["Images"][0]
    root = {"DeviceName": image["RootDeviceName"], "Ebs": {"VolumeType": "gp3"}}
    client.create_launch_template(
        LaunchTemplateName="template",
        LaunchTemplateData={"ImageId": EXAMPLE_AMI_ID, "BlockDeviceMappings": [root]},
    )
    client.run_instances(
        LaunchTemplate={"LaunchTemplateName": "template"}, MinCount=1, MaxCount=1
    )
    instance = client.describe_instances()["Reservations"][0]["Instances"][0]
    volume_id = instance["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]
    volume = client.describe_volumes(VolumeIds=[volume_id])["Volumes"][0]
    assert volume["Size"] == image["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"]
