import boto3

from moto import mock_aws


@mock_aws
def test_unique_ids_begin_with_the_prefix_of_their_kind() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    document = (
        '{"Version": "2012-10-17", "Statement": '
        '{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}}'
    )
    ids = {
        "AIDA": client.create_user(UserName="u")["User"]["UserId"],
        "AGPA": client.create_group(GroupName="g")["Group"]["GroupId"],
        "AIPA": client.create_instance_profile(InstanceProfileName="p")[
            "InstanceProfile"
        ]["InstanceProfileId"],
        "ANPA": client.create_policy(PolicyName="p", PolicyDocument=document)["Policy"][
            "PolicyId"
        ],
    }
    for prefix, unique_id in ids.items():
        assert unique_id.startswith(prefix)
        assert len(unique_id) == 21
        assert unique_id == unique_id.upper()
