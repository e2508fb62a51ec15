"""Facts and specs for the tests of identity settings."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.organizations import TagKeyPolicy
from clusterwright.preflight.facts.organization import EffectiveTagPolicy
from tests.support import specs

OTHER = "999988887777"

KEY = "identity.kms_key_arn"

BOUNDARY = "identity.permissions_boundary_arn"


def secret(account: str = specs.ACCOUNT, region: str = "us-east-1") -> dict[str, object]:
    arn = f"arn:aws:secretsmanager:{region}:{account}:secret:slurm-AbCdEf"
    existing = {"endpoint": "db.example.internal", "secret_arn": arn}
    return {"slurm.accounting": {"kind": "rds", "existing": existing}}


def tag_policy(*keys: TagKeyPolicy) -> dict[Any, Any]:
    return {EffectiveTagPolicy(): keys}


OWNER = TagKeyPolicy("Owner", ("ml", "team-*"), ("ec2:instance", "fsx:file-system"))

TAGGED = {"tags": {"Owner": "sales"}, "storage.lustre": [specs.LUSTRE]}
