"""Goodput and money: which share of the cluster works, and what the rest costs."""

from __future__ import annotations

from decimal import Decimal

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row, stat
from clusterwright.monitoring.selectors import holders, on_cluster

_BAD = 'state=~"down|drained|draining|fail.*|error|unknown|not_responding"'
_IDLE_BELOW = "0.05"
_SECONDS_PER_HOUR = 3600


def dashboard(facts: Facts) -> Dashboard:
    """Shares of the cluster, and money by the prices of the catalogue."""
    unknown = (
        f" The price of {', '.join(facts.unpriced)} is unknown and not counted."
        if facts.unpriced
        else ""
    )
    return Dashboard(
        name="goodput_and_money",
        title="Goodput and money",
        description="Which share of the cluster works, and what nodes cost per hour, at the prices"
        " of the catalogue when this file was written. The goodput of a run, with the steps that"
        " were repeated, comes from its logs: `clusterwright report goodput`." + unknown,
        variables=(),
        rows=tuple(row for row in (_shares(), _money(facts)) if row.panels),
    )


def _shares() -> Row:
    devices = on_cluster("slurm_devices", 'resource=~"gpu|neuron"')
    held = on_cluster("slurm_devices_allocated", 'resource=~"gpu|neuron"')
    util = on_cluster("gpu_utilization_ratio")
    return Row(
        "Shares",
        (
            stat("Accelerators that jobs hold", "Of those that Slurm has.", "percentunit",
                 Query(f"sum({held}) / sum({devices})"), width=8),
            stat("Nodes that take no jobs", "Nodes that are down, drained or failed, of all.",
                 "percentunit",
                 Query(f"(sum({on_cluster('slurm_nodes', _BAD)}) or vector(0))"
                       f" / sum({on_cluster('slurm_nodes')})"), alarm_at=0.05, width=8),
            stat("Use of GPUs", "Share of time in which a kernel was running, mean of all.",
                 "percentunit", Query(f"avg({util})"), width=8),
            Panel("From capacity to work", "Each share is at most the one before: accelerators"
                  " that jobs hold, GPUs with a kernel, cycles of the tensor pipe (with DCGM)."
                  " The difference of two is what is lost between them.", "percentunit",
                  (Query(f"sum({held}) / sum({devices})", "held by jobs"),
                   Query(f"avg({util})", "a kernel runs"),
                   Query(f"avg({on_cluster('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE')})", "tensor pipe")),
                  width=24, maximum=1),
        ),
    )  # fmt: skip


def _money(facts: Facts) -> Row:
    prices = {name: _number(usd) for name, usd in facts.usd_per_node_hour.items()}
    gpus = {name: usd for name, usd in prices.items() if name in facts.accelerated}
    if not prices:
        return Row("Money", ())

    def nodes(group: str) -> str:
        return on_cluster("node_boot_time_seconds", f'group="{group}"')

    def costing(group: str, selector: str) -> str:
        return f"(count({selector}) or vector(0)) * {prices[group]}"

    def unused(group: str) -> str:
        used = on_cluster("gpu_utilization_ratio", f'group="{group}"')
        busy = f"max by (node) ({used})"
        return f"(count({busy} < {_IDLE_BELOW}) or vector(0)) * {prices[group]}"

    def in_range(expression: str) -> str:
        mean = f"avg_over_time(({expression})[$__range:5m])"
        return f"{mean} * $__range_s / {_SECONDS_PER_HOUR}"

    every = {name: costing(name, nodes(name)) for name in prices}
    no_job = {
        name: costing(name, f"{nodes(name)} unless on (node) {holders()}") for name in prices
    }
    idle = {name: unused(name) for name in gpus}
    return Row(
        "Money",
        (
            stat("Cost in this period", "Nodes that report times their price per hour, over the"
                 " period of the dashboard. Storage, network and the controller are not in it.",
                 "currencyUSD", Query(in_range(" + ".join(every.values()))), width=8),
            stat("Cost of nodes without a job, in this period", "The part of nodes that no job"
                 " held.", "currencyUSD", Query(in_range(" + ".join(no_job.values()))), width=8),
            *([stat("Cost of unused GPUs, in this period", "The part of nodes of which no GPU was"
                    " used more than 5 % of the time, with or without a job.", "currencyUSD",
                    Query(in_range(" + ".join(idle.values()))), width=8)] if idle else []),
            Panel("Cost per hour", "Nodes that report times their price per hour, by group.",
                  "currencyUSD", tuple(Query(every[name], name) for name in prices), stacked=True),
            Panel("Cost per hour of nodes without a job", "Nodes that report and that no job"
                  " holds, by group.", "currencyUSD",
                  tuple(Query(no_job[name], name) for name in prices), stacked=True),
            *([Panel("Cost per hour of unused GPUs", "Nodes of which no GPU is used more than"
                     " 5 % of the time, by group.", "currencyUSD",
                     tuple(Query(idle[name], name) for name in gpus), stacked=True)]
              if idle else []),
        ),
    )  # fmt: skip


def _number(usd: Decimal) -> str:
    return f"{usd.normalize():f}"
