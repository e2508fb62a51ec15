"""What Managed Prometheus reads of rules files and of alert manager definitions.

The forms are Prometheus's ("Alerting rules", "Recording rules") and Alertmanager's
("Configuration"), with limitations of the AMP user guide ("Create an alert manager configuration",
"Configure alert manager to send messages to your Amazon SNS topic"): the configuration is text
under `alertmanager_config`, an SNS receiver has `sigv4.region` and neither `api_url` nor
`http_config`. A namespace and a group's name together have at most 721 bytes (API reference,
CreateRuleGroupsNamespace). All read 2026-11-24. PromQL is not parsed. Texts of reasons are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_MOST_NAME_BYTES = 721
_GROUP_KEYS = {"name", "interval", "limit", "query_offset", "labels", "rules"}
_RULE_KEYS = {"alert", "record", "expr", "for", "keep_firing_for", "labels", "annotations"}
_DURATION = re.compile(r"0|(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?")
_NOT_ALLOWED = {"api_url", "http_config"}
_RECEIVERS = {"sns_configs", "pagerduty_configs"}


def rules_fault(namespace: str, data: bytes) -> str | None:
    """Why a rules file is refused; None if it is accepted."""
    return _first(_rules_faults, namespace, data)


def alert_manager_fault(data: bytes) -> str | None:
    """Why an alert manager definition is refused; None if it is accepted."""
    return _first(_alert_manager_faults, data)


class _NotYaml(Exception):
    """The message of the parser."""


def _first(faults: Any, *arguments: Any) -> str | None:
    try:
        return next(iter(faults(*arguments)), None)
    except _NotYaml as error:
        return str(error)


def _yaml(text: bytes | str, what: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _NotYaml(f"{what} is not YAML: {' '.join(str(error).split())}") from None


def _rules_faults(namespace: str, data: bytes) -> Iterator[str]:
    document = _yaml(data, "the rules file")
    if not isinstance(document, dict) or set(document) != {"groups"}:
        yield "the rules file has no list `groups`, or has other keys"
        return
    groups = document["groups"]
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        yield "`groups` is not a list of groups"
        return
    names = [str(group.get("name") or "") for group in groups]
    if len(set(names)) < len(names):
        yield "two groups have the same name"
    for name, group in zip(names, groups, strict=True):
        if not name:
            yield "a group has no name"
        elif len((namespace + name).encode()) > _MOST_NAME_BYTES:
            yield f"namespace and group name have more than {_MOST_NAME_BYTES} bytes: {name}"
        yield from _group_faults(name, group)


def _group_faults(name: str, group: Mapping[str, Any]) -> Iterator[str]:
    if unknown := sorted(set(group) - _GROUP_KEYS):
        yield f"group {name}: unknown keys {', '.join(unknown)}"
    if not _is_duration(group.get("interval", "1m")):
        yield f"group {name}: interval is not a duration"
    rules = group.get("rules")
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        yield f"group {name}: `rules` is not a list of rules"
        return
    for number, rule in enumerate(rules, 1):
        for fault in _rule_faults(rule):
            yield f"group {name}, rule {number}: {fault}"


def _rule_faults(rule: Mapping[str, Any]) -> Iterator[str]:
    if unknown := sorted(set(rule) - _RULE_KEYS):
        yield f"unknown keys {', '.join(unknown)}"
    if ("alert" in rule) == ("record" in rule):
        yield "it needs either `alert` or `record`"
    if not isinstance(rule.get("expr"), str) or not rule["expr"].strip():
        yield "it has no expression"
    for key in ("for", "keep_firing_for"):
        if not _is_duration(rule.get(key, "0")):
            yield f"{key} is not a duration"
    for key in ("labels", "annotations"):
        texts = rule.get(key) or {}
        if not isinstance(texts, dict) or not all(isinstance(v, str) for v in texts.values()):
            yield f"{key} is not a mapping of texts"


def _is_duration(value: object) -> bool:
    text = str(value)
    return bool(text) and _DURATION.fullmatch(text) is not None


def _alert_manager_faults(data: bytes) -> Iterator[str]:
    document = _yaml(data, "the definition")
    if not isinstance(document, dict) or not isinstance(document.get("alertmanager_config"), str):
        yield "the definition has no text `alertmanager_config`"
        return
    if unknown := sorted(set(document) - {"alertmanager_config", "template_files"}):
        yield f"the definition has unknown keys: {', '.join(unknown)}"
    config = _yaml(document["alertmanager_config"], "alertmanager_config")
    route = config.get("route") if isinstance(config, dict) else None
    if not isinstance(route, dict) or not route.get("receiver"):
        yield "alertmanager_config has no route with a receiver"
        return
    receivers = [each for each in config.get("receivers") or [] if isinstance(each, dict)]
    names = [str(receiver.get("name")) for receiver in receivers]
    if len(set(names)) < len(names):
        yield "two receivers have the same name"
    for receiver in receivers:
        yield from _receiver_faults(receiver)
    for name in _receivers_of(route):
        if name not in names:
            yield f"the route's receiver {name} does not exist"


def _receiver_faults(receiver: Mapping[str, Any]) -> Iterator[str]:
    name = receiver.get("name")
    if other := sorted(set(receiver) - {"name"} - _RECEIVERS):
        yield f"receiver {name}: {', '.join(other)} is not supported"
    for config in receiver.get("sns_configs") or []:
        if refused := sorted(set(config) & _NOT_ALLOWED):
            yield f"receiver {name}: {', '.join(refused)} is not allowed"
        if not (config.get("sigv4") or {}).get("region"):
            yield f"receiver {name}: sigv4 has no region"
        if not config.get("topic_arn"):
            yield f"receiver {name}: no topic_arn"


def _receivers_of(route: Mapping[str, Any]) -> Iterator[str]:
    if route.get("receiver"):
        yield str(route["receiver"])
    for each in route.get("routes") or []:
        yield from _receivers_of(each)
