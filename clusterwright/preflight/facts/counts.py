"""Resources that count against quotas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import counts, eks, rds
from clusterwright.aws.ec2 import network_interfaces, routes
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class InternetGateways(Fact[tuple[str | None, ...]]):
    """The stack of each internet gateway, None where no stack built it."""

    actions: ClassVar = ("ec2:DescribeInternetGateways",)

    def read(self) -> Reading[tuple[str | None, ...]]:
        (found,) = yield [ask(routes.internet_gateway_stacks)]
        result: tuple[str | None, ...] = answered(found)
        return result


@dataclass(frozen=True)
class NetworkInterfaces(Fact[tuple[network_interfaces.NetworkInterface, ...]]):
    """Every network interface of the account in the region."""

    actions: ClassVar = ("ec2:DescribeNetworkInterfaces",)

    def read(self) -> Reading[tuple[network_interfaces.NetworkInterface, ...]]:
        (found,) = yield [ask(network_interfaces.network_interfaces)]
        result: tuple[network_interfaces.NetworkInterface, ...] = answered(found)
        return result


@dataclass(frozen=True)
class Databases(Fact[tuple[rds.Database, ...]]):
    """Every DB instance of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBInstances",)

    def read(self) -> Reading[tuple[rds.Database, ...]]:
        (found,) = yield [ask(rds.databases)]
        result: tuple[rds.Database, ...] = answered(found)
        return result


@dataclass(frozen=True)
class DatabaseSubnetGroups(Fact[tuple[str, ...]]):
    """Names of every DB subnet group of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBSubnetGroups",)

    def read(self) -> Reading[tuple[str, ...]]:
        (found,) = yield [ask(rds.subnet_groups)]
        result: tuple[str, ...] = answered(found)
        return result


@dataclass(frozen=True)
class DatabaseParameterGroups(Fact[tuple[str, ...]]):
    """Names of every DB parameter group of the account in the region."""

    actions: ClassVar = ("rds:DescribeDBParameterGroups",)

    def read(self) -> Reading[tuple[str, ...]]:
        (found,) = yield [ask(rds.parameter_groups)]
        result: tuple[str, ...] = answered(found)
        return result


@dataclass(frozen=True)
class KeyCount(Fact[tuple[int, bool]]):
    """How many KMS keys there are, and whether the one of an alias is among them."""

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

    def read(self) -> Reading[tuple[str, ...]]:
        (found,) = yield [ask(counts.bucket_names)]
        result: tuple[str, ...] = answered(found)
        return result


@dataclass(frozen=True)
class EksClusters(Fact[tuple[str, ...]]):
    """Names of every EKS cluster of the account in the region."""

    actions: ClassVar = ("eks:ListClusters",)

    def read(self) -> Reading[tuple[str, ...]]:
        (found,) = yield [ask(eks.cluster_names)]
        result: tuple[str, ...] = answered(found)
        return result
