"""What a user would give to Prometheus, Alertmanager and Grafana: the output of `render`."""

from __future__ import annotations

import datetime as dt
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from clusterwright.alerts.manager import manager_definition
from clusterwright.monitoring.sent_queries import without_variables
from clusterwright_rehearsal.cdk import CHECKOUT
from clusterwright_rehearsal.errors import RehearsalError

_TOPIC = "arn:aws:sns:us-east-1:111122223333:alerts"
"""Of the definition's receivers, which are replaced."""


@dataclass(frozen=True)
class PanelQuery:
    """A query of a panel, as Grafana sends it with All chosen in every variable."""

    panel: str
    """Such as `network: Dropped packets`."""
    expression: str


def rules(spec: Path, capacity_ends: dt.datetime) -> dict[str, Any]:
    """The document of `render alerts`."""
    text = _rendered("alerts", str(spec), "--capacity-ends", capacity_ends.isoformat())
    return {"groups": text["groups"]}


def severities(document: Mapping[str, Any]) -> dict[str, str]:
    """The severity of each alert in the document of a rule file."""
    return {
        rule["alert"]: rule["labels"]["severity"]
        for group in document["groups"]
        for rule in group["rules"]
    }


def panel_queries(spec: Path, folder: Path, cluster: str) -> list[PanelQuery]:
    """Every query of every panel of `render dashboards`, whose files are written to `folder`."""
    found = []
    for row in _rendered("dashboards", str(spec), "--output", str(folder))["dashboards"]:
        content = json.loads(Path(row["file"]).read_text(encoding="utf-8"))
        found += [
            PanelQuery(
                f"{row['name']}: {panel['title']}", without_variables(target["expr"], cluster)
            )
            for panel in content["panels"]
            for target in panel.get("targets", ())
        ]
    return found


def manager(environment: str, region: str) -> dict[str, Any]:
    """The configuration of the alert manager that the stacks create in the workspace."""
    yaml = YAML(typ="safe")
    outer = yaml.load(io.StringIO(manager_definition(environment, region, _TOPIC)))
    found: dict[str, Any] = yaml.load(io.StringIO(outer["alertmanager_config"]))
    return found


def _rendered(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright", "render", *words, "--format", "json"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RehearsalError(f"render {words[0]}: {done.stderr.strip()[-600:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
