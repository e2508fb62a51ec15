"""`clusterwright check`: output, exit codes, selection, invalid input."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from clusterwright.preflight.registry import rule_files
from tests.support import specs
from tests.support.command_line import Answer, clusterwright, nothing_written

SHORT = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}


def config(folder: Path, changes: dict[str, Any] | None = None) -> Path:
    return specs.write(folder / "spec.yaml", specs.changed(changes or {}))


def offline(folder: Path, *options: str, changes: dict[str, Any] | None = None) -> Answer:
    path = config(folder, changes)
    with nothing_written(folder):
        return clusterwright("check", path, "--offline", *options)


def test_clean_spec_prints_one_line_and_exits_0(tmp_path: Path) -> None:
    answer = offline(tmp_path)
    account = sum(file.scope == "account" for file in rule_files())
    assert (answer.exit_code, answer.err) == (0, "")
    assert f"0 errors, 0 unknown, {account} skipped, 0 waived" in answer.out


def test_finding_has_the_contract_format(tmp_path: Path) -> None:
    answer = offline(tmp_path, changes=SHORT)
    assert answer.exit_code == 1
    lines = answer.out.splitlines()
    assert lines[0].startswith("error[CW-N003]: the cluster needs ")
    assert lines[1] == f"  {tmp_path / 'spec.yaml'}:7:13"
    assert lines[2] == '   7 |     "cidr": "10.0.0.0/24",'
    assert lines[3] == "     |             ^^^^^^^^^^^^^"
    assert lines[4].startswith("  requested ")
    assert lines[6].startswith("hint: cidr: 10.0.")


def test_config_env_and_argument_are_equivalent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "configs").mkdir()
    path = specs.write(tmp_path / "configs" / "tiny.yaml", specs.changed(SHORT))
    monkeypatch.chdir(tmp_path)
    answers = [
        clusterwright("check", *arguments, "--offline", "--format", "json")
        for arguments in (
            ["configs/tiny.yaml"],
            ["-c", path],
            ["--config", path],
            ["--env", "tiny"],
        )
    ]
    findings = [[f["rule"] for f in json.loads(a.out)["findings"]] for a in answers]
    assert findings == [findings[0]] * 4
    assert {a.exit_code for a in answers} == {1}


def test_offline_needs_no_credentials_and_imports_no_boto3(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from clusterwright.cli.main import main\n"
        f"code = main(['check', {str(config(tmp_path))!r}, '--offline'])\n"
        "assert not {'boto3', 'botocore', 'rich', 'moto', 'numpy', 'aws_cdk'} & set(sys.modules)\n"
        "sys.exit(code)\n"
    )
    environment = {"PATH": "", "AWS_PROFILE": "there-is-none", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_without_credentials_account_rules_are_unknown_with_one_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    answer = clusterwright("check", config(tmp_path))
    assert answer.exit_code == 2
    assert answer.out.count("no usable AWS credentials") == 1
    assert "hint: set AWS_PROFILE or sign in" in answer.out
    found = json.loads(clusterwright("check", config(tmp_path), "--format", "json").out)
    assert found["summary"]["fail"] == 0
    assert found["summary"]["unknown"] >= 8
    assert {u["reason"] for u in found["unknown"]} == {"no-credentials"}
    assert all(u["iam_action"] for u in found["unknown"])
    assert clusterwright("check", config(tmp_path), "--strict").exit_code == 1


def test_a_profile_that_does_not_exist_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "there-is-none")
    answer = clusterwright("check", config(tmp_path))
    assert answer.exit_code == 2
    assert "there-is-none" in answer.out


def test_unreachable_endpoint_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Sockets are blocked in tests, which botocore reports as a network failure.
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")
    answer = clusterwright("check", config(tmp_path), "--only", "CW-I003", "--timeout", "5")
    assert answer.exit_code == 2
    assert "unknown[CW-I003]" in answer.out


def test_only_and_skip_select_rules(tmp_path: Path) -> None:
    only = json.loads(
        offline(tmp_path, "--only", "CW-N003", "--format", "json", changes=SHORT).out
    )
    assert only["summary"]["fail"] == 1
    assert only["summary"]["skipped"] == len(rule_files()) - 1
    skipped = offline(tmp_path, "--skip", "CW-N003,CW-N004", changes=SHORT)
    assert skipped.exit_code == 0
    family = json.loads(offline(tmp_path, "--only", "cw-n", "--format", "json").out)
    ran = {r["rule"] for r in family["rules"] if r["status"] != "skipped"}
    assert {name[:4] for name in ran} == {"CW-N"}


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (("--only", "CW-N0003"), "there is no rule 'CW-N0003'", "did you mean CW-N003?"),
        (("--skip", "nonsense"), "there is no rule 'nonsense'", "docs/reference/rules.md"),
        (("--only", ""), "there is no rule ''", "docs/reference/rules.md"),
        (("--fail-on", "fatal"), "", "clusterwright check --help"),
        (("--format", "xml"), "", "clusterwright check --help"),
        (("--timeout", "0"), "", "clusterwright check --help"),
        (("--request-quotas",), "--request-quotas reads the account", "leave --offline out"),
        (("--yes",), "require --request-quotas", ""),
        (("--lead-days", "3"), "require --request-quotas", ""),
        (("--request-file", "x.md"), "require --request-quotas", ""),
        (("--iam-policy",), "no selected rule needs a permission", "leave --offline"),
        (
            ("--iam-policy", "--format", "sarif"),
            "does not support --format sarif",
            "--format text or json",
        ),
        (("second.yaml",), "", "clusterwright check --help"),
    ],
)
def test_usage_error_exits_3(
    tmp_path: Path, options: tuple[str, ...], message: str, hint: str
) -> None:
    answer = offline(tmp_path, *options)
    assert answer.exit_code == 3
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert message in answer.err
    assert f"hint: {hint}" in answer.err or hint in answer.err


def test_help_lists_every_option() -> None:
    text = clusterwright("check", "--help").out
    for option in (
        "--retire",
        "--request-quotas",
        "--iam-policy",
        "--yes",
        "--lead-days",
        "--request-file",
    ):
        assert option in text
    for option in ("--offline", "--only", "--skip", "--fail-on", "--strict", "--format", "--env"):
        assert option in text
    assert "Exit codes" in text


@pytest.mark.parametrize(
    ("changes", "options", "code"),
    [
        ({"slurm.containers.pyxis": True}, (), 0),
        ({"slurm.containers.pyxis": True}, ("--fail-on", "warning"), 1),
        ({"slurm.containers.pyxis": True}, ("--fail-on", "info"), 1),
        ({"compute.1.instance_type": "p5en.48xlarge"}, ("--fail-on", "info"), 1),
        ({"compute.1.instance_type": "p5en.48xlarge"}, ("--fail-on", "warning"), 0),
        ({"budget.monthly_usd": 10_000_000}, (), 2),
        ({"budget.monthly_usd": 10_000_000}, ("--strict",), 1),
        ({"budget.monthly_usd": 10_000_000, **SHORT}, (), 1),
        ({"budget.monthly_usd": 10}, (), 1),
        ({}, ("--strict",), 0),
    ],
)
def test_exit_codes_follow_the_findings(
    tmp_path: Path, changes: dict[str, Any], options: tuple[str, ...], code: int
) -> None:
    assert offline(tmp_path, *options, changes=changes).exit_code == code


def test_waiver_applies_until_its_expiry_date(tmp_path: Path) -> None:
    waiver = {
        "rule": "CW-N003", "path": "network.cidr", "expires": "2999-01-31",
        "reason": "the network team widens the range",
    }  # fmt: skip
    answer = offline(tmp_path, changes={**SHORT, "waivers": [waiver]})
    assert answer.exit_code == 0
    assert "waived[CW-N003]: the cluster needs" in answer.out
    assert "the network team widens the range (until 2999-01-31)" in answer.out
    assert "1 waived" in answer.out
    expired = offline(
        tmp_path,
        "--format",
        "json",
        changes={**SHORT, "waivers": [{**waiver, "expires": "2020-01-31"}]},
    )
    assert expired.exit_code == 1
    assert {f["rule"] for f in json.loads(expired.out)["findings"]} >= {"CW-N003", "CW-W001"}


def test_sarif_and_junit_are_valid(tmp_path: Path) -> None:
    sarif = offline(tmp_path, "--format", "sarif", changes=SHORT)
    assert sarif.exit_code == 1
    document = json.loads(sarif.out)
    assert document["version"] == "2.1.0"
    assert [r["ruleId"] for r in document["runs"][0]["results"]] == ["CW-N003"]
    junit = offline(tmp_path, "--format", "junit", changes=SHORT)
    assert junit.exit_code == 1
    suite = ET.fromstring(junit.out)
    assert suite.attrib["failures"] == "1"


def test_markdown_begins_with_the_verdict(tmp_path: Path) -> None:
    answer = offline(tmp_path, "--format", "markdown", changes=SHORT)
    assert answer.out.startswith("### Check of test: **fail**\n")


@pytest.mark.parametrize("output_format", ["text", "json", "markdown", "sarif", "junit"])
def test_invalid_spec_exits_3_in_every_format(tmp_path: Path, output_format: str) -> None:
    changes = {"compute.1.instance_type": "p5.48large"}
    answer = offline(tmp_path, "--format", output_format, changes=changes)
    assert answer.exit_code == 3
    assert "hint: did you mean p5.48xlarge?" in answer.err
    if output_format == "json":
        found = json.loads(answer.out)
        assert (found["command"], found["exit_code"]) == ("check", 3)
        assert found["problems"][0]["path"] == "compute[1].instance_type"
    else:
        assert answer.out == ""


def test_user_prices_complete_a_budget_check(tmp_path: Path) -> None:
    path = config(tmp_path, {"budget.monthly_usd": 10_000_000})
    cost = clusterwright("cost", path, "--format", "json")
    unknown = [line for line in json.loads(cost.out)["lines"] if line["settle_with"]]
    rates = [line["settle_with"].replace("...", "'1'") for line in unknown]
    from clusterwright.cost.usage_items import USAGE_ITEMS

    text = "rates:\n" + "".join(f"  - {rate}\n" for rate in rates)
    text += "usage:\n" + "".join(f"  {key}: 1\n" for key in USAGE_ITEMS)
    prices = tmp_path / "mine.yaml"
    prices.write_text(text)
    options = ("--offline", "--only", "CW-B001")
    assert clusterwright("check", path, *options).exit_code == 2
    assert clusterwright("check", path, *options, "--prices", prices).exit_code == 0
    prices.rename(tmp_path / "prices.yaml")
    assert clusterwright("check", path, *options).exit_code == 0


def test_every_config_of_the_repository_passes() -> None:
    root = Path(__file__).parents[2] / "configs"
    files = [
        *root.glob("examples/*.yaml"),
        *(root / f"{n}.yaml" for n in ("dev", "staging", "prod")),
    ]
    assert len(files) >= 10
    for path in files:
        answer = clusterwright("check", path, "--offline", "--format", "json")
        errors = [
            f["message"] for f in json.loads(answer.out)["findings"] if f["severity"] == "error"
        ]
        assert errors == [], path
        assert answer.exit_code in (0, 2), path


@pytest.mark.parametrize("command", [["check", "--offline"], ["cost"]])
def test_damaged_catalogue_is_a_user_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    import shutil

    from clusterwright.catalog.store import PACKAGE_DATA

    folder = tmp_path / "catalogue"
    shutil.copytree(PACKAGE_DATA, folder)
    for name in ("lustre", "prices"):
        (folder / f"{name}.json").write_text("{")
    monkeypatch.setenv("CLUSTERWRIGHT_CATALOG", str(folder))
    answer = clusterwright(*command, config(tmp_path, {"storage.lustre": [specs.LUSTRE]}))
    assert answer.exit_code == 3
    assert ".json is damaged" in answer.err


def test_progress_is_shown_only_on_terminals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import io

    from clusterwright.cli import progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    quick = Terminal()
    line = progress.ProgressLine(quick, "reading from AWS")
    line.show(1, 2)
    line.clear()
    assert quick.getvalue() == ""
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0)
    piped, slow = io.StringIO(), Terminal()
    for stream in (piped, slow):
        line = progress.ProgressLine(stream, "reading from AWS")
        line.show(9, 22)
        line.show(1, 2)
        line.clear()
        line.clear()
    assert piped.getvalue() == ""
    assert slow.getvalue() == (
        "\rreading from AWS: 9 of 22\rreading from AWS: 1 of 2 \r                         \r"
    )
