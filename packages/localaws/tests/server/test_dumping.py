"""Tests of server.dumping."""

from __future__ import annotations

import json
from pathlib import Path

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server.dumping import dump, write_dump
from packages.localaws.tests.parts import build_site, client, deploy

SECRET = "correct-horse-battery"


class TestDump:
    def test_dump_contains_accounts_regions_services_and_resources(self, aws: Runtime) -> None:
        site = build_site()
        site.create(site.group("workers", 2, "ml.c5.xlarge"), name="in-the-dump")
        deploy("stack-in-it", {"T": {"Type": "AWS::SNS::Topic"}})
        document = dump(aws)
        services = document["accounts"]["123456789012"]["us-east-1"]
        assert {"ec2", "cloudformation", "sns"} <= set(services)
        assert site.vpc_id in services["ec2"]["vpcs"]
        assert "in-the-dump" in json.dumps(services)
        assert "stack-in-it" in json.dumps(services["cloudformation"])
        assert "nodes" in document["accounts"]["123456789012"]["aws"]["iam"]["roles"].__str__()

    def test_dump_is_stable_and_small(self, aws: Runtime, tmp_path: Path) -> None:
        build_site()
        for name in ("a", "b"):
            write_dump(aws, tmp_path / name)
        texts = [(tmp_path / name).read_text() for name in ("a", "b")]
        documents = [json.loads(text) for text in texts]
        for document in documents:
            del document["time"]
        assert documents[0] == documents[1]
        # AWS managed policies and images, 5 MB and more, are not state.
        assert len(texts[0]) < 500_000

    def test_dump_contains_no_secret(self, aws: Runtime) -> None:
        client("secretsmanager").create_secret(Name="s", SecretString=SECRET)
        client("ssm").put_parameter(Name="p", Value=SECRET, Type="SecureString")
        client("rds").create_db_instance(
            DBInstanceIdentifier="d",
            DBInstanceClass="db.m5.large",
            Engine="mysql",
            MasterUsername="admin",
            MasterUserPassword=SECRET,
            AllocatedStorage=20,
        )
        client("s3").create_bucket(Bucket="bytes-1")
        client("s3").put_object(Bucket="bytes-1", Key="k", Body=SECRET.encode())
        pair = client("ec2").create_key_pair(KeyName="pair")["KeyMaterial"]
        key = client("iam").create_user(UserName="u") and client("iam").create_access_key(
            UserName="u"
        )
        body = {"T": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": {"Ref": "Word"}}}}
        client("cloudformation").create_stack(
            StackName="n",
            TemplateBody=json.dumps(
                {
                    "Parameters": {"Word": {"Type": "String", "NoEcho": True}},
                    "Resources": body,
                }
            ),
            Parameters=[{"ParameterKey": "Word", "ParameterValue": SECRET + "2"}],
        )
        document = dump(aws)
        text = json.dumps(document["accounts"])
        for account in document["accounts"].values():
            for region in account.values():
                region.pop("sns", None)  # the topic's name, which the caller derived from it
        assert SECRET not in json.dumps(document["accounts"])
        assert pair[40:80] not in text
        assert key["AccessKey"]["SecretAccessKey"] not in text
