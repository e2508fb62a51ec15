"""CW-J086: Variables of containers contain no secrets."""

from __future__ import annotations

from typing import Any

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def with_env(*variables: dict[str, Any]) -> str:
    made = pod()
    made["containers"][0]["env"] = list(variables)
    return pytorch_job(made)


def test_secrets() -> None:
    token = "hf_" + "a1" * 15
    found = fails("CW-J086", with_env({"name": "HUB", "value": token}))
    assert found.message == "HUB contains what looks like a secret"
    assert "secretKeyRef" in (found.hint or "")
    fails("CW-J086", with_env({"name": "WANDB_API_KEY", "value": "0123456789abcdef0123"}))


def test_references_and_placeholders() -> None:
    reference = {"secretKeyRef": {"name": "hub", "key": "token"}}
    passes("CW-J086", with_env({"name": "HF_TOKEN", "valueFrom": reference}))
    passes("CW-J086", with_env({"name": "HF_TOKEN", "value": "PLACEHOLDER_HF_TOKEN"}))
    passes("CW-J086", with_env({"name": "HF_TOKEN", "value": "$HF_TOKEN"}))
