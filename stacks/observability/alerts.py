"""Alert rules of the workspace, and its alert manager, which sends to the topic of alarms.

Source: Amazon Managed Service for Prometheus user guide, "Giving permission to send alert messages
to your Amazon SNS topic" (read 2026-11-24).
"""

from __future__ import annotations

import datetime as dt
import functools
from pathlib import Path

from aws_cdk import aws_aps as aps
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.alerts.rule_file import rule_file
from clusterwright.alerts.rule_text import as_yaml
from clusterwright.alerts.watched import Rate, watched
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cost.rates import hourly_rate
from clusterwright.pricing import price_files
from stacks.base.service_principals import source

NAMESPACE = "alerts"
PRINCIPAL = "aps.amazonaws.com"

_ROOT = Path(__file__).resolve().parents[2]


def alert_rules(scope: Construct, construct_id: str, workspace_arn: str, text: str) -> None:
    """A rules file of the workspace; `text` is what `rules_text` returned."""
    aps.CfnRuleGroupsNamespace(
        scope, construct_id, workspace=workspace_arn, name=NAMESPACE, data=text
    )


def rules_text(loaded: LoadedSpec) -> str:
    """The rules that `clusterwright render alerts` prints without options.

    Prices are those of the catalogue and of prices.yaml beside the spec: prices that `cost --live`
    remembered on one machine would make another template there.

    Raises
    ------
    SpecErrors
        prices.yaml is invalid.
    """
    found = watched(loaded.cluster, load_catalog(), file=_name(loaded.file), rate=_rate(loaded))
    return as_yaml(rule_file(found).content)


def may_publish(cluster: Cluster, topic_arn: str, workspace_arn: str) -> iam.PolicyStatement:
    """The statement with which the workspace's alert manager, and no other, may publish."""
    return iam.PolicyStatement(
        sid="AlertsOfTheWorkspace",
        principals=[iam.ServicePrincipal(PRINCIPAL)],
        actions=["sns:Publish", "sns:GetTopicAttributes"],
        resources=[topic_arn],
        conditions=source(cluster, source_arn=workspace_arn),
    )


def _rate(loaded: LoadedSpec) -> Rate:
    path = price_files.find(Path(loaded.file))
    own = price_files.read(path).rates if path is not None else None
    return functools.partial(
        hourly_rate,
        load_catalog(prices_override=own),
        region=loaded.cluster.region,
        platform=loaded.cluster.platform,
        today=dt.datetime.now(dt.UTC).date(),
    )


def _name(file: str) -> str:
    """The spec in commands: its path in the repository, elsewhere its name.

    An absolute path would make another template on each machine.
    """
    path = Path(file).resolve()
    return str(path.relative_to(_ROOT)) if path.is_relative_to(_ROOT) else path.name
