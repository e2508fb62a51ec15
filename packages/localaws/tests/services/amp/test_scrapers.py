"""Scrapers of Managed Prometheus: requirements, resources in use, and deletion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, refusal

CONFIGURATION = b"scrape_configs:\n- job_name: nodes\n"


@pytest.fixture(scope="module")
def site() -> Iterator[EksSite]:
    with local_aws():
        found = build_eks_site()
        private = {"subnetIds": list(found.subnet_ids), "endpointPrivateAccess": True}
        found.create(resourcesVpcConfig=private)
        yield found


def test_cluster_without_a_private_endpoint_is_refused(site: EksSite) -> None:
    site.create("open")
    asked = request(site, workspace())
    asked["source"]["eksConfiguration"]["clusterArn"] = (
        "arn:aws:eks:us-east-1:123456789012:cluster/open"
    )
    code, words = refusal(client("amp").create_scraper, **asked)
    assert (code, "no private endpoint" in words) == ("ValidationException", True)


def request(site: EksSite, workspace: str, **more: Any) -> dict[str, Any]:
    return {
        "alias": "train",
        "scrapeConfiguration": {"configurationBlob": CONFIGURATION},
        "source": {
            "eksConfiguration": {
                "clusterArn": "arn:aws:eks:us-east-1:123456789012:cluster/eks",
                "subnetIds": list(site.subnet_ids),
                "securityGroupIds": [site.site.group_id],
            }
        },
        "destination": {"ampConfiguration": {"workspaceArn": workspace}},
        **more,
    }


def workspace(**more: Any) -> str:
    return str(client("amp").create_workspace(alias="train", **more)["arn"])


def entries() -> list[str]:
    found = client("eks").list_access_entries(clusterName="eks")["accessEntries"]
    return [arn for arn in found if "AmazonPrometheusScraper" in arn]


def test_scraper_has_access_and_addresses_until_it_is_deleted(site: EksSite) -> None:
    amp, before = client("amp"), site.site.free_addresses()
    made = amp.create_scraper(**request(site, workspace(), tags={"a": "b"}))
    assert made["status"]["statusCode"] == "CREATING"
    assert site.site.free_addresses() == before - 1
    (role,) = entries()
    policies = client("eks").list_associated_access_policies(clusterName="eks", principalArn=role)[
        "associatedAccessPolicies"
    ]
    assert [p["policyArn"].rpartition("/")[2] for p in policies] == [
        "AmazonPrometheusScraperPolicy"
    ]
    # Others may not create such an entry.
    code, words = refusal(
        client("eks").create_access_entry, clusterName="eks", principalArn=f"{role}x"
    )
    assert (code, "Service Linked Role" in words) == ("InvalidParameterException", True)
    scraper = amp.describe_scraper(scraperId=made["scraperId"])["scraper"]
    assert (scraper["status"]["statusCode"], scraper["roleArn"]) == ("ACTIVE", role)
    assert scraper["scrapeConfiguration"]["configurationBlob"] == CONFIGURATION
    amp.tag_resource(resourceArn=made["arn"], tags={"c": "d"})
    amp.untag_resource(resourceArn=made["arn"], tagKeys=["a"])
    assert amp.list_tags_for_resource(resourceArn=made["arn"])["tags"] == {"c": "d"}
    newer = b"scrape_configs: [{job_name: others}]"
    amp.update_scraper(
        scraperId=made["scraperId"], scrapeConfiguration={"configurationBlob": newer}
    )
    scraper = amp.describe_scraper(scraperId=made["scraperId"])["scraper"]
    assert scraper["scrapeConfiguration"]["configurationBlob"] == newer
    assert amp.list_scrapers(filters={"status": ["DELETING"]})["scrapers"] == []
    assert len(amp.list_scrapers(filters={"alias": ["train"], "status": ["ACTIVE"]})["scrapers"])
    (listed,) = amp.list_scrapers()["scrapers"]
    assert (listed["scraperId"], "scrapeConfiguration" in listed) == (made["scraperId"], False)
    amp.delete_scraper(scraperId=made["scraperId"])
    assert amp.list_scrapers()["scrapers"] == []
    assert (site.site.free_addresses(), entries()) == (before, [])
    code, _ = refusal(amp.describe_scraper, scraperId=made["scraperId"])
    assert code == "ResourceNotFoundException"


def test_repeated_request_returns_the_same_scraper(site: EksSite) -> None:
    asked = request(site, workspace(), clientToken="once")
    first, second = (client("amp").create_scraper(**asked) for _ in range(2))
    assert first["scraperId"] == second["scraperId"]
    client("amp").describe_scraper(scraperId=first["scraperId"])
    client("amp").delete_scraper(scraperId=first["scraperId"])


def test_a_workspace_with_a_customer_key_refuses_a_scraper(site: EksSite) -> None:
    """AMP user guide, "Set up managed collectors": such workspaces cannot use them."""
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    arn = workspace(kmsKeyArn=key)
    described = client("amp").describe_workspace(workspaceId=arn.rpartition("/")[2])["workspace"]
    assert described["kmsKeyArn"] == key
    code, words = refusal(client("amp").create_scraper, **request(site, arn))
    assert (code, "customer managed keys" in words) == ("ValidationException", True)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"subnets": 1}, "ValidationException", "two Availability Zones"),
        ({"subnet": "subnet-00000000"}, "ValidationException", "not in the cluster's VPC"),
        ({"group": "sg-00000000"}, "ValidationException", "not in the cluster's VPC"),
        ({"cluster": "absent"}, "ResourceNotFoundException", "EKS cluster not found"),
        ({"workspace": "absent"}, "ResourceNotFoundException", "Workspace not found"),
        ({"blob": b"- no"}, "ValidationException", "not YAML with scrape_configs"),
        ({"blob": b"scrape_configs: [{}]"}, "ValidationException", "a unique job_name"),
        (
            {"blob": b"scrape_configs: [{job_name: a}, {job_name: a}]"},
            "ValidationException",
            "a unique job_name",
        ),
    ],
)
def test_invalid_scrapers_are_refused(
    site: EksSite, change: dict[str, Any], code: str, words: str
) -> None:
    target = (
        "arn:aws:aps:us-east-1:123456789012:workspace/absent"
        if "workspace" in change
        else workspace()
    )
    asked = request(site, target)
    source = asked["source"]["eksConfiguration"]
    if "subnets" in change:
        source["subnetIds"] = source["subnetIds"][:1]
    if "subnet" in change:
        source["subnetIds"][0] = change["subnet"]
    if "group" in change:
        source["securityGroupIds"] = [change["group"]]
    if "cluster" in change:
        source["clusterArn"] = source["clusterArn"].replace("/eks", "/absent")
    if "blob" in change:
        asked["scrapeConfiguration"] = {"configurationBlob": change["blob"]}
    found, message = refusal(client("amp").create_scraper, **asked)
    assert (found, words in message) == (code, True), message
