"""What tests of other packages use beside `local_aws()`: worlds, faults, policies, API lists."""

from __future__ import annotations

from clusterwright_localaws.api_page import own_operations
from clusterwright_localaws.core.catalog_facts import addresses_per_node
from clusterwright_localaws.core.paging_model import Paging, paging_of
from clusterwright_localaws.core.runtime import Runtime, runtime
from clusterwright_localaws.iam.actions import action_of
from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.evaluation import Policies, Request, evaluate
from clusterwright_localaws.iam.policy import read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.requirements import NOT_IN_REFERENCE
from clusterwright_localaws.services.eks import versions as eks_versions
from clusterwright_localaws.services.parallelcluster.validation import PYTHON as PCLUSTER_PYTHON
from clusterwright_localaws.services.pcs import settings as pcs_settings
from clusterwright_localaws.services.pricing.products import KNOWN_BY
from clusterwright_localaws.worlds.contradictions import with_changes
from clusterwright_localaws.worlds.injections import ClusterEvent, LogLines, NodeFault, Override
from clusterwright_localaws.worlds.loading import load_world
from clusterwright_localaws.worlds.model import CostSeed, Delays, Fault, SpotPriceSeed, World

__all__ = [
    "KNOWN_BY",
    "NOT_IN_REFERENCE",
    "PCLUSTER_PYTHON",
    "Caller",
    "ClusterEvent",
    "CostSeed",
    "Delays",
    "Fault",
    "LogLines",
    "NodeFault",
    "Override",
    "Paging",
    "Policies",
    "Request",
    "RequestContext",
    "Runtime",
    "SpotPriceSeed",
    "World",
    "action_of",
    "addresses_per_node",
    "eks_versions",
    "evaluate",
    "load_world",
    "own_operations",
    "paging_of",
    "pcs_settings",
    "read_policy",
    "runtime",
    "with_changes",
]
