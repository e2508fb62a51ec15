"""RDS: clusters that RDS refuses to make or delete; what passes is moto's.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DeleteDBCluster.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

_IDENTIFIER = re.compile(r"(?=.{1,63}\Z)[A-Za-z](-?[A-Za-z0-9])*")


@operation("rds", "CreateDBCluster")
def create_db_cluster(call: Call) -> Mapping[str, Any]:
    asked, rds = call.parameters, _rds(call)
    name = asked["DBClusterIdentifier"]
    if not _IDENTIFIER.fullmatch(name):
        raise AwsError(
            "InvalidParameterValue",
            "The parameter DBClusterIdentifier is not a valid identifier. Identifiers must begin "
            "with a letter; must contain only ASCII letters, digits, and hyphens; and must not "
            "end with a hyphen or contain two consecutive hyphens.",
        )
    if name.lower() in {known.lower() for known in rds.clusters}:
        raise AwsError("DBClusterAlreadyExistsFault", "DB Cluster already exists", 400)
    group = asked.get("DBSubnetGroupName")
    if group not in (None, "default") and group.lower() not in {
        known.lower() for known in rds.subnet_groups
    }:
        raise AwsError(
            "DBSubnetGroupNotFoundFault", f"DB subnet group '{group}' does not exist.", 404
        )
    scaling = asked.get("ServerlessV2ScalingConfiguration") or {}
    if scaling.get("MinCapacity", 0) > scaling.get("MaxCapacity", float("inf")):
        raise AwsError(
            "InvalidParameterValue",
            "Serverless v2 minimum capacity can't be larger than the maximum capacity.",
        )
    raise ForwardToMoto


@operation("rds", "DeleteDBCluster")
def delete_db_cluster(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    name, skips = asked["DBClusterIdentifier"], asked.get("SkipFinalSnapshot", False)
    if name in _rds(call).clusters:
        if skips and "FinalDBSnapshotIdentifier" in asked:
            raise _combination(
                "FinalDBSnapshotIdentifier can not be specified when deleting a cluster with "
                "SkipFinalSnapshot."
            )
        if not skips and "FinalDBSnapshotIdentifier" not in asked:
            raise _combination(
                "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified."
            )
    raise ForwardToMoto


def _rds(call: Call) -> Any:
    from moto.rds.models import rds_backends

    return rds_backends[call.account][call.region]


def _combination(message: str) -> AwsError:
    return AwsError("InvalidParameterCombination", message)
