"""JSON Schemas of the JSON answers, committed as `schema/<command>-output.schema.json`.

`python -m clusterwright.render.schemas` writes them; `--check` says whether they are current.
Keys may be added to an answer without a new version, so unknown keys are allowed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

from clusterwright.platforms.registry import PLATFORMS
from clusterwright.preflight.account_results import State
from clusterwright.preflight.results import SEVERITIES, STATUSES
from clusterwright.render.envelope import SCHEMA_VERSION
from clusterwright.render.migration import SECTIONS as MIGRATION_SECTIONS
from clusterwright.render.review_schema import review_properties

FOLDER: Final = Path(__file__).resolve().parents[2] / "schema"

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_POSITIVE_COUNT: Final = {"type": "integer", "minimum": 1}
_AMOUNT: Final = {"type": ["number", "string", "null"]}
_USD: Final = {"type": ["number", "null"], "minimum": 0}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_MAYBE_COUNT: Final = {"type": ["integer", "null"], "minimum": 1}
_SEVERITY: Final = {"enum": list(SEVERITIES)}

_PLACE: Final = {
    "path": _TEXT,
    "file": _MAYBE_TEXT,
    "line": _MAYBE_COUNT,
    "column": _MAYBE_COUNT,
    "message": _TEXT,
    "hint": _MAYBE_TEXT,
}
_PROBLEMS: Final = {
    "type": "array",
    "minItems": 1,
    "description": "only with exit code 3: what is wrong with the spec or the prices",
    "items": {
        "type": "object",
        "required": list(_PLACE),
        "properties": {**_PLACE, "note": _MAYBE_TEXT},
    },
}
_FINDING: Final = {
    "rule": {"type": "string", "pattern": "^CW-[A-Z]\\d{3}$"},
    "severity": _SEVERITY,
    **_PLACE,
    "requested": _AMOUNT,
    "used": _AMOUNT,
    "limit": _AMOUNT,
    "where": _MAYBE_TEXT,
    "doc": _MAYBE_TEXT,
}


def schemas() -> dict[str, dict[str, Any]]:
    """Each file's name and content."""
    return {
        "check-output.schema.json": _answer(
            "check",
            _check(),
            {"quota_requests": _quota_requests(), "policy": _policy(), "permissions": _needed()},
        ),
        "cost-output.schema.json": _answer("cost", _cost()),
        "diff-output.schema.json": _answer("diff", review_properties(_FINDING)),
        "migrate-output.schema.json": _answer("migrate", _migrate()),
        "plan-output.schema.json": _plan_answer(),
        "rehearse-output.schema.json": _rehearse(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or with `--check` say whether they are what would be written."""
    parser = argparse.ArgumentParser(description="Write the JSON Schemas of the answers.")
    parser.add_argument("--check", action="store_true", help="only say whether they are current")
    options = parser.parse_args(arguments)
    code = 0
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=2) + "\n"
        path = FOLDER / name
        if not options.check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            command = "python -m clusterwright.render.schemas"
            print(f"schema/{name} is not current: run `{command}`", file=sys.stderr)
            code = 1
    return code


def _answer(
    command: str, properties: dict[str, Any], asked_for: dict[str, Any] | None = None
) -> dict[str, Any]:
    """`asked_for` are properties that an option adds."""
    envelope = {
        "schema_version": {"const": SCHEMA_VERSION},
        "command": {"const": command},
        "exit_code": {"enum": [0, 1, 2, 3, 70]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The answer of `clusterwright {command} --format json`",
        "type": "object",
        "required": list(envelope),
        "properties": {**envelope, "problems": _PROBLEMS, **properties, **(asked_for or {})},
        "if": {"properties": {"exit_code": {"const": 3}}},
        "then": {"required": ["problems"]},
        "else": (
            {"anyOf": [{"required": list(properties)}, {"required": ["policy"]}]}
            if asked_for and "policy" in asked_for
            else {"required": list(properties)}
        ),
    }


def _migrate() -> dict[str, Any]:
    note = {
        "type": "object",
        "required": ["path", "what", "do"],
        "properties": {"path": _TEXT, "what": _TEXT, "do": _MAYBE_TEXT},
    }
    total = {
        "type": ["object", "null"],
        "required": ["platform", "hourly_usd", "monthly_usd", "run_usd", "at_least"],
        "properties": {
            "platform": {"enum": list(PLATFORMS)},
            "hourly_usd": _USD,
            "monthly_usd": _USD,
            "run_usd": _USD,
            "at_least": {"type": "boolean"},
            "unknown_lines": _COUNT,
        },
    }
    return {
        "file": _TEXT,
        "from": {"enum": list(PLATFORMS)},
        "to": {"enum": list(PLATFORMS)},
        "written": _MAYBE_TEXT,
        "spec": {"type": "string", "description": "the other file"},
        **{
            key: {"type": "array", "items": note, "description": title}
            for key, title in MIGRATION_SECTIONS
        },
        "cost": {
            "type": "object",
            "required": ["before", "after"],
            "properties": {"before": total, "after": total},
        },
    }


def _check() -> dict[str, Any]:
    waiver = {
        "type": "object",
        "required": ["reason", "expires"],
        "properties": {"reason": _TEXT, "expires": {"type": "string", "format": "date"}},
    }
    unknown = {name: _FINDING[name] for name in ("rule", "severity", *_PLACE)} | dict.fromkeys(
        ("service", "operation", "iam_action", "region", "reason"), _MAYBE_TEXT
    )
    return {
        "file": _TEXT,
        "environment": _TEXT,
        "rules": _list(
            {
                "rule": _FINDING["rule"],
                "status": {"enum": list(STATUSES)},
                "title": _MAYBE_TEXT,
                "severity": {"enum": [*SEVERITIES, None]},
                "scope": {"enum": ["offline", "account"]},
                "tested": _COUNT,
                "skipped_because": _MAYBE_TEXT,
                "crash": _MAYBE_TEXT,
            }
        ),
        "findings": _list(_FINDING),
        "unknown": _list(unknown),
        "waived": _list({**_FINDING, "waiver": waiver}),
        "summary": {
            "type": "object",
            "required": list(STATUSES),
            "properties": dict.fromkeys(STATUSES, _COUNT),
            "additionalProperties": False,
        },
        "calls": _COUNT,
        "api_calls": _COUNT,
        "longest_chain": _COUNT,
        "seconds": {"type": "number", "minimum": 0},
    }


def _quota_requests() -> dict[str, Any]:
    amount = {"type": ["number", "null"]}
    date = {"type": ["string", "null"], "format": "date"}
    names = {"type": "array", "items": _TEXT}
    request = {
        "service": _TEXT,
        "quota_code": _MAYBE_TEXT,
        "name": _TEXT,
        "limit": amount,
        "used": amount,
        "desired": amount,
        "adjustable": {"type": ["boolean", "null"]},
        "rules": names,
        "reasons": names,
        "stages": _list({"value": {"type": "number"}, "purpose": _TEXT}),
        "state": {"enum": list(get_args(State))},
        "request_id": _MAYBE_TEXT,
        "case_id": _MAYBE_TEXT,
        "status": _MAYBE_TEXT,
        "open_for": amount,
        "message": _MAYBE_TEXT,
    }
    found = {
        "start": date,
        "lead_days": amount,
        "file_by": date,
        "file_by_unknown": _MAYBE_TEXT,
        "nodes": _COUNT,
        "account_team": {"type": "boolean"},
        "requests": _list(request),
        "unknown": _list({"rule": _FINDING["rule"], "message": _TEXT}),
    }
    return {
        "type": "object",
        "description": "only with --request-quotas",
        "required": list(found),
        "properties": found,
    }


def _policy() -> dict[str, Any]:
    return {"type": "object", "description": "only with --iam-policy: an IAM policy document"}


def _needed() -> dict[str, Any]:
    names = {"type": "array", "minItems": 1, "items": _TEXT}
    return {
        "description": "only with --iam-policy: why each action is in it",
        **_list({"action": _TEXT, "resources": names, "rules": names}),
    }


def _cost() -> dict[str, Any]:
    total = {
        "hourly_usd": {"type": "number", "minimum": 0},
        "monthly_usd": {"type": "number", "minimum": 0},
        "run_usd": _USD,
        "at_least": {"type": "boolean"},
        "unknown_lines": _COUNT,
    }
    return {
        "environment": _TEXT,
        "region": _TEXT,
        "platform": _TEXT,
        "currency": {"const": "USD"},
        "hours_per_month": {"const": 730},
        "run_hours": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "run_hours_from": _MAYBE_TEXT,
        "prices_file": _MAYBE_TEXT,
        "lines": _list(
            {
                "component": _TEXT,
                "item": _TEXT,
                "quantity": _USD,
                "unit": _TEXT,
                "unit_price_usd": _USD,
                "hourly_usd": _USD,
                "monthly_usd": _USD,
                "source": _MAYBE_TEXT,
                "date": _MAYBE_TEXT,
                "stale": {"type": "boolean"},
                "path": _TEXT,
                "note": _MAYBE_TEXT,
                "reason": _MAYBE_TEXT,
                "effect": _MAYBE_TEXT,
                "settle_with": _MAYBE_TEXT,
                "origin": {"enum": ["user", "live", "catalogue", None]},
                "age_days": {"type": ["integer", "null"]},
                "group": _MAYBE_TEXT,
                "by_use": {"type": "boolean"},
            }
        ),
        "total": {"type": "object", "required": list(total), "properties": total},
        "gates": _list(
            {
                "path": _TEXT,
                "status": {"enum": ["pass", "fail", "unknown"]},
                "limit_usd": {"type": "number"},
                "known_usd": _USD,
                "message": _TEXT,
            }
        ),
        **_cost_parts(),
    }


def _cost_parts() -> dict[str, Any]:
    """Idle, unused, prepaid and blended capacity; what was asked for beside the bill."""
    object_or_none = {"type": ["object", "null"]}
    idle = {
        "hourly_usd": _USD,
        "at_zero_hourly_usd": _USD,
        "released_hourly_usd": _USD,
        "outside_run_usd": _USD,
        "at_least": {"type": "boolean"},
        "unknown_lines": _COUNT,
    }
    return {
        "idle": {"type": "object", "required": list(idle), "properties": idle},
        "unused": _list(
            {
                "group": _MAYBE_TEXT,
                "why": _TEXT,
                "instances": _USD,
                "hourly_usd": _USD,
                "run_usd": _USD,
            }
        ),
        "prepaid": _list(
            {
                "id": _TEXT,
                "instances": _COUNT,
                "hours": _USD,
                "upfront_usd": _USD,
                "usd_per_instance_hour": _USD,
                "start": _MAYBE_TEXT,
                "end": _MAYBE_TEXT,
                "source": _TEXT,
                "date": _TEXT,
                "origin": {"enum": ["user", "live"]},
            }
        ),
        "blends": _list(
            {
                "group": _TEXT,
                "instances": _COUNT,
                "usd_per_instance_hour": _USD,
                "hourly_usd": _USD,
                "shares": _list(
                    {"kind": _TEXT, "instances": _COUNT, "usd_per_instance_hour": _USD}
                ),
                "fallbacks": _list(
                    {"kind": _TEXT, "usd_per_instance_hour": _USD, "hourly_usd": _USD}
                ),
            }
        ),
        "growth": {
            **object_or_none,
            "description": "where a group has max_count: what all costs with every group there",
        },
        "warnings": {"type": "array", "items": _TEXT},
        "live": {**object_or_none, "description": "with --live or --actual: what AWS refused"},
        "exchange": {**object_or_none, "description": "with --currency: the sums in it"},
        "retire": {**object_or_none, "description": "with --retire: what a deletion saves"},
        "actual": {**object_or_none, "description": "with --actual: bill against Cost Explorer"},
    }


def _plan_answer() -> dict[str, Any]:
    """A run's plan, or with `--kind inference` the replicas that serve a model."""
    schema = _answer("plan", _plan(), {"serving": _serving()})
    model = schema["properties"]["model"]
    model["required"] = ["name", "params"]
    of_a_run = {"properties": {"model": {"required": ["active_params", "inferred"]}}}
    schema["else"] = {
        "anyOf": [
            {**schema["else"], **of_a_run},
            {"required": ["kind", "model", "serving", "warnings"]},
        ]
    }
    return schema


def _serving() -> dict[str, Any]:
    figure = {"type": ["number", "null"], "exclusiveMinimum": 0}
    replica = {
        "instance_type": _MAYBE_TEXT,
        "accelerator": _TEXT,
        "accelerators": _COUNT,
        "parts_gib": {"type": "object"},
        "per_accelerator_gib": {"type": ["number", "null"], "minimum": 0},
        "tokens_per_s_bound": figure,
        "bound_by": _MAYBE_TEXT,
        "infeasible": _MAYBE_TEXT,
    }
    properties = {
        "precision": _TEXT,
        "sequences": _POSITIVE_COUNT,
        "seq_len": _POSITIVE_COUNT,
        "replicas": _list(replica),
    }
    return {"type": "object", "required": list(properties), "properties": properties}


def _plan() -> dict[str, Any]:
    quantities = {
        "type": ["object", "null"],
        "required": ["p10", "p50", "p90"],
        "properties": {key: {"type": "number", "minimum": 0} for key in ("p10", "p50", "p90")},
    }
    sure = {**quantities, "type": "object"}
    positive = {"type": "number", "exclusiveMinimum": 0}
    maybe_object = {"type": ["object", "null"]}
    estimate = {
        "accelerators": _POSITIVE_COUNT,
        "accelerators_chosen": {"type": "boolean"},
        "nodes": _POSITIVE_COUNT,
        "accelerator_hours": sure,
        "days": sure,
        "usd": quantities,
        "usd_unknown": _MAYBE_TEXT,
        "in_run_mfu": sure,
        "mfu_peak_tflops": positive,
        "goodput": sure,
        "whole_run_mfu": sure,
    }
    return {
        "model": {"type": "object", "required": ["name", "params", "active_params", "inferred"]},
        "kind": _TEXT,
        "tokens": positive,
        "seq_len": _POSITIVE_COUNT,
        "batch_tokens": positive,
        "precision": _TEXT,
        "training_flops": positive,
        "estimate": {"type": "object", "required": list(estimate), "properties": estimate},
        "candidates": _list(
            {
                "chosen": {"type": "boolean"},
                "infeasible": _MAYBE_TEXT,
                "instance_type": _MAYBE_TEXT,
                "accelerator": _TEXT,
                "nodes": _POSITIVE_COUNT,
                "accelerators": _POSITIVE_COUNT,
                "layout": maybe_object,
                "memory": maybe_object,
                "step": maybe_object,
                "days": quantities,
                "accelerator_hours": quantities,
                "in_run_mfu": quantities,
                "goodput": quantities,
                "efa_off": {**maybe_object, "description": "the same nodes with TCP, not EFA"},
                "unknown_offering": _MAYBE_TEXT,
                "frameworks": _list(
                    {
                        "framework": _TEXT,
                        "generation": _TEXT,
                        "support": {"enum": ["beta", "ended", "none"]},
                        "model": _TEXT,
                        "source": _TEXT,
                    }
                ),
                "notes": {"type": "array", "items": _TEXT},
            }
        ),
        "assumptions": _list({"key": _TEXT, "text": _TEXT, "values": sure, "source": _TEXT}),
        "tornado": _list(
            {"key": _TEXT, "text": _TEXT, "days_low": positive, "days_high": positive}
        ),
        "warnings": {"type": "array", "items": _TEXT},
        "seed": _COUNT,
        "samples": _POSITIVE_COUNT,
        **_plan_report(),
    }


def _plan_report() -> dict[str, Any]:
    """What follows from a plan; null or empty where it was not asked or cannot be said."""
    maybe_object = {"type": ["object", "null"]}
    number = {"type": "number", "minimum": 0}
    maybe_number = {"type": ["number", "null"], "minimum": 0}
    return {
        "region": _MAYBE_TEXT,
        "offers": _list(
            {
                "instance_type": _MAYBE_TEXT,
                "nodes": _POSITIVE_COUNT,
                "capacity_kind": _TEXT,
                "rate_usd_per_hour": maybe_number,
                "source": _MAYBE_TEXT,
                "date": _MAYBE_TEXT,
                "usd": maybe_object,
                "unknown": _MAYBE_TEXT,
                "hint_usd": maybe_number,
                "purchases": {"type": "array"},
                "idle_instance_days": {"type": ["number", "null"]},
                "cautions": {"type": "array", "items": _TEXT},
            }
        ),
        "storage": maybe_object,
        "failures": maybe_object,
        "quotas": _list(
            {
                "name": _TEXT,
                "code": _MAYBE_TEXT,
                "wanted": number,
                "default": maybe_number,
                "note": _TEXT,
            }
        ),
        "phases": _list(
            {
                "name": _TEXT,
                "nodes": _POSITIVE_COUNT,
                "starts": _TEXT,
                "ends": _TEXT,
                "quota_instances": _POSITIVE_COUNT,
                "usd": maybe_number,
                "purpose": _TEXT,
            }
        ),
        "launch": maybe_object,
        "platform": maybe_object,
        "inference": {**maybe_object, "description": "with --inference-tokens"},
        "owned": {**maybe_object, "description": "with --owned"},
        "levels": _list(
            {
                "name": _TEXT,
                "usd_least": number,
                "usd_most": number,
                "reached": {"enum": ["yes", "in part", "no"]},
                "basis": _TEXT,
            }
        ),
        "not_answered": {"type": "array", "items": _TEXT},
    }


def _rehearse() -> dict[str, Any]:
    """The verdict; `--clean` and `--list` have answers of their own."""
    seconds = {"type": "number", "minimum": 0}
    maybe_seconds = {"type": ["number", "null"], "minimum": 0}
    texts = {"type": "array", "items": _TEXT}
    verdict = {
        "config": _TEXT,
        "cluster": _TEXT,
        "suite": _TEXT,
        "slurm": _MAYBE_TEXT,
        "promises": _list(
            {
                "id": {"type": "string", "description": "the scenario, a dot, the promise"},
                "scenario": _TEXT,
                "text": _TEXT,
                "status": {"enum": ["held", "broken", "unknown"]},
                "seconds": maybe_seconds,
                "reason": _MAYBE_TEXT,
            }
        ),
        "nodes": _list(
            {
                "name": _TEXT,
                "host": _TEXT,
                "group": _TEXT,
                "role": _MAYBE_TEXT,
                "instance_type": _TEXT,
                "instance_id": _TEXT,
                "address": _TEXT,
                "status": {"enum": ["pending", "running", "failed", "lost"]},
                "seconds": maybe_seconds,
                "log": _MAYBE_TEXT,
            }
        ),
        "steps": _list(
            {
                "node": _TEXT,
                "step": _TEXT,
                "status": _TEXT,
                "seconds": seconds,
                "error": _MAYBE_TEXT,
                "ended": {**maybe_seconds, "description": "seconds since the epoch"},
            }
        ),
        "skipped": _list({"what": _TEXT, "reason": _TEXT}),
        "summary": {
            "type": "object",
            "required": ["held", "broken", "unknown"],
            "properties": dict.fromkeys(("held", "broken", "unknown"), _COUNT),
            "additionalProperties": False,
        },
        "phases": _list(
            {
                "name": _TEXT,
                "seconds": seconds,
                "started": {**maybe_seconds, "description": "seconds since the epoch"},
            }
        ),
        "notes": texts,
        "not_covered": texts,
        "failure_logs": _list({"node": _TEXT, "log": _TEXT}),
        "timeline": _list(
            {
                "time": {**seconds, "description": "since the epoch"},
                "event": _TEXT,
                "node": _TEXT,
                "instance_id": _TEXT,
            }
        ),
    }
    cleaned = dict.fromkeys(("removed", "left", "alive"), texts)
    listed = {"scenarios": _list({"name": _TEXT, "title": _TEXT, "promises": texts})}
    schema = _answer("rehearse", {**verdict, **cleaned, **listed})
    schema["else"] = {
        "oneOf": [{"required": list(properties)} for properties in (verdict, cleaned, listed)]
    }
    return schema


def _list(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "object", "required": list(properties), "properties": properties},
    }


if __name__ == "__main__":
    sys.exit(main())
