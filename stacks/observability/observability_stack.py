"""The stack of log retention, metrics, alarms, alert rules and the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import aws_cdk as cdk
from aws_cdk import aws_aps as aps
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from clusterwright.alerts.manager import manager_definition
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.platforms.alerting import has_alert_rules
from stacks.base.cluster_stack import ClusterStack
from stacks.base.tls_only import tls_only
from stacks.hyperpod.log_retention import NodeLogKeeper
from stacks.observability import alarms, alerts
from stacks.observability.budget import monthly_budget
from stacks.observability.grafana import grafana_workspace


@dataclass(frozen=True)
class Watched:
    """Ids of created resources that can become full; owners watch existing ones themselves."""

    lustre: Mapping[str, str] = field(default_factory=dict)
    """File system id by the spec's name."""

    home: str | None = None
    database: str | None = None
    """Its identifier, which is known in advance: with a reference between the stacks, a move to a
    platform without the database could not be deployed.
    """


class ObservabilityStack(ClusterStack):
    """Deployed before the cluster, so that nodes find the workspace when they start, and before
    the lifecycle scripts, which have its id.
    """

    NAME_SUFFIX = "observability"

    def __init__(
        self,
        scope: Construct,
        loaded: LoadedSpec,
        watched: Watched,
        *,
        key_arn: str,
    ) -> None:
        cluster = loaded.cluster
        super().__init__(scope, cluster, description="logs, metrics, alarms, budget")
        self._log_keeper = (
            NodeLogKeeper(self, "NodeLogs", cluster) if cluster.on_hyperpod else None
        )
        self._topic_arn = self._topic(key_arn) if cluster.observability.alarm_emails else None
        workspace = self._prometheus(key_arn) if cluster.observability.prometheus else None
        self.prometheus_workspace_id = workspace.attr_workspace_id if workspace else None
        """The workspace to which nodes send their metrics."""
        self.prometheus_workspace_arn = workspace.attr_arn if workspace else None
        if self._topic_arn is not None:
            self._topic_policy(self._topic_arn)
        if self.prometheus_workspace_arn is not None and has_alert_rules(cluster):
            text = alerts.rules_text(loaded)
            alerts.alert_rules(self, "AlertRules", self.prometheus_workspace_arn, text)
        self._grafana()
        self._alarms(watched)
        monthly_budget(self, "Budget", cluster)

    @property
    def log_keeper(self) -> NodeLogKeeper:
        """The function that sets the retention of HyperPod's log groups."""
        assert self._log_keeper is not None
        return self._log_keeper

    def _prometheus(self, key_arn: str) -> aps.CfnWorkspace:
        """The workspace; the cluster's stack has the permissions to write to it."""
        workspace = aps.CfnWorkspace(
            self,
            "Prometheus",
            alias=self.cluster.environment,
            # AWS's collectors cannot write to a workspace with a customer managed key (AMP user
            # guide, "Set up managed collectors for Amazon EKS"), so AWS's key encrypts it.
            kms_key_arn=None if collected(self.cluster) else key_arn,
            alert_manager_definition=(
                manager_definition(self.cluster.environment, self.cluster.region, self._topic_arn)
                if self._topic_arn is not None and has_alert_rules(self.cluster)
                else None
            ),
        )
        self.protect(workspace)
        cdk.CfnOutput(self, "PrometheusEndpoint", value=workspace.attr_prometheus_endpoint)
        return workspace

    def _grafana(self) -> None:
        asked = self.cluster.observability.grafana
        if asked is None or self.prometheus_workspace_arn is None:
            return
        workspace = grafana_workspace(
            self, self.cluster, asked, prometheus_arn=self.prometheus_workspace_arn
        )
        self.protect(workspace)
        cdk.CfnOutput(self, "GrafanaWorkspaceId", value=workspace.attr_id)
        cdk.CfnOutput(self, "GrafanaUrl", value=f"https://{workspace.attr_endpoint}")

    def _alarms(self, watched: Watched) -> None:
        cluster = self.cluster
        actions = [self._topic_arn] if self._topic_arn is not None else []

        def alarm(
            construct_id: str,
            metric: alarms.SpaceMetric,
            resource_id: str | None,
            capacity_gib: int | None,
            name: str,
            title: str,
        ) -> None:
            # Elastic file systems (Intelligent-Tiering) have no fixed capacity.
            if resource_id is not None and capacity_gib is not None:
                alarms.space_alarm(
                    self,
                    construct_id,
                    metric,
                    resource_id,
                    name=f"{cluster.environment}-{name}",
                    title=title,
                    capacity_gib=capacity_gib,
                    actions=actions,
                )

        for fs in cluster.storage.lustre:
            name, found = str(fs.name), watched.lustre.get(str(fs.name))
            title = f"Lustre {name}"
            alarm(f"Lustre-{name}-NearlyFull", alarms.LUSTRE, found, fs.capacity_gib, name, title)
        home, size = cluster.storage.home, cluster.slurm.accounting.capacity_gib
        home_gib = home.capacity_gib if home is not None else None
        title = "Home directories"
        alarm("HomeNearlyFull", alarms.HOME, watched.home, home_gib, "home", title)
        database = watched.database
        alarm("AccountingNearlyFull", alarms.DATABASE, database, size, "accounting", "Accounting")

    def _topic(self, key_arn: str) -> str:
        own_key = self.cluster.identity.kms_key_arn is None
        topic = alarms.alarm_topic(
            self, "Alarms", self.cluster, key_arn=key_arn if own_key else None
        )
        return topic.ref

    def _topic_policy(self, topic_arn: str) -> None:
        """Alarms of this account, and alerts of the workspace, may be published."""
        statements = [
            iam.PolicyStatement(
                sid="AlarmsOfThisAccount",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": self.cluster.account}},
            )
        ]
        if self.prometheus_workspace_arn is not None and has_alert_rules(self.cluster):
            statements.append(
                alerts.may_publish(self.cluster, topic_arn, self.prometheus_workspace_arn)
            )
        statements.append(tls_only("sns:Publish", topic_arn))
        sns.CfnTopicPolicy(
            self,
            "AlarmsPolicy",
            topics=[topic_arn],
            policy_document=iam.PolicyDocument(statements=statements),
        )
