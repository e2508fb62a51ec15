"""The Price List Query API: services, attribute values and filters."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.pricing.price_list import products


@pytest.mark.usefixtures("aws")
class TestFilters:
    def names(self, kind: str, value: str) -> set[str]:
        return {
            product["product"]["attributes"]["instanceType"]
            for product in products("AmazonEC2", kind, instanceType=value)
            if "instanceType" in product["product"]["attributes"]
        }

    def test_filter_types_are_supported(self) -> None:
        assert self.names("ANY_OF", "p5.48xlarge, p4d.24xlarge") == {"p5.48xlarge", "p4d.24xlarge"}
        assert self.names("EQUALS", "p5.48xlarge") == {"p5.48xlarge"}
        assert {"p5.48xlarge", "p5en.48xlarge"} <= self.names("CONTAINS", "p5")
        assert "p5.48xlarge" not in self.names("NONE_OF", "p5.48xlarge")
        assert "p4d.24xlarge" in self.names("NONE_OF", "p5.48xlarge")

    def test_filters_are_all_applied(self) -> None:
        found = products("AmazonEC2", instanceType="p5.48xlarge", regionCode="eu-north-1")
        regions = {product["product"]["attributes"]["regionCode"] for product in found}
        assert regions <= {"eu-north-1"}

    def test_services_and_attribute_values_are_listed(self) -> None:
        pricing = client("pricing")
        services = {s["ServiceCode"]: s for s in pricing.describe_services()["Services"]}
        assert {"AmazonEC2", "AmazonSageMaker", "AmazonFSx", "AmazonS3"} <= services.keys()
        assert "tenancy" in services["AmazonEC2"]["AttributeNames"]
        values = pricing.get_attribute_values(ServiceCode="AmazonEC2", AttributeName="tenancy")
        assert values["AttributeValues"] == [{"Value": "Shared"}]

    def test_what_does_not_exist(self) -> None:
        pricing = client("pricing")
        assert refusal(pricing.get_products, ServiceCode="AmazonNothing")[0] == "NotFoundException"
        assert refusal(pricing.describe_services, ServiceCode="No")[0] == "NotFoundException"
        assert (
            refusal(pricing.get_attribute_values, ServiceCode="AmazonEC2", AttributeName="colour")[
                0
            ]
            == "NotFoundException"
        )
        found, _ = refusal(pricing.get_products, ServiceCode="AmazonEC2", NextToken="eA==")
        assert found == "InvalidNextTokenException"
