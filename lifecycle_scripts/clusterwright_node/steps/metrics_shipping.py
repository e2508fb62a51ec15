"""Configure the image's CloudWatch agent to send the node's metrics to the Prometheus workspace.

If the spec has a workspace and the image the agent: the agent scrapes this node's exporter
(`metrics`) and writes to the workspace with the node's role. Each node sends its own metrics, so
no service discovery is needed. The agent's own metrics still go to CloudWatch.

Source: amazon-cloudwatch-agent, `translator/translate/otel/pipeline/prometheus/translators.go`
and its tests: `metrics.metrics_collected.prometheus` with `metrics_destinations.amp.workspace_id`
makes a pipeline from scraping to remote write; `prometheus_config_path` is a file in Prometheus's
format. Older agents refuse it, which is logged and does not stop the node.
"""

from __future__ import annotations

import json

from clusterwright_node import cloudwatch_agent
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps.metrics import listen_address

AFTER = ("log_shipping", "metrics")
DEADLINE_SECONDS = 120
RETRIES = 0

NAME = "metrics"
SCRAPE = f"{cloudwatch_agent.FOLDER}/clusterwright-prometheus.yaml"


def applies(node: Node) -> Verdict:
    if node.inputs.cluster.metrics is None:
        return skip("the spec has no metrics")
    if node.inputs.deployment.prometheus_workspace_id is None:
        return skip("the spec has no workspace to send metrics to")
    return APPLIES


def check(node: Node) -> Verdict:
    if not cloudwatch_agent.is_there(node):
        node.notice(
            "the image has no CloudWatch agent: metrics are served on the node, but not sent to "
            "the workspace"
        )
        return SATISFIED
    if node.machine.read_text(SCRAPE) != scrape_text(node):
        return missing(f"{SCRAPE} is outdated")
    text = configuration(node)
    reason = cloudwatch_agent.lacks(node, NAME, text)
    if reason is not None:
        return missing(reason)
    error = cloudwatch_agent.refusal(node, NAME, text)
    if error:
        node.notice(f"the CloudWatch agent does not send the metrics: {error}")
    return SATISFIED


def apply(node: Node) -> None:
    text = scrape_text(node)
    if node.machine.read_text(SCRAPE) != text:
        node.machine.write_text(SCRAPE, text)
    cloudwatch_agent.tell(node, NAME, configuration(node))


def configuration(node: Node) -> str:
    """The configuration that is appended to the agent's."""
    workspace = node.inputs.deployment.prometheus_workspace_id
    value = {
        "metrics": {
            # Both: without cloudwatch, the image's metrics would no longer be sent there.
            "metrics_destinations": {"cloudwatch": {}, "amp": {"workspace_id": workspace}},
            "metrics_collected": {"prometheus": {"prometheus_config_path": SCRAPE}},
        }
    }
    return json.dumps(value, indent=2) + "\n"


def scrape_text(node: Node) -> str:
    """Prometheus's scrape configuration, in JSON, which is YAML."""
    metrics = node.inputs.cluster.metrics
    assert metrics is not None, "applies() asked"
    labels = {
        "cluster": node.inputs.cluster.cluster,
        "group": node.identity.group,
        "instance_id": node.identity.instance_id,
        "node": node.identity.name,
    }
    value = {
        "global": {"scrape_interval": f"{metrics.interval_seconds}s", "scrape_timeout": "10s"},
        "scrape_configs": [
            {
                "job_name": "clusterwright",
                "static_configs": [{"targets": [listen_address(node, metrics)], "labels": labels}],
            }
        ],
    }
    return json.dumps(value, indent=2) + "\n"
