"""Security groups of a VPC.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetSecurityGroupsForVpc.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.ec2.common import matches, refuse_dry_run, tags_of
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_FILTERS: Final = {
    "description": "Description",
    "group-id": "GroupId",
    "group-name": "GroupName",
    "owner-id": "OwnerId",
    "primary-vpc-id": "PrimaryVpcId",
}
_PAGE: Final = 1000


@operation("ec2", "GetSecurityGroupsForVpc")
def get_security_groups_for_vpc(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    backend, vpc = ec2_backend(call.account, call.region), call.parameters["VpcId"]
    if vpc not in backend.vpcs:
        raise AwsError("InvalidVpcID.NotFound", f"The vpc ID '{vpc}' does not exist")
    groups = [
        {
            "Description": group.description,
            "GroupName": group.name,
            "OwnerId": group.owner_id,
            "GroupId": group.id,
            "Tags": tags_of(call, group.id),
            "PrimaryVpcId": vpc,
        }
        for group in sorted(backend.groups[vpc].values(), key=lambda group: str(group.id))
    ]
    found = [one for one in groups if matches(one, call.parameters.get("Filters", []), _FILTERS)]
    return paged(
        call, "SecurityGroupForVpcs", found, default=_PAGE, stale_page_code="InvalidParameterValue"
    )
