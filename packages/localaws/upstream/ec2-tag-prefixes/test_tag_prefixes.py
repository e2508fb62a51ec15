import boto3

from moto import mock_aws


@mock_aws
def test_tags_of_groups_and_reservations() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    ids = ["pg-0123456789abcdef0", "cr-0123456789abcdef0", "cb-0123456789abcdef0"]
    client.create_tags(Resources=ids, Tags=[{"Key": "k", "Value": "v"}])
    tags = client.describe_tags(Filters=[{"Name": "key", "Values": ["k"]}])["Tags"]
    assert {(tag["ResourceId"], tag["ResourceType"]) for tag in tags} == {
        (ids[0], "placement-group"),
        (ids[1], "capacity-reservation"),
        (ids[2], "capacity-block"),
    }
