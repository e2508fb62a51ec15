"""The offline rules in `cdk synth` and `cdk deploy`.

Errors stop the synthesis, warnings are printed. Account rules and unknown results are left to
`clusterwright check`. The CDK does not print violations without a construct, so each is attached
to the resource for its path in the spec.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import aws_cdk as cdk
import jsii

from clusterwright import __version__
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cost.user_prices import UserPrices
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.results import CheckResult, Finding
from clusterwright.pricing import price_files

NAME: Final = "clusterwright"
SWITCH: Final = "CLUSTERWRIGHT_CHECKS"
"""`false` in the environment disables the rules, for measurements and other tests."""

# Resource types for paths of the spec, the most specific first.
_CLUSTERS: Final = (
    "AWS::SageMaker::Cluster",
    "Custom::PclusterCluster",
    "AWS::EKS::Cluster",
    "AWS::PCS::Cluster",
)
_RESOURCES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("budget", ("AWS::Budgets::Budget",)),
    ("identity", ("AWS::KMS::Key", "AWS::IAM::Role")),
    ("kubernetes", ("AWS::EKS::Cluster",)),
    ("network", ("AWS::EC2::Subnet", "AWS::EC2::VPC")),
    ("slurm.accounting", ("AWS::RDS::DBInstance",)),
    ("storage.buckets", ("AWS::S3::Bucket",)),
    ("storage.image_repositories", ("AWS::ECR::Repository",)),
    ("storage.home", ("OPENZFS",)),
    ("storage.lustre", ("LUSTRE",)),
    ("", _CLUSTERS),
)


def add(app: cdk.App, spec: LoadedSpec) -> None:
    """Run the offline rules at every synthesis of `app`, unless they are disabled."""
    if os.environ.get(SWITCH, "").lower() != "false":
        cdk.Validations.of(app).add_plugins(OfflineChecks(spec))


@jsii.implements(cdk.IPolicyValidationPlugin)
class OfflineChecks:
    """The offline rules as a validation plug-in of the CDK."""

    def __init__(self, spec: LoadedSpec, *, today: dt.date | None = None) -> None:
        self._spec = spec
        self._today = today or dt.datetime.now(dt.UTC).date()

    @property
    def name(self) -> str:
        return NAME

    @property
    def version(self) -> str:
        return __version__

    @property
    def rule_ids(self) -> list[str]:
        return [file.id for file in rule_files() if file.scope == "offline"]

    def validate(self, context: Any) -> Any:
        """Return the findings as violations.

        Raises
        ------
        RuntimeError
            A rule crashed, which is not a pass.
        SpecErrors
            The user's prices next to the spec are invalid.
        """
        result = self.check()
        if result.crashed:
            crashed = ", ".join(f"{rule.rule} ({rule.crash})" for rule in result.crashed)
            raise RuntimeError(f"internal error in clusterwright {__version__}: {crashed}")
        shown = [f for f in result.findings if f.severity != "info"]
        resources = Resources(context.template_paths)
        return cdk.PolicyValidationPluginReport(
            success=not any(finding.severity == "error" for finding in shown),
            violations=[_violation(finding, resources) for finding in shown],
            plugin_version=__version__,
        )

    def check(self) -> CheckResult:
        """Run the offline rules on the spec.

        Raises
        ------
        SpecErrors
            The user's prices next to the spec are invalid.
        """
        path = price_files.find(Path(self._spec.file))
        own = price_files.read(path) if path is not None else UserPrices()
        catalog = load_catalog(prices_override=own.rates)
        context = Context(self._spec, catalog, self._today, usage=own.usage, terms=own.terms)
        return engine.run(rule_files(), context, None, engine.Selection(offline=True))


class Resources:
    """Return the resources of the templates, by type."""

    def __init__(self, template_paths: Sequence[str]) -> None:
        self._found: list[tuple[str, str, str]] = []
        for path in template_paths:
            template = json.loads(Path(path).read_text(encoding="utf-8"))
            for logical_id, resource in template.get("Resources", {}).items():
                self._found.append((_kind(resource), logical_id, path))

    def of(self, path: str) -> tuple[str, str] | None:
        """Return the logical id and template of the resource for a path of the spec."""
        for prefix, kinds in _RESOURCES:
            if path == prefix or not prefix or path.startswith((f"{prefix}.", f"{prefix}[")):
                found = list(self._of_kinds(kinds))
                if found:
                    return found[min(_index(path, prefix), len(found) - 1)]
        return next(((logical_id, template) for _, logical_id, template in self._found), None)

    def _of_kinds(self, kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
        for kind in kinds:
            for found, logical_id, template in self._found:
                if found == kind:
                    yield logical_id, template


def _kind(resource: dict[str, Any]) -> str:
    """Return the type of a resource; for a file system, its kind."""
    kind = str(resource["Type"])
    if kind == "AWS::FSx::FileSystem":
        return str(resource["Properties"]["FileSystemType"])
    return kind


def _index(path: str, prefix: str) -> int:
    """Return the index in a path: 2 for `storage.lustre[2].efa`."""
    rest = path.removeprefix(prefix)
    return int(rest[1 : rest.index("]")]) if prefix and rest.startswith("[") else 0


def _violation(finding: Finding, resources: Resources) -> Any:
    position = finding.position
    where = f"{position.file}:{position.line}:{position.column}" if position else finding.path
    found = resources.of(finding.path)
    logical_id, template = found if found else (None, None)
    return cdk.PolicyViolation(
        rule_name=finding.rule,
        severity=finding.severity,
        description=f"{finding.message} ({where})",
        fix=finding.hint or f"see {finding.doc}",
        violating_resources=[
            cdk.PolicyViolatingResource(
                resource_logical_id=logical_id, template_path=template, locations=[where]
            )
        ],
        rule_metadata={"path": finding.path, "doc": finding.doc or ""},
    )
