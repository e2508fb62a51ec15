"""The JSON Schema of the answer of `clusterwright diff`, for `render.schemas`."""

from __future__ import annotations

from typing import Any, Final, get_args

from clusterwright.review.results import EFFECTS, Action, Certainty, GateStatus, Verdict

_TEXT: Final = {"type": "string"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_BOOLEAN: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "number"}
_MAYBE_NUMBER: Final = {"type": ["number", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def review_properties(finding: dict[str, Any]) -> dict[str, Any]:
    """The answer's own keys; `finding` holds those of a finding."""
    changes = _list({"path": _TEXT, "before": {}, "after": {}})
    access = _list({"stack": _TEXT, "logical_id": _TEXT, "message": _TEXT})
    waiver = _object({"reason": _TEXT, "expires": {"type": "string", "format": "date"}})
    return {
        "file": _TEXT,
        "environment": _TEXT,
        "base": _TEXT,
        "verdict": {"enum": list(get_args(Verdict))},
        "gates": _list(
            {
                "gate": _TEXT,
                "status": {"enum": list(get_args(GateStatus))},
                "name": _TEXT,
                "message": _TEXT,
                "hint": _MAYBE_TEXT,
            }
        ),
        "changes": changes,
        "resources_known": _BOOLEAN,
        "resources": _list(
            {
                "stack": _TEXT,
                "logical_id": _TEXT,
                "type": _TEXT,
                "effect": {
                    "enum": list(EFFECTS),
                    "description": "on what is there; a resource that is made has `none`",
                },
                "data_loss": _BOOLEAN,
                "job_loss": _BOOLEAN,
                "action": {"enum": list(get_args(Action))},
                "certainty": {"enum": list(get_args(Certainty))},
                "holds": _MAYBE_TEXT,
                "outcome": _MAYBE_TEXT,
                "properties": _TEXTS,
                "reasons": _TEXTS,
            }
        ),
        "obstacles": _list({"kind": _TEXT, "where": _TEXT, "message": _TEXT, "hint": _TEXT}),
        "nodes": _list(
            {
                "group": _TEXT,
                "change": _TEXT,
                "before": _COUNT,
                "after": _COUNT,
                "jobs": {"enum": ["die", "wait", "none"]},
                "message": _TEXT,
            }
        ),
        "access": access,
        "network": access,
        "scripts": _or_null(
            _object(
                {
                    "added": _TEXTS,
                    "removed": _TEXTS,
                    "changed": _TEXTS,
                    "prefix_changes": _BOOLEAN,
                    "when": _TEXT,
                }
            )
        ),
        "cost_delta": _or_null(_cost()),
        "quota_delta": _list(
            {
                "service": _TEXT,
                "code": _MAYBE_TEXT,
                "label": _TEXT,
                "unit": _TEXT,
                "before": _NUMBER,
                "after": _NUMBER,
                "delta": _NUMBER,
                "limit": _MAYBE_NUMBER,
            }
        ),
        "findings": _object(
            {
                "new": _list(finding),
                "fixed": _list(finding),
                "waived": _list({**finding, "waiver": waiver}),
                "standing": _list(finding),
                "unknown": _list(
                    {
                        "rule": _TEXT,
                        "path": _TEXT,
                        "message": _TEXT,
                        "hint": _MAYBE_TEXT,
                        "iam_action": _MAYBE_TEXT,
                    }
                ),
            }
        ),
        "unknown": _list({"what": _TEXT, "reason": _TEXT, "hint": _MAYBE_TEXT}),
        "notes": _TEXTS,
        "drift": changes,
        "plan": changes,
    }


def _cost() -> dict[str, Any]:
    total = _object(
        {
            "hourly_usd": _NUMBER,
            "monthly_usd": _NUMBER,
            "run_usd": _MAYBE_NUMBER,
            "unknown_lines": _COUNT,
        }
    )
    return _object(
        {
            "hourly_usd": _NUMBER,
            "monthly_usd": _NUMBER,
            "run_usd": _MAYBE_NUMBER,
            "percent": _MAYBE_NUMBER,
            "unknown_changes": _COUNT,
            "before": total,
            "after": total,
            "lines": _list(
                {
                    "component": _TEXT,
                    "item": _TEXT,
                    "change": {"enum": ["added", "removed", "changed"]},
                    "before_monthly_usd": _MAYBE_NUMBER,
                    "after_monthly_usd": _MAYBE_NUMBER,
                    "monthly_usd": _MAYBE_NUMBER,
                }
            ),
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _list(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": ["object", "null"]}
