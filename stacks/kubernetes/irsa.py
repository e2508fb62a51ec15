"""Roles that pods assume through the OIDC provider of their EKS cluster.

Everything else uses EKS Pod Identity; these roles are for controllers that support only service
accounts with a role's ARN. The provider's address is known only at deployment, and it is the key
of a condition: a template can compute keys only in JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster

AUDIENCE = "sts.amazonaws.com"


@dataclass(frozen=True)
class ServiceAccount:
    """The service account whose pods may assume the role; `*` matches any name."""

    namespace: str
    name: str

    @property
    def subject(self) -> str:
        """The subject claim of its tokens."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"


class OidcProvider(Construct):
    """The IAM OIDC provider of the cluster's issuer, which IAM needs to verify tokens."""

    def __init__(self, scope: Construct, cluster: Cluster, *, issuer_url: str) -> None:
        super().__init__(scope, "Oidc")
        self._cluster = cluster
        self.resource = iam.CfnOIDCProvider(
            self,
            "Provider",
            url=issuer_url,
            client_id_list=[AUDIENCE],
        )
        self._issuer = cdk.Fn.select(1, cdk.Fn.split("//", issuer_url))

    def role(
        self,
        scope: Construct,
        construct_id: str,
        account: ServiceAccount,
        *,
        description: str,
        policies: Sequence[iam.CfnRole.PolicyProperty] = (),
        managed_policies: Sequence[str] = (),
        with_sagemaker: bool = False,
    ) -> iam.CfnRole:
        """The role of a service account.

        `managed_policies` are names of AWS's policies; with `with_sagemaker`, SageMaker may
        assume the role too.
        """
        return iam.CfnRole(
            scope,
            construct_id,
            description=description,
            assume_role_policy_document=self._trust(account, with_sagemaker=with_sagemaker),
            policies=list(policies) or None,
            managed_policy_arns=[
                f"arn:{self._cluster.partition}:iam::aws:policy/{name}"
                for name in managed_policies
            ]
            or None,
        )

    def _trust(self, account: ServiceAccount, *, with_sagemaker: bool) -> str:
        test = "StringLike" if "*" in account.subject else "StringEquals"
        statements: list[dict[str, object]] = [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRoleWithWebIdentity",
                "Principal": {"Federated": "${Provider}"},
                "Condition": {test: {"${Issuer}:aud": AUDIENCE, "${Issuer}:sub": account.subject}},
            }
        ]
        if with_sagemaker:
            statements.append(
                {
                    "Effect": "Allow",
                    "Action": "sts:AssumeRole",
                    "Principal": {"Service": "sagemaker.amazonaws.com"},
                }
            )
        document = json.dumps({"Version": "2012-10-17", "Statement": statements}, sort_keys=True)
        return cdk.Fn.sub(document, {"Provider": self.resource.attr_arn, "Issuer": self._issuer})
