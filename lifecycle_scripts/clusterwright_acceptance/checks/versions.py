"""Versions of kernel, driver and libraries: facts that are equal on all nodes of a group.

They are read from the node as it is now. The node program writes them to `software.json`, with the
rules of which combinations work, when it runs: what a program does not answer now is taken from
there, and named; a rule about a version that has changed since then says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from clusterwright_common.installed_versions import SECONDS, installed
from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "versions"
REPORT = "/var/lib/clusterwright/software.json"
NEEDED = {"nvidia": ("nvidia_driver",), "neuron": ("neuron_driver",), "none": ()}
FROM_PROGRAMS = ("fabric_manager", "libfabric", "dcgm", "slurm", "munge", "enroot")
"""Components that a program prints, which can fail. A file that is absent means that the
component is: a driver that is not loaded has no version."""


def applies(expected: Expected) -> Optional[str]:
    if expected.kind != "none" or expected.efa:
        return None
    return "the group has neither accelerators nor EFA"


def look(probe: Probe, expected: Expected) -> Outcome:
    facts = live(probe)
    recorded, rules = _report(probe)
    older = [key for key in FROM_PROGRAMS if key not in facts and key in recorded]
    facts.update({key: recorded[key] for key in older})
    changed = {key for key, value in facts.items() if recorded.get(key, value) != value}
    for rule in rules:
        if rule["verdict"] == "refused" and not changed & set(rule["components"]):
            return failed(f"not satisfied: {rule['rule']}", "report", facts=facts)
    for name in NEEDED[expected.kind]:
        if name not in facts:
            raise running.Unreadable(f"the version of {name} is not known")
    outdated = sorted(changed & {key for rule in rules for key in rule["components"]})
    if outdated:
        words = ", ".join(f"{key} {recorded[key]}, now {facts[key]}" for key in outdated)
        text = f"the node program has decided for other versions: {words}; it has to run again"
        return unknown(text, facts=facts)
    reason = f"from the last run of the node program: {', '.join(older)}" if older else ""
    return Outcome("pass", reason, facts=facts)


def live(probe: Probe) -> dict[str, str]:
    """The versions that the node has now."""

    def said(program: str, *arguments: str) -> str:
        path = str(probe.path(program)) if program.startswith("/") else program
        if not (probe.exists(program) if program.startswith("/") else probe.has(program)):
            return ""
        result = probe.run([path, *arguments], SECONDS)
        return "" if result.exit_code is None else result.stdout + result.stderr

    return installed(probe.read, probe.names, said)


def _report(probe: Probe) -> tuple[dict[str, str], Sequence[Mapping[str, Any]]]:
    """What the node program has recorded; nothing where it has not run, as on Kubernetes.

    Raises
    ------
    Unreadable
        The file is there and has an unknown form.
    """
    text = probe.read(REPORT)
    if text is None:
        return {}, []
    try:
        content = json.loads(text)
        found = {str(key): str(value) for key, value in content["versions"].items()}
        rules = [{"components": [], **rule} for rule in content["rules"]]
        known = all({"rule", "verdict"} <= set(rule) for rule in rules)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise running.Unreadable(f"{REPORT} cannot be read") from error
    if not known:
        raise running.Unreadable(f"{REPORT} has an unknown form")
    return {key: value for key, value in found.items() if value != "unknown"}, rules
