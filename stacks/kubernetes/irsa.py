"""Roles that pods assume through the OIDC provider of their EKS cluster.

EKS Pod Identity is what everything else here uses; these are for controllers whose documentation
knows service accounts with a role's ARN alone. The provider's address is known only when the
cluster is there, and it is the name of a condition: a template can put it there in text alone.
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
    """Whose pods may assume the role; `*` stands for anything."""

    namespace: str
    name: str

    @property
    def subject(self) -> str:
        """As the token has it."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"


class OidcProvider(Construct):
    """IAM's entry of the cluster's issuer; without it no token is believed."""

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
        """A role of one service account.

        `managed_policies` are names of AWS's; `with_sagemaker` lets SageMaker assume it too.
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
