"""What the operating commands share: the spec, the cluster's state, rates, results on stderr."""

from __future__ import annotations

import datetime as dt
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clusterwright.cli.inputs import catalog_errors, load_or_exit, read_prices
from clusterwright.cli.progress import ProgressLine

if TYPE_CHECKING:
    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec import LoadedSpec
    from clusterwright.cluster_state.results import ClusterState
    from clusterwright.operate.cost_now import NodeRates

EXIT_CODES = """\b
Exit codes: 3 the command line or the spec is wrong; else 1 something is wrong with the cluster;
else 2 something could not be read; else 0. 70 is an internal error.
"""


@dataclass(frozen=True)
class ReadCluster:
    """A spec, and the deployed cluster of its name."""

    spec: LoadedSpec
    session: AwsSession
    state: ClusterState
    rates: NodeRates


def read_deployed(
    path: Path,
    *,
    command: str,
    output_format: str,
    prices: str | None,
    timeout_seconds: float,
) -> ReadCluster:
    """Load the spec and read what the command needs of its cluster.

    Exits with 3 if the spec or the prices are invalid.
    """
    from clusterwright.aws.session import AwsSession
    from clusterwright.cli.diff_drift import changed_rules
    from clusterwright.cluster_state.parts import parts_of
    from clusterwright.cluster_state.reading import read_cluster

    spec = load_or_exit(path, command=command, output_format=output_format)
    session = AwsSession(spec.cluster.region)
    progress = ProgressLine(sys.stderr, "reading from AWS")
    state = read_cluster(
        session,
        spec.cluster,
        now=dt.datetime.now(dt.UTC),
        deadline_seconds=timeout_seconds,
        progress=progress.show,
        parts=parts_of(command),
        changed_rules=lambda: changed_rules(session, spec.cluster),
    )
    progress.clear()
    rates = rates_of(
        spec, path, command=command, output_format=output_format, prices=prices, now=state.read_at
    )
    return ReadCluster(spec, session, state, rates)


def rates_of(
    spec: LoadedSpec,
    path: Path,
    *,
    command: str,
    output_format: str,
    prices: str | None,
    now: dt.datetime,
) -> NodeRates:
    """The rates of the cluster's nodes: the user's, remembered ones, the catalogue's."""
    from clusterwright.catalog import load_catalog
    from clusterwright.operate.cost_now import NodeRates
    from clusterwright.pricing.remembered_prices import recall

    own = read_prices(path, prices, command=command, output_format=output_format)
    with catalog_errors():
        return NodeRates(
            spec.cluster,
            load_catalog(prices_override=own.rates),
            today=now.date(),
            live=recall(os.environ, spec.cluster.region),
        )
