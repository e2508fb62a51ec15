"""A capacity mix is deployed, and its scratch file system can be retired."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusterwright.cli.main import main
from clusterwright.cluster_spec.document import parse_document
from clusterwright_localaws import local_aws
from tests.stacks.deployment import bootstrapped
from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Build

SAMPLE = Path(__file__).parents[2] / "docs" / "samples" / "mixed.yaml"


def test_mixed_group_is_deployed_and_exports_are_verified(
    build: Build, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = parse_document(SAMPLE.read_text(encoding="utf-8"), str(SAMPLE)).data
    with local_aws(unlisted_plans="active"):
        account = bootstrapped()
        account.deploy(build(spec))
        cluster = account.client("sagemaker").describe_cluster(ClusterName="mixed")
        groups = {group["InstanceGroupName"]: group for group in cluster["InstanceGroups"]}
        assert {name: group["TargetCount"] for name, group in groups.items()} == {
            "controller": 1,
            "workers": 12,
            "workers-spot": 4,
            "workers-on-demand": 0,
        }
        assert groups["workers"]["TrainingPlanArn"].endswith("/prod")
        assert "Spot" in groups["workers-spot"]["CapacityRequirements"]
        assert "Spot" not in groups["workers-on-demand"].get("CapacityRequirements", {})
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        code = main(["check", str(SAMPLE), "--retire", "scratch", "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
    assert code == 0, answer["findings"]
    (rule,) = [rule for rule in answer["rules"] if rule["status"] != "skipped"]
    assert (rule["rule"], rule["status"]) == ("CW-S040", "pass")
