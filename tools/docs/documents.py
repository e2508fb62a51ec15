"""The generated documents: name, path, and the function that returns the text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]

_DASHBOARDS: Final = (
    "cluster",
    "nodes",
    "network",
    "storage",
    "slurm",
    "kubernetes",
    "training-run",
    "goodput-and-money",
)

_LOG_PARSERS: Final = "clusterwright/job_logs"


@dataclass(frozen=True)
class Document:
    """One generated file; `path` is relative to the repository."""

    name: str
    path: str
    text: Callable[[], str]

    @property
    def file(self) -> Path:
        return ROOT / self.path

    @property
    def is_current(self) -> bool:
        """Whether the committed file is what would be written."""
        return self.file.is_file() and self.file.read_text(encoding="utf-8") == self.text()


def documents() -> Iterator[Document]:
    """Every document. The modules are imported when a text is generated."""
    for name, path, text in (
        ("acceptance", "docs/reference/acceptance.md", _acceptance),
        (
            "acceptance-checks",
            "clusterwright/platforms/acceptance_checks.json",
            _acceptance_checks,
        ),
        ("alerts", "docs/reference/alerts.md", _alerts),
        ("architecture", "docs/images/architecture.svg", _architecture),
        ("aws-operations", "clusterwright/aws/operations.json", _aws_operations),
        ("benchmarks", "clusterwright/job_templates/benchmarks.json", _benchmarks),
        ("catalog", "docs/reference/catalog.md", _catalog),
        ("commands", "docs/reference/commands.md", _commands),
        ("dashboards", "docs/reference/dashboards.md", _dashboards),
        (
            "diagnosed-failures",
            "docs/explanations/diagnosed-failures.md",
            _diagnosed_failures,
        ),
        ("field-failures", "docs/explanations/field-failures.md", _field_failures),
        ("job-rules", "docs/reference/job-rules.md", _job_rules),
        ("jobs", "docs/reference/jobs.md", _jobs),
        ("kubernetes-charts", "docs/reference/kubernetes-charts.md", _kubernetes_charts),
        ("kubernetes-fields", "clusterwright/jobs/kubernetes_fields.json", _kubernetes_fields),
        ("local-aws-api", "docs/reference/local-aws-api.md", _local_aws_api),
        ("moto-fixes", "docs/reference/moto-fixes.md", _moto_fixes),
        ("probes", "docs/reference/probes.md", _probes),
        ("node-files", "docs/reference/node-files.md", _node_files),
        ("planner", "docs/reference/planner.md", _planner),
        ("platforms", "docs/explanations/platforms.md", _platforms),
        ("rehearsal", "docs/reference/rehearsal.md", _rehearsal),
        ("runbooks", "docs/how-to/answer-an-alert.md", _runbooks),
        ("rules", "docs/reference/rules.md", _rules),
        ("software", "docs/reference/software.md", _software),
        ("spec", "docs/reference/spec.md", _spec),
        ("terminal", "docs/images/terminal.svg", _terminal),
        ("worked-examples", "docs/explanations/worked-examples.md", _worked_examples),
        (
            "instance-types-of-nodes",
            "lifecycle_scripts/clusterwright_acceptance/instance_types.json",
            _instance_types_of_nodes,
        ),
        ("cluster-schema", "schema/cluster.schema.json", _cluster_schema),
        ("world-schema", "schema/world.schema.json", _world_schema),
        ("scheduler-state-schema", "schema/scheduler-state.schema.json", _scheduler_state),
        ("request-schema", "schema/request.schema.json", _request("request")),
        ("answer-schema", "schema/answer.schema.json", _request("answer")),
    ):
        yield Document(name, path, text)
    for file in sorted((ROOT / _LOG_PARSERS).glob("*.py")):
        path = f"lifecycle_scripts/clusterwright_metrics/job_logs/{file.name}"
        yield Document(f"job-log-parser-{file.stem}", path, _log_parser(file))
    for name in _DASHBOARDS:
        path = f"docs/images/dashboard-{name}.svg"
        yield Document(f"dashboard-{name}", path, _dashboard(name))
    for command in (
        "accept",
        "capacity",
        "check",
        "check-job",
        "cost",
        "destroy-plan",
        "diagnose",
        "diff",
        "drift",
        "migrate",
        "node",
        "plan",
        "rehearse",
        "render-jobs",
        "report-cost",
        "report-goodput",
        "report-layouts",
        "report-scaling",
        "status",
        "topology",
    ):
        path = f"schema/{command}-output.schema.json"
        yield Document(f"{command}-schema", path, _output_schema(command))
    for name in ("localaws-recording", "localaws-replay-output", "localaws-verify-output"):
        yield Document(f"{name}-schema", f"schema/{name}.schema.json", _local_aws_schema(name))


def _log_parser(file: Path) -> Callable[[], str]:
    """The parser as the nodes' exporter has it: in its own package, for Python 3.9."""

    def text() -> str:
        content = file.read_text(encoding="utf-8")
        content = content.replace("clusterwright.job_logs", "clusterwright_metrics.job_logs")
        return content.replace("dt.UTC", "dt.timezone.utc")

    return text


def _acceptance() -> str:
    from tools.docs import acceptance_page

    return acceptance_page.page()


def _acceptance_checks() -> str:
    from tools.docs import acceptance_checks

    return acceptance_checks.text()


def _alerts() -> str:
    from clusterwright.alerts import reference_page

    return reference_page.page()


def _architecture() -> str:
    from tools.docs.architecture_drawing import drawing, import_table

    return drawing(import_table())


def _aws_operations() -> str:
    from tools.docs.aws_operations import operations

    return json.dumps(operations(), indent=2) + "\n"


def _benchmarks() -> str:
    """The command lines of the node program: the product imports nothing of it."""
    path = ROOT / "lifecycle_scripts/clusterwright_acceptance/benchmarks.json"
    return path.read_text(encoding="utf-8")


def _catalog() -> str:
    from clusterwright.catalog import catalog_page, load_catalog
    from clusterwright.catalog.store import PACKAGE_DATA

    return catalog_page.page(load_catalog(directory=PACKAGE_DATA))


def _commands() -> str:
    from clusterwright.cli.main import cli
    from tools.docs import commands_page

    return commands_page.page(cli)


def _dashboards() -> str:
    from tools.docs import dashboards_page

    return dashboards_page.page()


def _dashboard(name: str) -> Callable[[], str]:
    def text() -> str:
        from clusterwright.monitoring.dashboards import complete
        from tools.docs.dashboard_drawing import drawing
        from tools.docs.dashboards_page import documented_facts

        return drawing(complete(name.replace("-", "_"), documented_facts()))

    return text


def _diagnosed_failures() -> str:
    from tools.docs.diagnosed_failures import measured, page, read

    return page(measured(read()))


def _field_failures() -> str:
    from tools.docs.field_failures import LIST, TESTS, homes, page, read

    return page(read(LIST), homes(TESTS))


def _instance_types_of_nodes() -> str:
    from clusterwright.catalog import load_catalog
    from clusterwright.catalog.store import PACKAGE_DATA
    from tools.docs import instance_types_of_nodes

    return instance_types_of_nodes.text(load_catalog(directory=PACKAGE_DATA))


def _kubernetes_charts() -> str:
    from clusterwright.platforms.kubernetes import charts_page

    return charts_page.page()


def _kubernetes_fields() -> str:
    from tools.docs import kubernetes_fields

    return kubernetes_fields.text()


def _local_aws_api() -> str:
    from clusterwright_localaws import api_page

    return api_page.page()


def _moto_fixes() -> str:
    from clusterwright_localaws import moto_fixes_page

    return moto_fixes_page.page()


def _probes() -> str:
    from clusterwright_localaws.probes import report

    return report.page()


def _node_files() -> str:
    from tools.docs.node_files_page import PAGE, page

    return page(PAGE.read_text(encoding="utf-8"))


def _planner() -> str:
    from tools.docs import planner_page

    return planner_page.page()


def _platforms() -> str:
    from clusterwright.catalog import load_catalog
    from clusterwright.platforms import platforms_page

    return platforms_page.page(load_catalog())


def _rehearsal() -> str:
    from clusterwright_rehearsal import scenarios_page
    from clusterwright_rehearsal.scenario_loader import scenarios

    return scenarios_page.page(scenarios())


def _rules() -> str:
    from clusterwright.preflight import rules_page

    return rules_page.page()


def _job_rules() -> str:
    from clusterwright.jobs import rules_page

    return rules_page.page()


def _runbooks() -> str:
    from clusterwright.alerts import runbooks_page

    return runbooks_page.page()


def _jobs() -> str:
    from clusterwright.job_templates import jobs_page

    return jobs_page.page()


def _software() -> str:
    from clusterwright.platforms import software_page

    return software_page.page()


def _terminal() -> str:
    from tools.docs import terminal_session

    return terminal_session.drawing()


def _worked_examples() -> str:
    from tests.acceptance.planner_examples import page

    return page.page()


def _spec() -> str:
    from clusterwright.cluster_spec import spec_page

    return spec_page.page()


def _cluster_schema() -> str:
    from clusterwright.cluster_spec.schema import json_schema

    return _json(json_schema())


def _world_schema() -> str:
    from clusterwright_localaws.worlds.json_schema import world_schema

    return _json(world_schema())


def _scheduler_state() -> str:
    from clusterwright.cluster_state.published import json_schema

    return _json(json_schema())


def _request(name: str) -> Callable[[], str]:
    def text() -> str:
        from clusterwright.cluster_state.requests import json_schemas

        return _json(json_schemas()[name])

    return text


def _output_schema(command: str) -> Callable[[], str]:
    def text() -> str:
        if command == "rehearse":
            from clusterwright_rehearsal.report.json_output import schema

            return _json(schema())
        from clusterwright.json_output.schemas import schemas

        return _json(schemas()[f"{command}-output.schema.json"])

    return text


def _local_aws_schema(name: str) -> Callable[[], str]:
    def text() -> str:
        from clusterwright_localaws.json_output import schemas

        return _json(schemas()[f"{name}.schema.json"])

    return text


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
