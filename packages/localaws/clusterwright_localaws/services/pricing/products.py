"""Products with prices: one per instance type, region and kind, and one per service item.

Attributes of EC2 products are those of the plain Linux on-demand filter (regionCode,
preInstalledSw, operatingSystem, capacitystatus, marketoption, tenancy; karpenter-provider-aws
pkg/providers/pricing); those of HyperPod are `usagetype` `USE1-Cluster:ml.*`, `component` and
`instanceType` `ml.*-Cluster`, as a public price tool's fixtures have them (2026-09). Products of
other services have AWS's usage types and attributes where a public tool finds prices by them; the
rest have only `regionCode`, `location` and the item.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.region_names import region_names
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import PriceSeed

EC2 = "AmazonEC2"
SAGEMAKER = "AmazonSageMaker"
# The catalogue's name of a service -> AWS's code and product family.
SERVICES = {
    "cloudwatch": ("AmazonCloudWatch", "Alarm"),
    "kms": ("awskms", "Encryption Key"),
    "logs": ("AmazonCloudWatch", "Data Payload"),
    "secretsmanager": ("AWSSecretsManager", "Secret"),
    "vpc_endpoint": ("AmazonVPC", "VpcEndpoint"),
    "amg": ("AmazonGrafana", "User"),
    "amp": ("AmazonPrometheus", "Prometheus"),
    "aurora": ("AmazonRDS", "Database Storage"),
    "data_transfer": ("AWSDataTransfer", "Data Transfer"),
    "ebs": (EC2, "Storage"),
    "efs": ("AmazonEFS", "Storage"),
    "eks": ("AmazonEKS", "Compute"),
    "fsx_lustre": ("AmazonFSx", "Storage"),
    "fsx_openzfs": ("AmazonFSx", "Storage"),
    "nat_gateway": (EC2, "NAT Gateway"),
    "rds": ("AmazonRDS", "Database Instance"),
    "s3": ("AmazonS3", "Storage"),
}
_OPENZFS = {"deploymentOption": "Single-AZ", "fileSystemType": "OpenZFS"}
# What identifies AWS's products, where a public tool finds them by it (infracost/infracost,
# internal/resources/aws): product family, usage type without its region's prefix, attributes.
KNOWN_BY: dict[tuple[str, str], tuple[str | None, str | None, Mapping[str, str]]] = {
    ("nat_gateway", "hourly"): (None, "NatGateway-Hours", {}),
    ("nat_gateway", "data processed"): (None, "NatGateway-Bytes", {}),
    ("vpc_endpoint", "interface endpoint"): (None, "VpcEndpoint-Hours", {}),
    ("vpc_endpoint", "data processed"): (None, "VpcEndpoint-Bytes", {}),
    ("fsx_openzfs", "SSD storage"): (None, None, {**_OPENZFS, "storageType": "SSD"}),
    ("fsx_openzfs", "throughput"): ("Provisioned Throughput", None, _OPENZFS),
    ("fsx_openzfs", "provisioned IOPS"): ("Provisioned IOPS", None, _OPENZFS),
    ("fsx_openzfs", "backup"): (None, "BackupUsage", {"fileSystemType": "OpenZFS"}),
    ("eks", "cluster standard support"): (None, "AmazonEKS-Hours:perCluster", {}),
    ("kms", "key"): (None, "KMS-Keys", {}),
    ("logs", "ingestion"): (None, "DataProcessing-Bytes", {}),
    ("logs", "storage"): ("Storage Snapshot", "TimedStorage-ByteHrs", {}),
    ("cloudwatch", "alarm"): (None, None, {"alarmType": "Standard"}),
}
# Codes of the on-demand term and of its hourly rate in every AWS price list.
_ON_DEMAND = "JRTCKXETXF"
_RATE = "6YS6EN2CT7"
_HOURLY = frozenset({"instance-hour", "hour", "Hrs"})
_PLAIN_ZONE = re.compile(r"[a-z]+\d+-az\d+")
_PRICE_KINDS = ("ec2-on-demand", "hyperpod-on-demand")


@dataclass(frozen=True)
class Product:
    """One product with one on-demand price."""

    service_code: str
    family: str
    attributes: Mapping[str, str]
    usd: Decimal
    unit: str
    date: str | None

    @property
    def sku(self) -> str:
        text = repr((self.service_code, sorted(self.attributes.items())))
        digest = hashlib.sha256(text.encode()).digest()
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        return "".join(letters[byte % len(letters)] for byte in digest[:16])

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the product, which GetProducts answers as a string."""
        sku = self.sku
        rate = f"{sku}.{_ON_DEMAND}.{_RATE}"
        term: dict[str, Any] = {
            "priceDimensions": {
                rate: {
                    "unit": self.unit,
                    "endRange": "Inf",
                    "description": f"${self.usd} per {self.unit}",
                    "appliesTo": [],
                    "rateCode": rate,
                    "beginRange": "0",
                    "pricePerUnit": {"USD": str(self.usd)},
                }
            },
            "sku": sku,
            "offerTermCode": _ON_DEMAND,
            "termAttributes": {},
        }
        if self.date is not None:
            term["effectiveDate"] = f"{self.date}T00:00:00Z"
        document: dict[str, Any] = {
            "product": {
                "productFamily": self.family,
                "attributes": dict(self.attributes),
                "sku": sku,
            },
            "serviceCode": self.service_code,
            "terms": {"OnDemand": {f"{sku}.{_ON_DEMAND}": term}},
            "version": "clusterwright-catalogue",
        }
        if self.date is not None:
            document["publicationDate"] = f"{self.date}T00:00:00Z"
        return document


def products(runtime: Runtime) -> tuple[Product, ...]:
    """Return every product of the catalogue; the world's products come first and replace them."""
    return runtime.store("price-list", "", "", lambda: tuple(_build(runtime)))


def _build(runtime: Runtime) -> Iterator[Product]:
    seeds = runtime.world.prices
    replaced = set()
    for seed in seeds:
        replaced.add((seed.instance_type, seed.kind, seed.region, seed.service, seed.item))
        yield _from_world(seed)
    catalog = catalog_facts.catalog()
    prices = catalog.store.document("prices")
    for name, kind, region, *_ in prices["instance_prices"]:
        if kind not in _PRICE_KINDS or (name, kind, region, None, None) in replaced:
            continue
        if region not in region_names():
            continue  # AWS lists a local zone under its group, which is not in the sources
        fact = catalog.instance_price(name, region, kind)
        price = catalog_facts.known(fact)
        if price is not None:
            yield _instance(name, kind, region, price.usd, _day(fact))
    for service in catalog.services:
        for item in catalog.service_items(service):
            for region in region_names():
                key = (None, "ec2-on-demand", region, service, item)
                fact = catalog.service_price(service, item, region)
                price = catalog_facts.known(fact)
                if price is not None and key not in replaced:
                    yield _item(service, item, region, price.usd, price.unit, _day(fact))


def _from_world(seed: PriceSeed) -> Product:
    if seed.instance_type is not None:
        return _instance(seed.instance_type, seed.kind, seed.region, seed.usd, None)
    assert seed.service is not None
    assert seed.item is not None
    return _item(seed.service, seed.item, seed.region, seed.usd, seed.unit, None)


def _instance(name: str, kind: str, region: str, usd: Decimal, day: str | None) -> Product:
    place = {"regionCode": region, "location": region_names().get(region, region)}
    if kind == "hyperpod-on-demand":
        attributes = {
            **place,
            "servicecode": SAGEMAKER,
            "instanceType": f"ml.{name}-Cluster",
            "instanceName": f"ml.{name}",
            "component": "Cluster",
            "usagetype": f"{_prefix(region)}-Cluster:ml.{name}",
            "operation": "RunInstance",
        }
        return Product(SAGEMAKER, "ML Instance", attributes, usd, "Hrs", day)
    usage = f"BoxUsage:{name}"
    attributes = {
        **place,
        "servicecode": EC2,
        "instanceType": name,
        "preInstalledSw": "NA",
        "operatingSystem": "Linux",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "tenancy": "Shared",
        "licenseModel": "No License required",
        "currentGeneration": "Yes",
        "operation": "RunInstances",
        "usagetype": usage if region == "us-east-1" else f"{_prefix(region)}-{usage}",
        **_size(name),
    }
    return Product(EC2, "Compute Instance", attributes, usd, "Hrs", day)


def _size(name: str) -> dict[str, str]:
    found = catalog_facts.catalog().instance(name)
    if found is None:
        return {}
    vcpus, memory = catalog_facts.known(found.vcpus), catalog_facts.known(found.memory_gib)
    size = {} if vcpus is None else {"vcpu": str(vcpus)}
    return size if memory is None else {**size, "memory": f"{memory:g} GiB"}


def _item(
    service: str, item: str, region: str, usd: Decimal, unit: str, day: str | None
) -> Product:
    code, family = SERVICES.get(service, (service, service))
    own_family, usage, more = KNOWN_BY.get((service, item), (None, None, {}))
    family = own_family or family
    attributes = {
        "regionCode": region,
        "location": region_names().get(region, region),
        "servicecode": code,
        "group": service,
        "groupDescription": item,
        "usagetype": f"{_prefix(region)}-{usage or f'{service}:{item}'}",
        **more,
    }
    return Product(code, family, attributes, usd, "Hrs" if unit in _HOURLY else unit, day)


def _day(fact: Any) -> str | None:
    from clusterwright.catalog.dates import as_of

    day = as_of(fact.date)
    return None if day is None else day.isoformat()


def _prefix(region: str) -> str:
    """Return `USE1`: the prefix of the region's zone ids in capitals.

    AWS's prefixes differ from it in some regions (Europe (Ireland) has `EU`); no source
    lists them all.
    """
    zones = sorted(z for z in catalog_facts.catalog().zone_ids(region) if _PLAIN_ZONE.fullmatch(z))
    return zones[0].split("-")[0].upper() if zones else region.upper()
