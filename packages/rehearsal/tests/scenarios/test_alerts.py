"""What the scenario `alerts` requires, and how it judges panels and routes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.prometheus.receiver import Notified
from clusterwright_rehearsal.prometheus.rendered import PanelQuery
from clusterwright_rehearsal.prometheus.scene import Scene
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable, Undetermined
from clusterwright_rehearsal.scenarios import alerts
from packages.rehearsal.tests.scenario_api.contexts import answering, context

EFA = '{"accelerator": "nvidia", "efa_count": 1}'


def cluster(folder: Path, listen: str = "private", **answers: str) -> Any:
    metrics = SimpleNamespace(metrics=SimpleNamespace(listen=listen, port=9177))
    found = context(folder, observability=metrics)
    answering(found, {"cat /etc/clusterwright/health.json": EFA, **answers})
    return found


def scene(found: Any, **monitoring: Any) -> Scene:
    names = {"metric_names": set, **monitoring}
    return Scene(found, SimpleNamespace(**names), {}, [], SimpleNamespace())  # type: ignore[arg-type]


def test_nodes_that_cannot_be_scraped_are_skipped(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="listen: private"):
        alerts.run(cluster(tmp_path, "loopback"))


def test_nodes_without_efa_are_skipped(tmp_path: Path) -> None:
    found = cluster(tmp_path)
    answering(found, {"cat /etc/clusterwright/health.json": EFA.replace("1}", "0}")})
    with pytest.raises(NotApplicable, match="requires EFA"):
        alerts.run(found)


def test_without_the_programs_it_is_undetermined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alerts.programs, "missing", lambda: ["prometheus"])
    with pytest.raises(Undetermined, match=r"prometheus not installed \(apt-get install"):
        alerts.run(cluster(tmp_path))


def judged(found: Any, panel: str, expression: str) -> Scene:
    judged = scene(found)
    judged.queries = [PanelQuery(panel, expression)]
    judged.unanswered = {panel: {expression}}
    return judged


def test_a_panel_without_data_is_named_unless_it_is_listed(tmp_path: Path) -> None:
    found = context(tmp_path)
    with pytest.raises(Broken, match="no data, and on no list: nodes: Load"):
        alerts._judge_panels(judged(found, "nodes: Load", "node_load1"))
    alerts._judge_panels(judged(found, "storage: Space in use", "node_load1"))
    alerts._judge_panels(judged(found, "storage: Bytes", "lustre_client_bytes_total"))


def test_a_list_that_is_too_long_is_named(tmp_path: Path) -> None:
    answered = judged(context(tmp_path), "storage: Space in use", "node_load1")
    answered.unanswered = {"storage: Space in use": set()}
    with pytest.raises(Broken, match="listed as without data: storage: Space in use"):
        alerts._judge_panels(answered)
    known = scene(context(tmp_path), metric_names=lambda: {"lustre_lnet_up"})
    with pytest.raises(Broken, match="hardware_only, but has samples: lustre_lnet_up"):
        alerts._judge_panels(known)


def routed(found: Any, *extra: Notified) -> Scene:
    sent = {
        Notified("critical", name, status, "critical")
        for name in alerts.FIRED
        for status in ("firing", "resolved")
    }
    judged = scene(found, receiver=SimpleNamespace(notified=lambda: sent | set(extra)))
    judged.severities = dict.fromkeys(alerts.FIRED, "critical")
    return judged


def test_every_alert_reaches_the_receiver_of_its_severity_alone(tmp_path: Path) -> None:
    found = context(tmp_path)
    alerts._judge_routes(routed(found))
    astray = Notified("warning", "GpuMissing", "firing", "critical")
    with pytest.raises(Broken, match="wrong receiver: GpuMissing at warning"):
        alerts._judge_routes(routed(found, astray))
