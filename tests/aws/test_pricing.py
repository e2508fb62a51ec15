"""The Price List: requested products, and their terms."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import pricing
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> AwsSession:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return AwsSession("eu-west-2")


def product(
    attributes: dict[str, str], *amounts: str, unit: str = "Hrs", date: str = "2026-11-01"
) -> str:
    dimensions = {
        f"d{i}": {"unit": unit, "pricePerUnit": {"USD": amount}}
        for i, amount in enumerate(amounts)
    }
    term = {"priceDimensions": dimensions, "effectiveDate": f"{date}T00:00:00Z"}
    return json.dumps(
        {"product": {"attributes": attributes, "sku": "S"}, "terms": {"OnDemand": {"S.T": term}}}
    )


def page(*products: str, token: str | None = None) -> dict[str, Any]:
    return {"PriceList": list(products), **({"NextToken": token} if token else {})}


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [
        ("us-west-2", "us-east-1"),
        ("sa-east-1", "us-east-1"),
        ("eu-west-2", "eu-central-1"),
        ("ap-northeast-1", "ap-south-1"),
        ("cn-north-1", "cn-northwest-1"),
    ],
)
def test_price_list_is_requested_in_a_supported_region(region: str, endpoint: str) -> None:
    assert pricing.endpoint_region(region) == endpoint


def test_ec2_rates_are_linux_on_demand_from_all_pages(session: AwsSession) -> None:
    filters = {
        "regionCode": "eu-west-2",
        "preInstalledSw": "NA",
        "operatingSystem": "Linux",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "tenancy": "Shared",
    }
    asked = {
        "ServiceCode": "AmazonEC2",
        "FormatVersion": "aws_v1",
        "Filters": [{"Type": "TERM_MATCH", "Field": f, "Value": v} for f, v in filters.items()],
    }
    with Stubber(session.client("pricing", "eu-central-1")) as stub:
        stub.add_response(
            "get_products",
            page(product({"instanceType": "p5.48xlarge"}, "71.5520000000"), token="more"),
            asked,
        )
        stub.add_response(
            "get_products",
            page(
                product({"instanceType": "m5.8xlarge"}, "1.776", "1.999"),
                product({"instanceType": "m5.8xlarge"}, "1.776"),
                product({"instanceType": "free.large"}, "0.0000000000"),
                product({"instanceType": "odd.large"}, "3.0", unit="Quantity"),
                product({"instanceType": "bad.large"}, "three"),
                product({"volumeType": "gp3"}, "0.08"),
            ),
            {**asked, "NextToken": "more"},
        )
        found = pricing.ec2_on_demand(session, "eu-west-2")
    assert found == {
        "m5.8xlarge": (
            pricing.Rate("m5.8xlarge", Decimal("1.776"), "2026-11-01"),
            pricing.Rate("m5.8xlarge", Decimal("1.999"), "2026-11-01"),
        ),
        "p5.48xlarge": (pricing.Rate("p5.48xlarge", Decimal("71.5520000000"), "2026-11-01"),),
    }


def test_hyperpod_rates_are_cluster_usage_types_only(session: AwsSession) -> None:
    usages = {
        "EUW2-Cluster:ml.p5.48xlarge": "85.8",
        "Cluster:ml.m5.8xlarge": "2.1",
        "EUW2-ClusterSpot:ml.p5.48xlarge": "20",
        "EUW2-Train:ml.p5.48xlarge": "90",
    }
    asked = {
        "ServiceCode": "AmazonSageMaker",
        "FormatVersion": "aws_v1",
        "Filters": [
            {"Type": "TERM_MATCH", "Field": "regionCode", "Value": "eu-west-2"},
            {"Type": "CONTAINS", "Field": "usagetype", "Value": "Cluster:ml."},
        ],
    }
    with Stubber(session.client("pricing", "eu-central-1")) as stub:
        rows = [product({"usagetype": usage}, usd) for usage, usd in usages.items()]
        stub.add_response("get_products", page(*rows), asked)
        found = pricing.hyperpod_on_demand(session, "eu-west-2")
    assert {name: rates[0].usd_per_hour for name, rates in found.items()} == {
        "m5.8xlarge": Decimal("2.1"),
        "p5.48xlarge": Decimal("85.8"),
    }


def test_denial_names_the_pricing_permission(session: AwsSession) -> None:
    with Stubber(session.client("pricing", "eu-central-1")) as stub:
        stub.add_client_error("get_products", "AccessDeniedException", http_status_code=400)
        with pytest.raises(AwsUnavailable) as caught:
            pricing.ec2_on_demand(session, "eu-west-2")
    assert caught.value.iam_action == "pricing:GetProducts"
