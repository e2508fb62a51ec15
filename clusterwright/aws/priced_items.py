"""Mapping of products of the Price List to items of a bill.

Service codes, product families and usage types are those by which infracost finds the same prices
(infracost/infracost, internal/resources/aws: nat_gateway.go, vpc_endpoint.go,
fsx_openzfs_file_system.go, kms_key.go, secretsmanager_secret.go, eks_cluster.go,
cloudwatch_log_group.go, cloudwatch_metric_alarm.go). No public source shows how the Price List
distinguishes the tiers of FSx for Lustre, so those prices come from the catalogue or the user.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from clusterwright.aws.pricing import GB_MONTH, HOURS, PricedItem

_GB: Final = frozenset({"GB", "Gigabytes"})
_OPENZFS: Final = (("deploymentOption", "Single-AZ"), ("fileSystemType", "OpenZFS"))

PRICED_ITEMS: Final[tuple[PricedItem, ...]] = (
    PricedItem(
        "nat_gateway", "hourly", "hour", "AmazonEC2", "NAT Gateway", "NatGateway-Hours",
        units=HOURS,
    ),
    PricedItem(
        "nat_gateway", "data processed", "GB", "AmazonEC2", "NAT Gateway", "NatGateway-Bytes",
        units=_GB,
    ),
    PricedItem(
        "vpc_endpoint", "interface endpoint", "hour", "AmazonVPC", "VpcEndpoint",
        "VpcEndpoint-Hours", units=HOURS,
    ),
    PricedItem(
        "vpc_endpoint", "data processed", "GB", "AmazonVPC", "VpcEndpoint", "VpcEndpoint-Bytes",
        units=_GB,
    ),
    PricedItem(
        "fsx_openzfs", "SSD storage", "GB-month", "AmazonFSx", "Storage",
        attributes=(*_OPENZFS, ("storageType", "SSD")), units=GB_MONTH,
    ),
    PricedItem(
        "fsx_openzfs", "throughput", "MBps-month", "AmazonFSx", "Provisioned Throughput",
        attributes=_OPENZFS, units=frozenset({"MBps-Mo", "MiBps-Mo", "MBps-month"}),
    ),
    PricedItem(
        "fsx_openzfs", "backup", "GB-month", "AmazonFSx", "Storage", "BackupUsage",
        attributes=(("fileSystemType", "OpenZFS"),), units=GB_MONTH,
    ),
    PricedItem(
        "eks", "cluster standard support", "hour", "AmazonEKS", "Compute",
        "AmazonEKS-Hours:perCluster", units=HOURS,
    ),
    PricedItem(
        "kms", "key", "key-month", "awskms", "Encryption Key", "KMS-Keys",
        units=frozenset({"months", "Month", "key-month", "Keys"}),
    ),
    PricedItem(
        "secretsmanager", "secret", "secret-month", "AWSSecretsManager", "Secret",
        units=frozenset({"Secrets", "Secret", "months", "secret-month"}),
    ),
    PricedItem(
        "logs", "ingestion", "GB", "AmazonCloudWatch", "Data Payload", "DataProcessing-Bytes",
        units=_GB,
    ),
    PricedItem(
        "logs", "storage", "GB-month", "AmazonCloudWatch", "Storage Snapshot",
        "TimedStorage-ByteHrs", units=GB_MONTH,
    ),
    PricedItem(
        "cloudwatch", "alarm", "alarm-month", "AmazonCloudWatch", "Alarm",
        attributes=(("alarmType", "Standard"),),
        units=frozenset({"Alarms", "Alarm", "alarm-month"}), per=Decimal(1),
    ),
)  # fmt: skip
