"""moto creates any number of roles and identity providers; IAM has quotas for them.

Texts: openshift/release #69365 and eksctl-io/eksctl #4513, which quote IAM's answers.
"""

from __future__ import annotations

from clusterwright_localaws.core import moto_state, quotas
from clusterwright_localaws.core.moto_quotas import Refusal, limit
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.zones import partition_of

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: CreateRole and CreateOpenIDConnectProvider refuse requests beyond the world's quotas"
)
_ROLES = ("iam", "L-FE177D64")
_PROVIDERS = ("iam", "L-858F3967")


def apply() -> None:
    from moto.iam.models import IAMBackend

    limit(IAMBackend, "create_role", _ROLES, _refusal("RolesPerAccount"))
    limit(
        IAMBackend,
        "create_open_id_connect_provider",
        _PROVIDERS,
        _refusal("OpenIdConnectProvidersPerAccount"),
    )


def _refusal(name: str) -> Refusal:
    from moto.iam.exceptions import LimitExceededException

    return lambda quota: LimitExceededException(f"Cannot exceed quota for {name}: {quota.value:g}")


@quotas.counts_usage(*_ROLES)
def _roles(current: Runtime, account: str, region: str) -> float:
    return float(len(moto_state.backend("iam", account, partition_of(region)).roles))


@quotas.counts_usage(*_PROVIDERS)
def _providers(current: Runtime, account: str, region: str) -> float:
    return float(len(moto_state.backend("iam", account, partition_of(region)).open_id_providers))
