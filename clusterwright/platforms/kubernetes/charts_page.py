"""The reference page of charts, docs/reference/kubernetes-charts.md.

`python -m clusterwright.platforms.kubernetes.charts_page` writes it; `--check` says whether it is
current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from clusterwright.cluster_spec.validation.workloads import CHARTS_OF
from clusterwright.platforms.kubernetes.charts import UNKNOWN, ListedChart, listed_charts

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "kubernetes-charts.md"


def text() -> str:
    """The page."""
    charts = list(listed_charts().values())
    digests = sum(chart.sha256 is None for chart in charts)
    versions = sum(chart.version is None for chart in charts)
    schemas = sum(chart.values_schema is not None for chart in charts)
    rows = "\n".join(_row(chart) for chart in charts)
    sources = "\n".join(f"- {chart.name}: {chart.source}; read {chart.date}" for chart in charts)
    return f"""# Charts of Kubernetes

<!-- Written by `python -m clusterwright.platforms.kubernetes.charts_page`; do not edit. -->

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
    platforms = ", ".join(name for name, charts in CHARTS_OF.items() if chart.name in charts)
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


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` say whether the one that is there is current."""
    if arguments == ["--check"]:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text()
        if not current:
            print(
                f"{PAGE.name} is stale: python -m clusterwright.platforms.kubernetes.charts_page",
                file=sys.stderr,
            )
        return 0 if current else 1
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
