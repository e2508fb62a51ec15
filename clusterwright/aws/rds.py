"""RDS: resources of an account that quotas count."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.ec2.vpc import STACK_TAG
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Database:
    """`address` and `port` are those of its endpoint; both None during creation."""

    id: str
    capacity_gib: int
    stack: str | None
    address: str | None = None
    port: int | None = None
    vpc_id: str | None = None
    security_group_ids: tuple[str, ...] = ()


def databases(session: AwsSession) -> tuple[Database, ...]:
    """Return every DB instance of the account in the region."""
    return tuple(
        Database(
            answer["DBInstanceIdentifier"],
            answer.get("AllocatedStorage") or 0,
            {t["Key"]: t["Value"] for t in answer.get("TagList") or ()}.get(STACK_TAG),
            (answer.get("Endpoint") or {}).get("Address"),
            (answer.get("Endpoint") or {}).get("Port"),
            (answer.get("DBSubnetGroup") or {}).get("VpcId"),
            tuple(group["VpcSecurityGroupId"] for group in answer.get("VpcSecurityGroups") or ()),
        )
        for answer in session.items("rds", "DescribeDBInstances", "DBInstances")
    )


def subnet_groups(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every DB subnet group of the account in the region."""
    return tuple(
        answer["DBSubnetGroupName"]
        for answer in session.items("rds", "DescribeDBSubnetGroups", "DBSubnetGroups")
    )


def parameter_groups(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every DB parameter group of the account in the region."""
    return tuple(
        answer["DBParameterGroupName"]
        for answer in session.items("rds", "DescribeDBParameterGroups", "DBParameterGroups")
    )
