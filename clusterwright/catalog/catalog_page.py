"""The page `docs/reference/catalog.md`: `python -m tools.docs catalog`."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Final, get_args

from clusterwright.catalog import Catalog, Unknown, report
from clusterwright.catalog.dates import STALE_AFTER_DAYS
from clusterwright.catalog.model import PriceKind

_TEMPLATE: Final = Path(__file__).with_suffix(".md")
_WHAT: Final = {
    "instances": "vCPUs, memory, accelerators, network cards, EFA, disks and capacity "
    "offers, for every HyperPod type and every accelerated type",
    "offerings": "zones that offer a type, by zone id",
    "zones": "the zones of each region, and local zones for training",
    "prices ec2-on-demand": "EC2, Linux, per instance-hour",
    "prices hyperpod-on-demand": "HyperPod (`Cluster:ml.*` usage types), per instance-hour",
    "prices training-plan-offer": "offers of SageMaker training plans, per instance-hour",
    "prices capacity-block": "EC2 Capacity Blocks, per instance-hour or UltraServer-hour",
    "prices services": "FSx, S3, EBS, NAT and others, per item",
    "quota codes": "Service Quotas codes",
    "quota defaults": "defaults of a new account",
    "accelerators": "memory, bandwidth, dense throughput, compute capability, number formats, "
    "MIG profiles",
    "ultraservers": "instances sold together",
    "network": "sourced addresses per node and interface layouts",
    "lustre": "tiers of FSx for Lustre",
    "limits": "service limits that are not quotas",
}


def page(catalog: Catalog) -> str:
    """The page's text."""
    return _TEMPLATE.read_text(encoding="utf-8").format(
        stale=STALE_AFTER_DAYS,
        ages=_ages(catalog),
        kinds=", ".join(get_args(PriceKind)),
        prices=_prices(catalog),
        sources=_sources(catalog),
    )


def _ages(catalog: Catalog) -> str:
    rows = ["| Data set | What | Values | Unknown | Derived | Undated | Oldest | Newest |"]
    rows.append("|---|---|---:|---:|---:|---:|---|---|")
    found = report.ages(catalog, dt.date.min)
    rows += [
        f"| {age.data_set} | {_WHAT[age.data_set]} | {age.values} | {age.unknown} "
        f"| {age.derived} | {age.undated} | {age.oldest or '-'} | {age.newest or '-'} |"
        for age in found
    ]
    total = (sum(a.values for a in found), sum(a.unknown for a in found))
    rows.append(f"| all | | {total[0]} | {total[1]} | | | | |")
    return "\n".join(rows) + "\n"


def _prices(catalog: Catalog) -> str:
    """Types of training plans, and which of their prices in us-east-1 are known."""
    kinds: tuple[PriceKind, ...] = (
        "ec2-on-demand",
        "hyperpod-on-demand",
        "training-plan-offer",
        "capacity-block",
    )
    lines = [
        "\n## Known prices in us-east-1\n",
        "USD per instance-hour with the date of the source; `?` is unknown, and `catalog show` "
        "says why.\n",
        "| Type | " + " | ".join(kinds) + " |",
        "|---|" + "---|" * len(kinds),
    ]
    for name in sorted(catalog.training_plan_names):
        cells = []
        for kind in kinds:
            fact = catalog.instance_price(name, "us-east-1", kind)
            if isinstance(fact, Unknown):
                cells.append("?")
            else:
                cells.append(f"{fact.value.usd.normalize():f} ({fact.date})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _sources(catalog: Catalog) -> str:
    lines = ["\n## Sources\n", "| Date | Source |", "|---|---|"]
    table = catalog.store.document("sources")["sources"]
    lines += [f"| {date} | {title} |" for title, date in table.values()]
    return "\n".join(lines)
