"""The metrics that a node exports, as a Prometheus server in the cluster reads them."""

from __future__ import annotations

import re
import time

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

SCRAPE_TIMEOUT_S = 10.0
"""The default of Prometheus."""
_LINE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")

Samples = dict[str, float]
"""Value by name and labels."""


def scrape(context: ScenarioContext, node: Node) -> tuple[Samples, float]:
    """The samples of a node, and the seconds until it answered. Raises `Broken` without them."""
    metrics = context.cluster.observability.metrics
    asker, host = context.controller, node.address
    if metrics.listen == "loopback":
        asker, host = node, "127.0.0.1"
    started = time.monotonic()
    text = asker.must(
        f"curl --silent --show-error --fail --max-time {SCRAPE_TIMEOUT_S:.0f}"
        f" http://{host}:{metrics.port}/metrics"
    )
    samples: Samples = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is not None:
            labels = f"{{{match.group(2)}}}" if match.group(2) else ""
            samples[match.group(1) + labels] = float(match.group(3))
        elif not line.startswith("#"):
            raise Broken(f"{node}: not a sample: {line!r}")
    return samples, time.monotonic() - started
