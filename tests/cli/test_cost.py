"""`clusterwright cost`: output, exit codes, invalid input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.main import main
from tests.support import specs


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["cost", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def config(tmp_path: Path) -> str:
    return str(specs.write(tmp_path / "spec.yaml", specs.SMALL))


def test_unknown_prices_are_listed_with_exit_0(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, config)
    assert (code, err) == (0, "")
    assert "at least" in out
    assert "\x1b" not in out


def test_strict_reports_unknown_prices(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, config, "--strict")[0] == 1


@pytest.mark.parametrize(("limit", "code"), [(1000, 1), (10_000_000, 2)])
def test_budget_determines_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: int, code: int
) -> None:
    data = specs.changed({"budget": {"monthly_usd": limit}})
    path = specs.write(tmp_path / "spec.yaml", data)
    found, out, _ = run(capsys, str(path), "--format", "json")
    answer = json.loads(out)
    assert found == answer["exit_code"] == code
    assert answer["gates"][0]["status"] == {1: "fail", 2: "unknown"}[code]


def test_hours_option_takes_precedence(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, config, "--hours", "10", "--format", "json")
    answer = json.loads(out)
    assert answer["run_hours"] == 10
    assert answer["total"]["run_usd"] == pytest.approx(10 * answer["total"]["hourly_usd"])


def test_prices_beside_the_spec_are_used_and_named(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {
        "instance_type": "p5.48xlarge", "kind": "hyperpod-on-demand", "region": "us-east-1",
        "usd": 50, "unit": "instance-hour", "source": "contract", "date": "2026-11-01",
    }  # fmt: skip
    (tmp_path / "prices.yaml").write_text(json.dumps({"rates": [entry]}))
    _, out, _ = run(capsys, config, "--format", "json")
    answer = json.loads(out)
    assert answer["prices_file"] == str(tmp_path / "prices.yaml")
    workers = next(entry for entry in answer["lines"] if "workers" in entry["item"])
    assert (workers["unit_price_usd"], workers["source"]) == (50, "your rate: contract")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a.yaml", "--config", "b.yaml"),
        ("a.yaml", "--env", "dev"),
        ("--env", "../dev"),
        ("missing.yaml",),
        (".",),
        ("{config}", "--hours", "0"),
        ("{config}", "--hours", "many"),
        ("{config}", "--format", "sarif"),
        ("{config}", "--prices", "missing.yaml"),
        ("{config}", "--region", "us-east-1"),
        ("{config}", "--currency", "JPY"),
        ("{config}", "--fx", "150@2026-11-01"),
        ("{config}", "--currency", "JPY", "--fx", "150"),
        ("{config}", "--currency", "JPY", "--fx", "-1@2026-11-01"),
        ("{config}", "--currency", "JPY", "--fx", "150@2999-01-01"),
        ("{config}", "--retire", "/fsx"),
        ("{config}", "--actual", "--days", "0"),
    ],
)
def test_usage_error_is_a_message_with_exit_3(
    config: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *(a.format(config=config) for a in arguments))
    assert code == 3
    assert out == ""
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_invalid_spec_is_reported_with_carets_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = specs.changed({"compute.1.count": "four", "compute.1.instance_type": "p5.48large"})
    path = specs.write(tmp_path / "spec.yaml", data)
    code, out, err = run(capsys, str(path))
    assert (code, out) == (3, "")
    assert err.count("error: ") == 2
    assert "^^^^" in err
    assert "hint: did you mean p5.48xlarge?" in err
    code, out, err = run(capsys, str(path), "--format", "json")
    answer = json.loads(out)
    assert (code, answer["exit_code"], answer["command"]) == (3, 3, "cost")
    assert {problem["path"] for problem in answer["problems"]} == {
        "compute[1].count",
        "compute[1].instance_type",
    }
    assert all(problem["line"] and problem["column"] for problem in answer["problems"])


def test_invalid_prices_are_reported_with_carets(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prices.yaml").write_text("rates:\n  - {usd: 1}\n")
    code, out, err = run(capsys, config)
    assert (code, out) == (3, "")
    assert "prices.yaml:2" in err


def test_env_reads_the_same_file_as_cdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    data: dict[str, Any] = specs.changed({"environment": "tiny"})
    specs.write(tmp_path / "configs" / "tiny.yaml", data)
    _, out, _ = run(capsys, "--env", "tiny", "--format", "json")
    assert json.loads(out)["environment"] == "tiny"


def test_every_example_has_a_bill(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2] / "configs"
    files = [
        *root.glob("examples/*.yaml"),
        *(root / f"{n}.yaml" for n in ("dev", "staging", "prod")),
    ]
    assert len(files) >= 3
    for path in files:
        code, out, err = run(capsys, str(path), "--format", "json")
        assert code in (0, 1, 2), f"{path}: {err}"
        answer = json.loads(out)
        groups = [entry for entry in answer["lines"] if entry["component"] == "compute"]
        assert groups, path


def test_second_currency_has_a_column(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, config, "--currency", "jpy", "--fx", "150.5@2026-11-01", "--format", "json"
    )
    answer = json.loads(out)
    assert (code, answer["currency"]) == (0, "USD")
    exchange = answer["exchange"]
    assert (exchange["currency"], exchange["rate"], exchange["date"]) == (
        "JPY", 150.5, "2026-11-01",
    )  # fmt: skip
    total = answer["total"]
    assert exchange["total"]["monthly"] == pytest.approx(total["monthly_usd"] * 150.5)
    for entry in answer["lines"]:
        if entry["monthly_usd"] is None:
            assert entry["exchanged"] == {"hourly": None, "monthly": None}
        else:
            assert entry["exchanged"]["monthly"] == pytest.approx(entry["monthly_usd"] * 150.5)
    _, out, _ = run(capsys, config, "--currency", "jpy", "--fx", "150.5@2026-11-01")
    assert "JPY/month" in out
    assert "1 USD is 150.5 JPY (your rate of 2026-11-01)" in out


@pytest.mark.parametrize("name", ["/fsx", "/fsx/", "fsx"])
def test_retire_shows_the_savings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    data = specs.changed({"storage.lustre": [specs.LUSTRE]})
    path = str(specs.write(tmp_path / "spec.yaml", data))
    _, out, _ = run(capsys, path, "--retire", name, "--format", "json")
    found = json.loads(out)["retire"]
    assert found["storage"] == "fsx"
    assert found["monthly_usd"] == 4800 * 0.6
    _, out, _ = run(capsys, path, "--retire", name)
    assert "2,880.00 USD a month less" in out
    assert "clusterwright check --retire fsx" in out


def test_every_line_shows_the_source_of_its_price(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, config, "--format", "json")
    for entry in json.loads(out)["lines"]:
        if entry["unit_price_usd"] is None:
            assert (entry["origin"], entry["source"], entry["date"]) == (None, None, None)
        else:
            assert entry["origin"] == "catalogue"
            assert entry["source"]
            assert entry["date"]
            assert entry["stale"] is (entry["age_days"] is None or entry["age_days"] > 90)
