import boto3

from moto import mock_aws

# As in tests/__init__.py of moto.
EXAMPLE_AMI_ID = "ami-12c6146b"


@mock_aws
def test_register_image_with_architecture_devices_and_tags() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.register_image(
        Name="mine",
        Architecture="arm64",
        VirtualizationType="hvm",
        RootDeviceName="/dev/xvda",
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30}}],
        TagSpecifications=[
            {"ResourceType": "image", "Tags": [{"Key": "team", "Value": "a"}]}
        ],
    )["ImageId"]
    image = client.describe_images(ImageIds=[image_id])["Images"][0]
    assert image["Architecture"] == "arm64"
    assert image["VirtualizationType"] == "hvm"
    assert image["RootDeviceType"] == "ebs"
    assert image["RootDeviceName"] == "/dev/xvda"
    assert image["ImageLocation"] == "123456789012/mine"
    assert image["Tags"] == [{"Key": "team", "Value": "a"}]
    (mapping,) = image["BlockDeviceMappings"]
    assert mapping["DeviceName"] == "/dev/xvda"
    assert mapping["Ebs"]["VolumeSize"] == 30
    assert mapping["Ebs"]["SnapshotId"].startswith("snap-")


@mock_aws
def test_defaults_of_register_image() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    image_id = client.register_image(Name="mine", ImageLocation="bucket/manifest.xml")
    image = client.describe_images(ImageIds=[image_id["ImageId"]])["Images"][0]
    assert image["Architecture"] == "i386"
    assert image["VirtualizationType"] == "paravirtual"
    assert image["RootDeviceType"] == "instance-store"


@mock_aws
def test_created_and_copied_images_are_backed_by_a_volume() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    copied = client.copy_image(
        SourceImageId=EXAMPLE_AMI_ID, SourceRegion="us-east-1", Name="copied"
    )
    instance = client.run_instances(ImageId=EXAMPLE_AMI_ID, MinCount=1, MaxCount=1)
    created = client.create_image(
        InstanceId=instance["Instances"][0]["InstanceId"], Name="created"
    )
    images = client.describe_images(ImageIds=[copied["ImageId"], created["ImageId"]])
    assert {image["RootDeviceType"] for image in images["Images"]} == {"ebs"}
