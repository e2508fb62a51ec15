"""The reference page of charts, docs/reference/kubernetes-charts.md.

`python -m tools.docs kubernetes-charts` writes it; `--check` tests whether it is
current.
"""

from __future__ import annotations

from clusterwright.platforms.kubernetes.charts import UNKNOWN, ListedChart, listed_charts
from clusterwright.platforms.registry import PLATFORMS, traits_of


def page() -> str:
    """The page."""
    charts = list(listed_charts().values())
    digests = sum(chart.sha256 is None for chart in charts)
    versions = sum(chart.version is None for chart in charts)
    schemas = sum(chart.values_schema is not None for chart in charts)
    rows = "\n".join(_row(chart) for chart in charts)
    sources = "\n".join(f"- {chart.name}: {chart.source}; read {chart.date}" for chart in charts)
    return f"""# Charts of Kubernetes

<!-- Written by `python -m tools.docs kubernetes-charts`; do not edit. -->

Helm charts that a cluster on EKS needs and CloudFormation does not install. Versions and addresses
are those of public sources; of {len(charts)} charts, nobody has read the archive of {digests}, and
of {versions} not even a version. What is unknown is refused where it would be used:
`clusterwright render kubernetes --part charts` ends with an error until the spec gives it
(`kubernetes.workloads.charts`).

| Chart | Platforms | Version | SHA-256 | Repository | Values checked |
|---|---|---|---|---|---|
{rows}

{schemas} of {len(charts)} charts has a `values.schema.json` that could be read; values of the
others are checked by Helm alone, when somebody installs them. No chart is rendered in our tests:
their archives cannot be had there. What is tried with Helm is that our values come through as they
are, and that Helm refuses what our check of a schema refuses.

## Sources

{sources}
"""


def _row(chart: ListedChart) -> str:
    platforms = ", ".join(name for name in PLATFORMS if chart.name in traits_of(name).charts)
    repository = f"`{chart.repository}`" if chart.repository else UNKNOWN
    cells = (
        chart.name,
        platforms,
        chart.version or UNKNOWN,
        chart.sha256 or UNKNOWN,
        repository,
        "yes" if chart.values_schema else "no",
    )
    return f"| {' | '.join(cells)} |"
