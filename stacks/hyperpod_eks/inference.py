"""HyperPod's inference operator: its add-on, the roles of its controllers, their bucket.

The add-on brings the operator, the AWS Load Balancer Controller and KEDA, each of which has a
role for its service account. Sources: `clusterwright.platforms.hyperpod_eks.inference`.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.hyperpod_eks import Inference
from clusterwright.platforms.hyperpod_eks import inference
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import removal_policy
from stacks.hyperpod_eks.inference_permissions import (
    load_balancer_permissions,
    load_balancer_wildcards,
    scaler_permissions,
)
from stacks.kubernetes.irsa import OidcProvider, ServiceAccount
from stacks.storage.bucket_emptying import log_what_empties

OPERATOR_POLICY = "AmazonSageMakerHyperPodInferenceAccess"
GATED_POLICY = "AmazonSageMakerHyperPodGatedModelAccess"
_MANAGED = (
    "AWS's policy for this operator: its documentation requires it, and it changes with the "
    "operator's versions"
)


class InferenceOperator(Construct):
    """All of its resources except cert-manager and the drivers, which are separate add-ons."""

    def __init__(
        self,
        scope: Construct,
        cluster: Cluster,
        wanted: Inference,
        *,
        orchestrator_name: str,
        issuer_url: str,
        cluster_arn: str,
        workspace_arn: str | None,
    ) -> None:
        super().__init__(scope, "Inference")
        self._cluster, self._workspace_arn = cluster, workspace_arn
        self._oidc = OidcProvider(self, cluster, issuer_url=issuer_url)
        self._bucket = self._certificates()
        self.addon = eks.CfnAddon(
            self,
            "Addon",
            addon_name=inference.ADDON,
            addon_version=wanted.addon_version,
            cluster_name=orchestrator_name,
            configuration_values=cdk.Stack.of(self).to_json_string(
                self._values(wanted, cluster_arn)
            ),
            resolve_conflicts="OVERWRITE",
        )

    def _values(self, wanted: Inference, cluster_arn: str) -> dict[str, Any]:
        values: dict[str, Any] = {
            "executionRoleArn": self._operator_role().attr_arn,
            "tlsCertificateS3Bucket": self._bucket.bucket_name,
            "hyperpodClusterArn": cluster_arn,
            "alb": {
                "enabled": True,
                "serviceAccount": {
                    "create": True,
                    "roleArn": self._load_balancer_role().attr_arn,
                },
            },
            "keda": {
                "enabled": True,
                "auth": {
                    "aws": {"irsa": {"enabled": True, "roleArn": self._scaler_role().attr_arn}}
                },
            },
        }
        if wanted.gated_models:
            values["jumpstartGatedModelDownloadRoleArn"] = self._gated_role().attr_arn
        return values

    def _certificates(self) -> s3.Bucket:
        """The bucket for the certificates of endpoints."""
        cluster = self._cluster
        destroy = cluster.protection == "destroy"
        bucket = s3.Bucket(
            self,
            "Certificates",
            bucket_name=inference.certificate_bucket(cluster),
            versioned=True,
            # Other readers than the operator are not documented, so not with the cluster's key.
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            auto_delete_objects=destroy,
            removal_policy=removal_policy(cluster),
        )
        acknowledge(
            bucket,
            "AwsSolutions-S1",
            "CloudTrail data events log access to objects; the account's owner decides on them",
        )
        if destroy:
            log_what_empties(self, cluster)
        bucket.policy.apply_removal_policy(removal_policy(cluster))
        return bucket

    def _operator_role(self) -> iam.CfnRole:
        role = self._oidc.role(
            self,
            "OperatorRole",
            ServiceAccount(inference.NAMESPACE, inference.OPERATOR_ACCOUNT),
            description=f"{self._cluster.environment}: HyperPod's inference operator",
            managed_policies=[OPERATOR_POLICY],
            with_sagemaker=True,
        )
        # AWS's policy allows it to pass roles named SageMakerHyperPodInference...; CloudFormation
        # generates the name of this role, which is the only one that it may pass.
        iam.CfnPolicy(
            self,
            "PassOwnRole",
            policy_name="PassOwnRole",
            roles=[role.ref],
            policy_document=iam.PolicyDocument(
                statements=[
                    iam.PolicyStatement(
                        sid="PassOwnRole",
                        actions=["iam:PassRole"],
                        resources=[role.attr_arn],
                        conditions={
                            "StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}
                        },
                    )
                ]
            ),
        )
        self._accept_managed(role, OPERATOR_POLICY)
        return role

    def _load_balancer_role(self) -> iam.CfnRole:
        cluster = self._cluster
        role = self._role(
            "LoadBalancerRole",
            inference.LOAD_BALANCER_ACCOUNT,
            "load balancers of endpoints",
            load_balancer_permissions(cluster),
        )
        for pattern, reason in load_balancer_wildcards(cluster):
            acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
        return role

    def _scaler_role(self) -> iam.CfnRole:
        role = self._role(
            "ScalerRole",
            inference.KEDA_ACCOUNT,
            "KEDA, which scales endpoints",
            scaler_permissions(self._workspace_arn),
        )
        acknowledge(role, "AwsSolutions-IAM5[Resource::*]", "CloudWatch's metrics have no ARN")
        return role

    def _gated_role(self) -> iam.CfnRole:
        role = self._oidc.role(
            self,
            "GatedModelsRole",
            ServiceAccount("*", inference.MODEL_ACCOUNTS),
            description=f"{self._cluster.environment}: endpoints that download gated models",
            managed_policies=[GATED_POLICY],
            with_sagemaker=True,
        )
        self._accept_managed(role, GATED_POLICY)
        return role

    def _role(
        self, construct_id: str, account: str, what: str, statements: list[iam.PolicyStatement]
    ) -> iam.CfnRole:
        return self._oidc.role(
            self,
            construct_id,
            ServiceAccount(inference.NAMESPACE, account),
            description=f"{self._cluster.environment}: {what}",
            policies=[
                iam.CfnRole.PolicyProperty(
                    policy_name=construct_id,
                    policy_document=iam.PolicyDocument(statements=statements),
                )
            ],
        )

    def _accept_managed(self, role: iam.CfnRole, policy: str) -> None:
        arn = f"arn:{self._cluster.partition}:iam::aws:policy/{policy}"
        acknowledge(role, f"AwsSolutions-IAM4[Policy::{arn}]", _MANAGED)
