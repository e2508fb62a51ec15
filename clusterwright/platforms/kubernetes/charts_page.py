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
are those of public sources; of {len(charts)} charts, the digest of {digests} is unknown, and the
version of {versions}. An unknown value is an error where it is used:
`clusterwright render kubernetes --part charts` fails until the spec has the value
(`kubernetes.workloads.charts`).

| Chart | Platforms | Version | SHA-256 | Repository | Values checked |
|---|---|---|---|---|---|
{rows}

The `values.schema.json` of {schemas} of {len(charts)} charts is available; values of the others
are checked only by Helm, during installation. The tests render no chart, because the archives are
not available to them. They check with Helm that the values arrive unchanged, and that Helm refuses
the same values as our schema check.

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
