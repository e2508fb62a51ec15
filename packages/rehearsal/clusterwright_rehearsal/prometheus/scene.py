"""A rehearsed cluster that Prometheus watches, with a training log and the panels' queries."""

from __future__ import annotations

import contextlib
import datetime as dt
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

from clusterwright_rehearsal import cluster_size
from clusterwright_rehearsal.prometheus import rendered, server, shortened_rules
from clusterwright_rehearsal.scenario_api import training_log
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

_STAGE_S = 120.0


@dataclass
class Scene:
    """The monitored cluster. `first` and `second` are the compute nodes with faults."""

    context: ScenarioContext
    monitoring: server.Monitoring
    severities: dict[str, str]
    queries: list[rendered.PanelQuery]
    training: training_log.LoggedTraining
    unanswered: dict[str, set[str]] = field(default_factory=dict)
    """Expressions without data so far, by panel."""

    @property
    def first(self) -> Node:
        """The first compute node."""
        return self.context.compute[0]

    @property
    def second(self) -> Node:
        """The second compute node."""
        return self.context.compute[1]

    @property
    def login(self) -> Node:
        """A node that runs no jobs and is not the controller, if there is one."""
        nodes = self.context.nodes("login")
        return nodes[0] if nodes else self.context.controller

    def wait_fired(self, names: frozenset[str]) -> None:
        """Wait until each of these alerts has fired."""

        def missing() -> str | None:
            lacking = names - self.monitoring.fired()
            return f"did not fire: {', '.join(sorted(lacking))}" if lacking else None

        seconds = self.context.wait_for(missing, within_s=_STAGE_S)
        self.context.note(f"{len(names)} after {seconds:.0f} s")

    def wait_for_data(self, expression: str) -> None:
        """Wait until Prometheus has a sample of it."""

        def missing() -> str | None:
            return None if self.monitoring.query(expression) else f"no data of {expression}"

        self.context.wait_for(missing, within_s=30)

    def ask_panels(self) -> None:
        """Put the queries that have had no data so far."""
        for panel, expressions in self.unanswered.items():
            self.unanswered[panel] = {
                each for each in expressions if not self.monitoring.query(each)
            }


@contextlib.contextmanager
def monitored(context: ScenarioContext, capacity_ends: dt.datetime) -> Iterator[Scene]:
    """Watch the cluster in the `with` block.

    Raises
    ------
    RehearsalError
        The rules or dashboards cannot be rendered, or Prometheus does not start.
    """
    folder = context.folder / "prometheus"
    # Samples of an earlier run would count as alerts of this one.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    spec = cluster_size.write(context.spec, folder / "spec")
    rules = rendered.rules(spec, capacity_ends.replace(microsecond=0))
    environment = context.cluster.environment
    queries = rendered.panel_queries(spec, folder / "dashboards", environment)
    training = training_log.start(context)
    try:
        with server.running(
            network=context.network,
            registry=context.registry,
            folder=folder,
            targets=targets(context),
            rules=shortened_rules.shortened(rules),
            manager=rendered.manager(environment, context.cluster.region),
        ) as monitoring:
            scene = Scene(context, monitoring, rendered.severities(rules), queries, training)
            for query in queries:
                scene.unanswered.setdefault(query.panel, set()).add(query.expression)
            yield scene
    finally:
        training.end()


def targets(context: ScenarioContext) -> list[dict[str, object]]:
    """The nodes, with the labels that the CloudWatch agent adds (`metrics_shipping.py`)."""
    return [
        {
            "targets": [f"{node.address}:{context.cluster.observability.metrics.port}"],
            "labels": {
                "cluster": context.cluster.environment,
                "group": node.group,
                "instance_id": node.instance_id,
                "node": node.name,
            },
        }
        for node in context.nodes()
    ]
