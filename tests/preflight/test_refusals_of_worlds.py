"""If an account rule fails in a world, that world refuses the calls of the deployment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from clusterwright.cli.main import main
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import build_site
from tests.preflight.refusal_cases import ACCOUNT, CASES, Case
from tests.support import specs


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_finding_is_refused_by_the_world(
    case: Case,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes = {"account": ACCOUNT, **case.changes}
    path = specs.write(tmp_path / "spec.yaml", specs.changed(changes))
    with local_aws("generous", **case.world):
        site = build_site()
        main(["check", str(path), "--only", case.rule, "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        grave = {f["rule"] for f in answer["findings"] if f["severity"] == case.severity}
        assert grave == {case.rule}, answer["unknown"]
        with pytest.raises(ClientError) as caught:
            case.deploy(site)
        assert caught.value.response["Error"]["Code"] != "InternalFailure"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_generous_world_accepts_the_same_request(case: Case) -> None:
    with local_aws("generous", **case.generous):
        case.deploy(build_site())
