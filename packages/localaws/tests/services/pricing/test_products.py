"""The price list: documents in AWS's format, filters, prices of catalogue and world."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client
from packages.localaws.tests.services.pricing.price_list import products

# The filter that autoscalers use for the plain Linux on-demand price of EC2.
NOT_SERVED = {"pcs", "vpc"}
"""Their service code or product family in the Price List is in no source that was read."""
PLAIN_LINUX = {
    "regionCode": "us-east-1",
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "tenancy": "Shared",
}


def usd(product: dict[str, Any]) -> Decimal:
    (term,) = product["terms"]["OnDemand"].values()
    (dimension,) = term["priceDimensions"].values()
    return Decimal(dimension["pricePerUnit"]["USD"])


@pytest.mark.usefixtures("aws")
class TestInstances:
    def test_ec2_on_demand_price_of_the_catalogue_is_returned(self) -> None:
        price = load_catalog().instance_price("p5.48xlarge", "us-east-1", "ec2-on-demand")
        assert isinstance(price, Known)
        (product,) = products("AmazonEC2", instanceType="p5.48xlarge", **PLAIN_LINUX)
        assert usd(product) == price.value.usd
        assert product["serviceCode"] == "AmazonEC2"
        assert product["product"]["productFamily"] == "Compute Instance"
        assert product["product"]["attributes"]["vcpu"] == "192"
        assert product["product"]["attributes"]["location"] == "US East (N. Virginia)"

    def test_hyperpod_price_of_the_catalogue_is_returned(self) -> None:
        price = load_catalog().instance_price("p5.48xlarge", "us-east-1", "hyperpod-on-demand")
        assert isinstance(price, Known)
        (product,) = products(
            "AmazonSageMaker",
            regionCode="us-east-1",
            component="Cluster",
            instanceName="ml.p5.48xlarge",
        )
        assert usd(product) == price.value.usd
        assert product["product"]["attributes"]["usagetype"] == "USE1-Cluster:ml.p5.48xlarge"

    def test_products_have_the_documented_format(self) -> None:
        (product,) = products("AmazonEC2", instanceType="p5.48xlarge", **PLAIN_LINUX)
        sku = product["product"]["sku"]
        ((offer, term),) = product["terms"]["OnDemand"].items()
        ((rate, dimension),) = term["priceDimensions"].items()
        assert offer == f"{sku}.{term['offerTermCode']}"
        assert rate == dimension["rateCode"]
        assert rate.startswith(f"{offer}.")
        assert dimension["unit"] == "Hrs"
        assert isinstance(dimension["pricePerUnit"]["USD"], str)

    def test_skus_are_unique_and_stable(self) -> None:
        first = [p["product"]["sku"] for p in products("AmazonEC2")]
        assert len(set(first)) == len(first) > 50
        assert first == [p["product"]["sku"] for p in products("AmazonEC2")]

    def test_a_type_without_a_sourced_price_has_no_product(self) -> None:
        assert products("AmazonEC2", instanceType="p9.48xlarge") == []
        assert products("AmazonEC2", instanceType="p5.48xlarge", tenancy="Dedicated") == []


class TestWorldPrices:
    def test_page_has_at_most_a_hundred_products(self) -> None:
        seeds = [
            {"instance_type": f"x{number}.large", "region": "us-east-1", "usd": number}
            for number in range(150)
        ]
        with local_aws(prices=seeds):
            pricing = client("pricing")
            first = pricing.get_products(ServiceCode="AmazonEC2")
            assert len(first["PriceList"]) == 100
            assert first["FormatVersion"] == "aws_v1"
            second = pricing.get_products(
                ServiceCode="AmazonEC2", NextToken=first["NextToken"], MaxResults=10
            )
            assert len(second["PriceList"]) == 10
            assert not set(first["PriceList"]) & set(second["PriceList"])
            names = [
                product["product"]["attributes"].get("instanceType")
                for product in products("AmazonEC2")
            ]
        assert {f"x{number}.large" for number in range(150)} <= set(names)

    def test_price_of_the_world_replaces_the_catalogue(self) -> None:
        seed = {"instance_type": "p5.48xlarge", "region": "us-east-1", "usd": "1.25"}
        with local_aws(prices=[seed]):
            (product,) = products("AmazonEC2", instanceType="p5.48xlarge", **PLAIN_LINUX)
            assert usd(product) == Decimal("1.25")
            others = products("AmazonSageMaker", instanceName="ml.p5.48xlarge")
            assert Decimal("1.25") not in {usd(other) for other in others}

    def test_world_can_add_prices(self) -> None:
        seed = {"instance_type": "p9.48xlarge", "region": "us-east-1", "usd": "99"}
        with local_aws(prices=[{**seed, "kind": "hyperpod-on-demand"}]):
            (product,) = products("AmazonSageMaker", instanceName="ml.p9.48xlarge")
        assert usd(product) == 99

    def test_service_products_have_prices(self) -> None:
        catalog = load_catalog()
        item = catalog.service_items("fsx_lustre")[0]
        seed = {"service": "fsx_lustre", "item": item, "region": "us-east-1", "usd": "0.5"}
        with local_aws(prices=[{**seed, "unit": "GB-month"}]):
            (product,) = products(
                "AmazonFSx", regionCode="us-east-1", group="fsx_lustre", groupDescription=item
            )
        assert usd(product) == Decimal("0.5")


@pytest.mark.usefixtures("aws")
class TestEverythingThatIsPriced:
    """Each price of the catalogue is found, as the only one, by a user's filters."""

    def test_instance_prices_match_the_catalogue(self) -> None:
        catalog, seen = load_catalog(), 0
        everything: dict[str, list[dict[str, Any]]] = {
            code: products(code) for code in ("AmazonEC2", "AmazonSageMaker")
        }

        def alone(code: str, **wanted: str) -> dict[str, Any]:
            found = [
                resource
                for resource in everything[code]
                if wanted.items() <= resource["product"]["attributes"].items()
            ]
            assert len(found) == 1, wanted
            return found[0]

        for name, kind, region in sorted(catalog.priced):
            price = catalog.instance_price(name, region, kind)
            if catalog.local_zone(region) or not isinstance(price, Known):
                continue
            if kind == "ec2-on-demand":
                filters = {**PLAIN_LINUX, "instanceType": name, "regionCode": region}
                found = alone("AmazonEC2", **filters)
            elif kind == "hyperpod-on-demand":
                found = alone(
                    "AmazonSageMaker",
                    instanceType=f"ml.{name}-Cluster",
                    regionCode=region,
                    component="Cluster",
                )
            else:
                continue
            seen += 1
            assert usd(found) == price.value.usd, (name, region)
        assert seen > 70

    def test_sampled_instance_prices_are_returned_by_the_api(self) -> None:
        """The same through GetProducts, for training instance types."""
        catalog = load_catalog()
        for name in ("p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge", "g6e.48xlarge", "m5.xlarge"):
            price = catalog.instance_price(name, "us-east-1", "ec2-on-demand")
            assert isinstance(price, Known), name
            (found,) = products("AmazonEC2", instanceType=name, **PLAIN_LINUX)
            assert usd(found) == price.value.usd

    def test_service_prices_match_the_catalogue(self) -> None:
        from clusterwright_localaws.services.pricing.products import KNOWN_BY, SERVICES

        catalog, seen = load_catalog(), 0
        for service in catalog.services:
            if service in NOT_SERVED:
                continue
            code, family = SERVICES[service]
            everything = products(code, regionCode="us-east-1")
            for item in catalog.service_items(service):
                price = catalog.service_price(service, item, "us-east-1")
                found = [
                    resource
                    for resource in everything
                    if resource["product"]["attributes"].get("groupDescription") == item
                    and resource["product"]["attributes"].get("group") == service
                ]
                if not isinstance(price, Known):
                    assert found == []
                    continue
                seen += 1
                (entry,) = found
                assert usd(entry) == price.value.usd
                own, usage, _ = KNOWN_BY.get((service, item), (None, None, {}))
                assert entry["product"]["productFamily"] == (own or family)
                if usage is not None:
                    assert entry["product"]["attributes"]["usagetype"].endswith(f"-{usage}")
        assert seen > 20

    def test_products_have_unique_skus_and_filterable_attributes(self) -> None:
        pricing = client("pricing")
        for described in pricing.describe_services()["Services"]:
            code = described["ServiceCode"]
            everything = products(code)
            assert len({resource["product"]["sku"] for resource in everything}) == len(everything)
            for name in described["AttributeNames"]:
                pages = pricing.get_paginator("get_attribute_values")
                values = {
                    value["Value"]
                    for page in pages.paginate(ServiceCode=code, AttributeName=name)
                    for value in page["AttributeValues"]
                }
                assert values == {
                    resource["product"]["attributes"][name]
                    for resource in everything
                    if name in resource["product"]["attributes"]
                }
