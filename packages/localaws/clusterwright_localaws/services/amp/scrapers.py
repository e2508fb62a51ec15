"""Scrapers of Managed Prometheus: collectors that AWS runs beside an EKS cluster.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateScraper.html and the user
guide, "Set up managed collectors for Amazon EKS": the cluster's private endpoint, subnets in two
zones, and no workspace under a customer managed key. A scraper whose cluster has access entries
gets one automatically, for the scraper's service-linked role. No metric is collected. The messages
of refusals are ours.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.ec2.network import Network, User, network_of
from clusterwright_localaws.services.eks import access
from clusterwright_localaws.services.eks.state import EksCluster
from clusterwright_localaws.services.eks.state import Store as EksStore
from clusterwright_localaws.services.workspace_errors import conflict, invalid, missing

POLICY = "AmazonPrometheusScraperPolicy"
ROLE = "aws-service-role/scraper.aps.amazonaws.com/AWSServiceRoleForAmazonPrometheusScraper_{}"
_MOST_IN_A_PAGE = 1000
_LEAST_ZONES = 2


@dataclass
class Scraper:
    """One scraper: its members in the API's answer, and its network interfaces."""

    members: dict[str, Any]
    tags: dict[str, str] = field(default_factory=dict)
    addresses: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)


@dataclass
class Scrapers:
    """The resources of one account and region."""

    by_id: dict[str, Scraper] = field(default_factory=dict)


@operation("amp", "CreateScraper")
def create_scraper(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, _store(call)
    source = _eks_source(request)
    cluster = _cluster(call, source["clusterArn"])
    subnets = _check_network(call, cluster, source)
    _check_destination(call, request["destination"])
    _check_configuration(request["scrapeConfiguration"])
    scraper_id = f"s-{uuid.uuid4()}"
    role_arn = f"arn:{call.partition}:iam::{call.account}:role/{ROLE.format(scraper_id[2:10])}"
    scraper = Scraper(
        members={
            **{name: request[name] for name in ("alias", "roleConfiguration") if name in request},
            "scraperId": scraper_id,
            "arn": f"arn:{call.partition}:aps:{call.region}:{call.account}:scraper/{scraper_id}",
            "roleArn": role_arn,
            "status": {"statusCode": "CREATING"},
            "createdAt": call.now,
            "lastModifiedAt": call.now,
            "scrapeConfiguration": request["scrapeConfiguration"],
            "source": {"eksConfiguration": dict(source)},
            "destination": request["destination"],
        },
        tags=dict(request.get("tags") or {}),
    )
    network = _network(call)
    scraper.addresses = [(subnet.id, network.take(subnet, 1)) for subnet in subnets]
    network.use(
        scraper.members["arn"],
        User(
            f"scraper {scraper_id}",
            tuple(source.get("securityGroupIds", ())),
            tuple(source["subnetIds"]),
        ),
    )
    _admit(call, cluster, role_arn)
    store.by_id[scraper_id] = scraper
    _later(call, lambda: _settle(scraper, "CREATING"))
    return _answer(scraper)


@operation("amp", "DescribeScraper")
def describe_scraper(call: Call) -> Mapping[str, Any]:
    item = _find(call)
    return {"scraper": {**item.members, "tags": dict(item.tags)}}


@operation("amp", "ListScrapers")
def list_scrapers(call: Call) -> Mapping[str, Any]:
    found = [
        {
            **{key: value for key, value in item.members.items() if key != "scrapeConfiguration"},
            "tags": dict(item.tags),
        }
        for item in _store(call).by_id.values()
        if _matches(item, call.parameters.get("filters") or {})
    ]
    return paged(
        call,
        "scrapers",
        found,
        maximum=_MOST_IN_A_PAGE,
        size_member="maxResults",
        next_member="nextToken",
    )


@operation("amp", "UpdateScraper")
def update_scraper(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _idle(call)
    if "destination" in request:
        _check_destination(call, request["destination"])
    if "scrapeConfiguration" in request:
        _check_configuration(request["scrapeConfiguration"])
    for name in ("alias", "scrapeConfiguration", "destination", "roleConfiguration"):
        if name in request:
            one.members[name] = request[name]
    one.members["lastModifiedAt"] = call.now
    one.members["status"] = {"statusCode": "UPDATING"}
    _later(call, lambda: _settle(one, "UPDATING"))
    return _answer(one)


@operation("amp", "DeleteScraper")
def delete_scraper(call: Call) -> Mapping[str, Any]:
    idle = _idle(call)
    idle.members["status"] = {"statusCode": "DELETING"}
    _later(call, lambda: _end(call, idle))
    return {"scraperId": idle.members["scraperId"], "status": idle.members["status"]}


def _store(call: Call) -> Scrapers:
    return call.runtime.store("amp scrapers", call.account, call.region, Scrapers)


def _network(call: Call) -> Network:
    return network_of(call.runtime, call.account, call.region)


def _answer(one: Scraper) -> dict[str, Any]:
    names = ("scraperId", "arn", "status")
    return {**{name: one.members[name] for name in names}, "tags": dict(one.tags)}


def _find(call: Call) -> Scraper:
    scraper_id = call.parameters["scraperId"]
    item = _store(call).by_id.get(scraper_id)
    if item is None:
        raise missing(f"Scraper not found: {scraper_id}", scraper_id, "Scraper")
    return item


def _idle(call: Call) -> Scraper:
    item = _find(call)
    state = item.members["status"]["statusCode"]
    if state in ("CREATING", "UPDATING", "DELETING"):
        raise conflict(f"Scraper is in state {state}", item.members["scraperId"], "Scraper")
    return item


def _later(call: Call, what: Callable[[], None]) -> None:
    timers().after(call.world.delays.workspace, what)


def _settle(one: Scraper, state: str) -> None:
    if one.members["status"]["statusCode"] == state:
        one.members["status"] = {"statusCode": "ACTIVE"}


def _end(call: Call, one: Scraper) -> None:
    network = _network(call)
    for subnet_id, ranges in one.addresses:
        network.give_back(subnet_id, ranges)
    network.release(one.members["arn"])
    arn = str(one.members["source"]["eksConfiguration"]["clusterArn"])
    cluster = _clusters(call).get(arn.rpartition("/")[2])
    if cluster is not None:
        cluster.access_entries.pop(one.members["roleArn"], None)
    del _store(call).by_id[one.members["scraperId"]]


def _of_tags(call: Call) -> Scraper:
    arn = str(call.parameters["resourceArn"])
    if ":scraper/" not in arn:
        raise ForwardToMoto
    item = _store(call).by_id.get(arn.rpartition("/")[2])
    if item is None:
        raise missing(f"Scraper not found: {arn}", arn, "Scraper")
    return item


def _eks_source(request: Mapping[str, Any]) -> Mapping[str, Any]:
    source: Mapping[str, Any] | None = request["source"].get("eksConfiguration")
    if source is None:
        raise invalid("the local AWS supports scrapers of EKS clusters only")
    return source


def _clusters(call: Call) -> Mapping[str, EksCluster]:
    for account, region, store in call.runtime.stores("eks"):
        if (account, region) == (call.account, call.region) and isinstance(store, EksStore):
            return store.clusters
    return {}


def _cluster(call: Call, arn: str) -> EksCluster:
    found = _clusters(call).get(arn.rpartition("/")[2])
    if found is None or found.arn != arn:
        raise missing(f"EKS cluster not found: {arn}", arn, "Cluster")
    if found.status != "ACTIVE":
        raise conflict(f"EKS cluster {found.name} is {found.status}, not ACTIVE", arn, "Cluster")
    if not found.members["resourcesVpcConfig"].get("endpointPrivateAccess"):
        raise invalid(f"EKS cluster {found.name} has no private endpoint")
    return found


def _check_network(call: Call, cluster: EksCluster, source: Mapping[str, Any]) -> list[Any]:
    network, found = _network(call), []
    for subnet_id in source["subnetIds"]:
        subnet = network.subnet(subnet_id)
        if subnet is None or subnet.vpc_id != cluster.vpc_id:
            raise invalid(f"subnet {subnet_id} is not in the cluster's VPC {cluster.vpc_id}")
        if network.free_addresses(subnet) < 1:
            raise invalid(f"subnet {subnet_id} has no free address")
        found.append(subnet)
    if len({subnet.availability_zone_id for subnet in found}) < _LEAST_ZONES:
        raise invalid("subnets of at least two Availability Zones are needed")
    for group_id in source.get("securityGroupIds", ()):
        group = network.security_group(group_id)
        if group is None or group.vpc_id != cluster.vpc_id:
            raise invalid(f"security group {group_id} is not in the cluster's VPC")
    return found


def _check_destination(call: Call, destination: Mapping[str, Any]) -> None:
    configuration = destination.get("ampConfiguration")
    if configuration is None:
        raise invalid("the local AWS has no CloudWatch datasets")
    arn = str(configuration["workspaceArn"])
    workspaces = moto_state.backend("amp", call.account, call.region).workspaces
    found = next((workspace for workspace in workspaces.values() if workspace.arn == arn), None)
    if found is None:
        raise missing(f"Workspace not found: {arn}", arn, "Workspace")
    if getattr(found, "kms_key_arn", None):
        raise invalid(
            "workspaces with customer managed keys cannot use AWS managed collectors: " + arn
        )


def _check_configuration(configuration: Mapping[str, Any]) -> None:
    import yaml

    blob = configuration.get("configurationBlob") or b""
    try:
        document = yaml.safe_load(blob)
    except (yaml.YAMLError, UnicodeDecodeError):
        document = None
    jobs = document.get("scrape_configs") if isinstance(document, dict) else None
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs) or not jobs:
        raise invalid("the scrape configuration is not YAML with scrape_configs")
    names = [job.get("job_name") for job in jobs]
    if None in names or len(set(names)) < len(names):
        raise invalid("every scrape configuration needs a unique job_name")


def _admit(call: Call, cluster: EksCluster, role_arn: str) -> None:
    if cluster.authentication_mode == "CONFIG_MAP":
        return
    access.admit(call, cluster, role_arn, POLICY)


def _matches(one: Scraper, filters: Mapping[str, Any]) -> bool:
    seen = {
        "status": one.members["status"]["statusCode"],
        "sourceArn": one.members["source"]["eksConfiguration"]["clusterArn"],
        "destinationArn": one.members["destination"]["ampConfiguration"]["workspaceArn"],
        "alias": one.members.get("alias"),
    }
    return all(seen.get(name) in values for name, values in filters.items())


tag_operations("amp", lambda call: _of_tags(call).tags)
