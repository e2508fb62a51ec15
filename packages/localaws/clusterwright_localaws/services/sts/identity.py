"""GetCallerIdentity where IAM is enforced; otherwise moto answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.iam.inside import acting


@operation("sts", "GetCallerIdentity")
def get_caller_identity(call: Call) -> Mapping[str, Any]:
    caller = acting() if call.world.iam == "enforced" else None
    if caller is None:
        raise ForwardToMoto
    return {"UserId": caller.unique_id, "Account": caller.account, "Arn": caller.arn}
