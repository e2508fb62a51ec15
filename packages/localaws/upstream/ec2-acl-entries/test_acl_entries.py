import boto3

from moto import mock_aws


@mock_aws
def test_new_network_acl_denies_all_traffic() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    entries = client.create_network_acl(VpcId=vpc_id)["NetworkAcl"]["Entries"]

    assert {entry["Egress"] for entry in entries} == {True, False}
    for entry in entries:
        assert entry["RuleAction"] == "deny"
        assert entry["RuleNumber"] == 32767
        assert entry["CidrBlock"] == "0.0.0.0/0"

    default = client.describe_network_acls(
        Filters=[
            {"Name": "default", "Values": ["true"]},
            {"Name": "vpc-id", "Values": [vpc_id]},
        ]
    )["NetworkAcls"][0]
    actions = sorted(entry["RuleAction"] for entry in default["Entries"])
    assert actions == ["allow", "allow", "deny", "deny"]
