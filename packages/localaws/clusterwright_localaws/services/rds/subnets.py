"""Subnets of a DB subnet group that do not exist: moto answers with EC2's code.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html:
InvalidSubnet, "The requested subnet is invalid". Users quote the message with the code
InvalidParameterValue (brianz/serverless-design-patterns#16, 2018) and without a code
(aws-samples/aws-cdk-examples#824, 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.rds.values import check_subnet_group_name


@operation("rds", "CreateDBSubnetGroup", "ModifyDBSubnetGroup")
def check_subnets(call: Call) -> Mapping[str, Any]:
    if call.operation.startswith("Create"):
        check_subnet_group_name(call.parameters["DBSubnetGroupName"])
    zones = moto_state.backend("ec2", call.account, call.region).subnets.values()
    there = {subnet for zone in zones for subnet in zone}
    unknown = sorted(set(call.parameters["SubnetIds"]) - there)
    if unknown:
        raise AwsError(
            "InvalidSubnet",
            f"Some input subnets in :[{', '.join(unknown)}] are invalid.",
            400,
        )
    raise ForwardToMoto
