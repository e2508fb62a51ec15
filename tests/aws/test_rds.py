"""Databases of an account, and the groups with quotas."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws import rds
from clusterwright.aws.session import AwsSession


def test_every_database_of_every_page(session: AwsSession) -> None:
    with Stubber(session.client("rds")) as stub:
        stub.add_response(
            "describe_db_instances",
            {
                "DBInstances": [
                    {
                        "DBInstanceIdentifier": "accounting",
                        "AllocatedStorage": 100,
                        "TagList": [{"Key": "aws:cloudformation:stack-name", "Value": "db"}],
                        "Endpoint": {"Address": "db.example.com", "Port": 3306},
                        "DBSubnetGroup": {"VpcId": "vpc-1"},
                        "VpcSecurityGroups": [{"VpcSecurityGroupId": "sg-1", "Status": "active"}],
                    }
                ],
                "Marker": "more",
            },
        )
        stub.add_response(
            "describe_db_instances",
            {"DBInstances": [{"DBInstanceIdentifier": "being-created"}]},
            {"Marker": "more"},
        )
        assert rds.databases(session) == (
            rds.Database("accounting", 100, "db", "db.example.com", 3306, "vpc-1", ("sg-1",)),
            rds.Database("being-created", 0, None),
        )


def test_names_of_groups(session: AwsSession) -> None:
    with Stubber(session.client("rds")) as stub:
        stub.add_response(
            "describe_db_subnet_groups", {"DBSubnetGroups": [{"DBSubnetGroupName": "default"}]}
        )
        stub.add_response(
            "describe_db_parameter_groups",
            {"DBParameterGroups": [{"DBParameterGroupName": "default.mysql8.0"}]},
        )
        assert rds.subnet_groups(session) == ("default",)
        assert rds.parameter_groups(session) == ("default.mysql8.0",)
