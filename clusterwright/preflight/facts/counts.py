"""Resources that count against quotas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import counts, eks, iam, rds
from clusterwright.aws.cloudformation import stacks
from clusterwright.aws.ec2 import network_interfaces, routes, volumes
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class InternetGateways(Fact[tuple[str | None, ...]]):
    """The stack of each internet gateway, None if no stack created it."""

    actions: ClassVar = ("ec2:DescribeInternetGateways",)
    function: ClassVar = routes.internet_gateway_stacks


@dataclass(frozen=True)
class NetworkInterfaces(Fact[tuple[network_interfaces.NetworkInterface, ...]]):
    """Every network interface of the account in the region."""

    actions: ClassVar = ("ec2:DescribeNetworkInterfaces",)
    function: ClassVar = network_interfaces.network_interfaces


@dataclass(frozen=True)
class Databases(Fact[tuple[rds.Database, ...]]):
    """Return every DB instance of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBInstances",)
    function: ClassVar = rds.databases


@dataclass(frozen=True)
class DatabaseSubnetGroups(Fact[tuple[str, ...]]):
    """Return the names of every DB subnet group of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBSubnetGroups",)
    function: ClassVar = rds.subnet_groups


@dataclass(frozen=True)
class DatabaseParameterGroups(Fact[tuple[str, ...]]):
    """Return the names of every DB parameter group of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBParameterGroups",)
    function: ClassVar = rds.parameter_groups


@dataclass(frozen=True)
class KeyCount(Fact[tuple[int, bool]]):
    """The number of KMS keys, and whether the key of an alias is one of them."""

    alias: str
    actions: ClassVar = ("kms:ListKeys", "kms:ListAliases")

    def read(self) -> Reading[tuple[int, bool]]:
        keys, aliases = yield [ask(counts.kms_key_ids), ask(counts.kms_aliases)]
        ids: tuple[str, ...] = answered(keys)
        return len(ids), answered(aliases).get(self.alias) in ids


@dataclass(frozen=True)
class BucketNames(Fact[tuple[str, ...]]):
    """Every general purpose bucket of the account."""

    actions: ClassVar = ("s3:ListAllMyBuckets",)
    function: ClassVar = counts.bucket_names


@dataclass(frozen=True)
class EksClusters(Fact[tuple[str, ...]]):
    """Return the names of every EKS cluster of the account in the region."""

    actions: ClassVar = ("eks:ListClusters",)
    function: ClassVar = eks.cluster_names


@dataclass(frozen=True)
class Roles(Fact[tuple[str, ...]]):
    """The names of every IAM role of the account."""

    actions: ClassVar = ("iam:ListRoles",)
    function: ClassVar = iam.role_names


@dataclass(frozen=True)
class OidcProviders(Fact[tuple[str, ...]]):
    """The ARNs of every OpenID Connect provider of the account."""

    actions: ClassVar = ("iam:ListOpenIDConnectProviders",)
    function: ClassVar = iam.oidc_provider_arns


@dataclass(frozen=True)
class GeneralPurposeVolumes(Fact[tuple[volumes.Volume, ...]]):
    """Every volume of type gp3 of the account in the region."""

    actions: ClassVar = ("ec2:DescribeVolumes",)
    function: ClassVar = volumes.general_purpose


@dataclass(frozen=True)
class DeployedStacks(Fact[tuple[stacks.Stack, ...]]):
    """Every deployed stack of the account in the region."""

    actions: ClassVar = ("cloudformation:DescribeStacks",)
    function: ClassVar = stacks.stacks
