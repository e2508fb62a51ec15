"""A complete refresh against moto's EC2, with Price List and quotas in the format of AWS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from clusterwright.aws.errors import AwsUnavailable, unavailable
from clusterwright.aws.priced_items import PRICED_ITEMS
from clusterwright.aws.session import AwsSession
from clusterwright.catalog import changes, directory, load_catalog, snapshot
from clusterwright.cli.catalog_live import read_region

CATALOG = load_catalog()


@pytest.fixture
def session() -> Iterator[AwsSession]:
    with mock_aws():
        yield AwsSession("us-east-1")


def test_ec2_answers_confirm_every_fact_from_ec2(session: AwsSession) -> None:
    """moto serves the dump that the data are made from: a round trip must change nothing.

    Where another test has put the local AWS over moto, that adds p6e-gb200 and local zones.
    """
    live = read_region(session, "us-east-1", CATALOG, date="2027-01-01", parts=("instances",))
    before = directory.read(CATALOG.store)
    found = changes.compare(before, snapshot.apply(before, live))
    local = {zone["zone_id"] for zone in before["zones"]["local_zones"]}
    for change in found.changes:
        gained = set((change.after or "").split()) - set((change.before or "").split())
        assert gained <= local or change.fact.startswith("p6e-gb200."), change
    assert found.confirmed > 4000
    assert "p5.48xlarge" in live.instances
    assert set(live.offers["p5en.48xlarge"]) - local == {"use1-az2", "use1-az6"}


class Canned(AwsSession):
    """Answers pages by request, in any order of the threads."""

    def __init__(self, answers: dict[tuple[str, str], list[dict[str, Any]] | AwsUnavailable]):
        super().__init__("us-east-1")
        self.answers = answers

    def pages(
        self, service: str, operation: str, *, region: str | None = None, **parameters: Any
    ) -> Iterator[dict[str, Any]]:
        answer = self.answers[operation, parameters["ServiceCode"]]
        if isinstance(answer, AwsUnavailable):
            raise answer
        yield from answer


def product(attributes: dict[str, str], usd: str, unit: str = "Hrs") -> str:
    dimension = {"unit": unit, "pricePerUnit": {"USD": usd}}
    term = {"priceDimensions": {"d": dimension}, "effectiveDate": "2026-12-01T00:00:00Z"}
    return json.dumps({"product": {"attributes": attributes}, "terms": {"OnDemand": {"t": term}}})


def refusal(operation: str, code: str) -> AwsUnavailable:
    error = ClientError({"Error": {"Code": code, "Message": "no"}}, operation)
    service = "pricing" if operation == "GetProducts" else "service-quotas"
    return unavailable(error, service=service, operation=operation, region="us-east-1")


def answers() -> dict[tuple[str, str], list[dict[str, Any]] | AwsUnavailable]:
    quota = {
        "ServiceCode": "sagemaker",
        "QuotaCode": "L-8762A75F",
        "QuotaName": "ml.p5.48xlarge for cluster usage",
        "Value": 0.0,
        "Unit": "None",
        "Adjustable": True,
    }
    unwanted = {**quota, "QuotaCode": "L-00000000", "QuotaName": "Number of notebooks"}
    found: dict[tuple[str, str], list[dict[str, Any]] | AwsUnavailable] = {
        ("GetProducts", "AmazonEC2"): [
            {
                "PriceList": [
                    product({"instanceType": "p5.48xlarge"}, "55.0400000000"),
                    product({"instanceType": "m5.8xlarge"}, "1.5"),
                    product({"instanceType": "m5.8xlarge"}, "1.6"),
                    product({"instanceType": "c4.large"}, "0.1"),
                ]
            }
        ],
        ("GetProducts", "AmazonSageMaker"): [
            {"PriceList": [product({"usagetype": "USE1-Cluster:ml.p5.48xlarge"}, "66.048")]}
        ],
    }
    for item in PRICED_ITEMS:
        found.setdefault(("GetProducts", item.service_code), [])
    gateways = [("USE1-VpcEndpoint-Hours", "0.0100"), ("USE1-VpcEndpoint-Bytes", "0.01")]
    gateways.append(("USE1-VpcEndpoint-Bytes", "0.02"))
    found["GetProducts", "AmazonVPC"] = [
        {
            "PriceList": [
                product({"usagetype": usage}, usd, "GB" if "Bytes" in usage else "Hrs")
                for usage, usd in gateways
            ]
        }
    ]
    for service in {quota.service for quota in CATALOG.quotas}:
        key = ("ListAWSDefaultServiceQuotas", service)
        found[key] = refusal(key[0], "NoSuchResourceException")
    found["ListAWSDefaultServiceQuotas", "sagemaker"] = [{"Quotas": [quota, unwanted]}]
    return found


def test_prices_and_quotas_are_combined() -> None:
    live = read_region(
        Canned(answers()), "us-east-1", CATALOG, date="2027-01-01", parts=("prices", "quotas")
    )
    assert live.prices == {
        ("p5.48xlarge", "ec2-on-demand"): "55.04",
        ("m5.8xlarge", "ec2-on-demand"): None,
        ("p5.48xlarge", "hyperpod-on-demand"): "66.048",
    }
    # Of the data that endpoints process the Price List has two amounts: neither is taken.
    assert live.services == {("vpc_endpoint", "interface endpoint"): ("0.01", "hour")}
    assert live.quotas == (
        ("sagemaker", "L-8762A75F", "ml.p5.48xlarge for cluster usage", "None", 0.0),
    )
    assert live.instances == {}


@pytest.mark.parametrize(
    ("question", "code", "action"),
    [
        (("GetProducts", "AmazonSageMaker"), "AccessDeniedException", "pricing:GetProducts"),
        (
            ("ListAWSDefaultServiceQuotas", "ec2"),
            "AccessDeniedException",
            "servicequotas:ListAWSDefaultServiceQuotas",
        ),
        (
            ("ListAWSDefaultServiceQuotas", "fsx"),
            "TooManyRequestsException",
            "servicequotas:ListAWSDefaultServiceQuotas",
        ),
    ],
)
def test_incomplete_answers_create_no_snapshot(
    question: tuple[str, str], code: str, action: str
) -> None:
    given = {**answers(), question: refusal(question[0], code)}
    with pytest.raises(AwsUnavailable) as caught:
        read_region(
            Canned(given), "us-east-1", CATALOG, date="2027-01-01", parts=("prices", "quotas")
        )
    assert caught.value.iam_action == action


def test_other_endpoint_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4566")
    live = read_region(
        Canned(answers()), "us-east-1", CATALOG, date="2027-01-01", parts=("prices",)
    )
    assert live.endpoint == "http://localhost:4566"
