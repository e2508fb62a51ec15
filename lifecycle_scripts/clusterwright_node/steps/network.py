"""Wait until the names that the node needs resolve: S3, file systems, the accounting database.

With closed egress a missing interface endpoint or disabled DNS support is found here, not minutes
later as a mount that hangs.
"""

from __future__ import annotations

from clusterwright_node.contract import zone_of_directory_bucket
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = ("not_built",)
DEADLINE_SECONDS = 180
RETRIES = 0

_HINT = (
    "the VPC needs enableDnsSupport and enableDnsHostnames, and the endpoint or file system must"
    " exist"
)


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    reason = unresolved(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    node.wait_until(lambda: unresolved(node), _HINT)


def names(node: Node) -> list[str]:
    """The names that must resolve on this node."""
    cluster, deployment = node.inputs.cluster, node.inputs.deployment
    domain = f"{cluster.region}.{_dns_suffix(cluster.region)}"
    found = ["s3." + domain]
    found += [
        f"{bucket}.s3express-{zone_of_directory_bucket(bucket)}.{domain}"
        for bucket in cluster.directory_buckets
    ]
    found += [entry.dns_name for entry in deployment.lustre]
    if deployment.home is not None:
        found.append(deployment.home.dns_name)
    if deployment.accounting is not None and node.is_controller:
        found.append(deployment.accounting.endpoint)
    return found


def unresolved(node: Node) -> str | None:
    """The names that do not resolve, None if all do."""
    bad = [name for name in names(node) if not node.machine.query("getent", "ahosts", name).ok]
    return "no address for {}".format(", ".join(bad)) if bad else None


def _dns_suffix(region: str) -> str:
    if region.startswith("cn-"):
        return "amazonaws.com.cn"
    if region.split("-")[1].startswith("iso"):
        raise StepError(
            f"the DNS suffix of {region} is unknown",
            "use a public, China or GovCloud region",
        )
    return "amazonaws.com"
