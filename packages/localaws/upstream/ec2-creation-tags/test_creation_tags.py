import boto3

from moto import mock_aws

TAGS = [{"Key": "k", "Value": "v"}]


@mock_aws
def test_create_dhcp_options_with_tags() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    options = client.create_dhcp_options(
        DhcpConfigurations=[{"Key": "domain-name", "Values": ["example.com"]}],
        TagSpecifications=[{"ResourceType": "dhcp-options", "Tags": TAGS}],
    )["DhcpOptions"]
    assert options["Tags"] == TAGS

    (found,) = client.describe_dhcp_options(DhcpOptionsIds=[options["DhcpOptionsId"]])[
        "DhcpOptions"
    ]
    assert found["Tags"] == TAGS


@mock_aws
def test_tags_of_launch_template_are_not_in_its_data() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    data = {
        "ImageId": "ami-0123456789abcdef0",
        "TagSpecifications": [{"ResourceType": "instance", "Tags": TAGS}],
    }
    template = client.create_launch_template(
        LaunchTemplateName="template",
        LaunchTemplateData=data,
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": TAGS}],
    )["LaunchTemplate"]
    assert template["Tags"] == TAGS

    (version,) = client.describe_launch_template_versions(
        LaunchTemplateName="template"
    )["LaunchTemplateVersions"]
    assert version["LaunchTemplateData"] == data
