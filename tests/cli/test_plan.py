"""`clusterwright plan`: the contract's JSON, text output, invalid input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import Answer, clusterwright

FIXED = ("--params", "70e9", "--tokens", "15e12", "--precision", "bf16")
P5 = ("--instance-type", "p5.48xlarge", "--nodes", "256")


def planned(*arguments: str) -> dict[str, Any]:
    answer = clusterwright("plan", *arguments, "--format", "json")
    assert answer.exit_code == 0, answer.err
    data: dict[str, Any] = json.loads(answer.out)
    jsonschema.validate(data, schemas()["plan-output.schema.json"])
    return data


def test_json_of_a_fixed_cluster_has_the_contract_keys() -> None:
    data = planned(*FIXED, *P5)
    estimate = data["estimate"]
    assert (data["schema_version"], data["command"], data["exit_code"]) == (1, "plan", 0)
    assert estimate["accelerators"] == 2048
    for key in ("accelerator_hours", "days", "in_run_mfu", "goodput"):
        assert 0 < estimate[key]["p10"] <= estimate[key]["p50"] <= estimate[key]["p90"]
    assert estimate["usd"] is None
    assert data["candidates"][0]["chosen"]
    assert any("inferred" in warning for warning in data["warnings"])


def test_accelerator_without_a_count_gets_a_count() -> None:
    data = planned(*FIXED, "--accelerator", "H800")
    assert data["estimate"]["accelerators_chosen"]
    assert any("number of accelerators not given" in text for text in data["warnings"])
    assert not planned(*FIXED, "--accelerator", "H800", "--accelerators", "2048")["estimate"][
        "accelerators_chosen"
    ]


def test_all_sizes_can_be_given() -> None:
    data = planned(
        *("--params", "671e9", "--active-params", "37e9", "--tokens", "14.8e12"),
        *("--seq-len", "4096", "--layers", "61", "--hidden-size", "7168", "--precision", "fp8"),
        *("--accelerator", "H800", "--accelerators", "2048"),
    )
    assert data["model"]["layers"] == 61
    assert data["model"]["active_params"] == 37e9
    assert data["estimate"]["mfu_peak_tflops"] == 1979


def test_output_is_deterministic() -> None:
    first = clusterwright("plan", *FIXED, *P5, "--format", "json").out
    assert clusterwright("plan", *FIXED, *P5, "--format", "json").out == first
    assert clusterwright("plan", *FIXED, *P5, "--seed", "1", "--format", "json").out != first


@pytest.mark.parametrize("output_format", ["text", "markdown"])
def test_text_and_json_have_the_same_numbers(output_format: str) -> None:
    data = planned(*FIXED, *P5)
    answer = clusterwright("plan", *FIXED, *P5, "--format", output_format)
    assert answer.exit_code == 0
    assert f"{data['estimate']['days']['p50']:.1f}" in answer.out
    assert "70B parameters, 15T tokens" in answer.out
    assert "\x1b" not in answer.out


def test_explain_prints_formulae_numbers_and_sources() -> None:
    answer = clusterwright("plan", "--model", "llama3-70b", "--tokens", "15T", *P5, "--explain")
    for words in (
        "C = 6 N D = 6 x 7.055e+10 x 1.5e+13",
        "arXiv:2001.08361",
        "sqrt(2 w M)",
        "theoretical_memory_usage.py",
        "failures per node and day: 0.0023, 0.0038, 0.013",
    ):
        assert words in answer.out
    assert planned("--model", "llama3-70b", "--tokens", "15T", *P5, "--explain")["explained"]


def test_flags_override_the_goal_file(tmp_path: Path) -> None:
    goal = tmp_path / "goal.yaml"
    goal.write_text(
        "model: llama3-8b\ntokens: 15T\nseq_len: 8192\nbatch_tokens: 4M\n"
        "cluster: {instance_type: p5.48xlarge, nodes: 16}\n"
    )
    data = planned("--goal", str(goal))
    assert data["estimate"]["accelerators"] == 128
    assert not any("not given" in warning for warning in data["warnings"])
    assert planned("--goal", str(goal), "--nodes", "32")["estimate"]["accelerators"] == 256


def test_config_json_is_read_by_path(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(
        json.dumps(
            {
                "model_type": "llama",
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "vocab_size": 128256,
                "tie_word_embeddings": False,
            }
        )
    )
    data = planned("--model", str(config), "--tokens", "1T", *P5)
    assert data["model"]["params"] == pytest.approx(8.03e9, rel=0.001)


def refused(*arguments: str) -> Answer:
    answer = clusterwright("plan", *arguments)
    assert answer.exit_code == 3
    assert answer.err.startswith("error: ")
    return answer


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--params", "70", "--tokens", "15T", *P5), "did you mean 70B"),
        (("--params", "nan", "--tokens", "15T", *P5), "params is not a number"),
        (("--params", "70B", "--tokens", "-1", *P5), "tokens is negative"),
        (("--params", "70B", *P5), "compute-optimal"),
        (("--params", "70B", "--tokens", "15T", "--nodes", "0", *P5[:2]), "cluster.nodes"),
        (("--params", "70B", "--tokens", "15T", "--seq-len", "-4", *P5), "seq_len"),
        (("--params", "1T", "--tokens", "1T", *P5[:2], "--nodes", "1"), "at least 64"),
        (("--model", "gpt-9", "--tokens", "1T", *P5), "unknown model"),
        (("--model", "missing/config.json", "--tokens", "1T", *P5), "nothing is downloaded"),
        (("--goal", "missing.yaml"), "cannot be read"),
        (("--precision", "fp7", *FIXED[:4], *P5), "precision"),
        (("--layers", "many", *FIXED, *P5), "not a valid integer"),
    ],
)
def test_invalid_input_is_one_error_message(arguments: tuple[str, ...], said: str) -> None:
    answer = refused(*arguments)
    assert said in answer.err
    assert answer.out == ""


def test_invalid_input_is_json_if_requested() -> None:
    answer = refused("--params", "70", "--tokens", "15T", *P5, "--format", "json")
    data = json.loads(answer.out)
    jsonschema.validate(data, schemas()["plan-output.schema.json"])
    assert data["exit_code"] == 3
    assert data["problems"][0]["path"] == "params"
    assert "did you mean 70B" in data["problems"][0]["hint"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("goal.yaml", "model: [llama"),
        ("goal.yaml", "- 1\n- 2\n"),
        ("goal.yaml", "modle: llama3-70b\n"),
        ("goal.yaml", "cluster: 5\n"),
        ("config.json", "{"),
        ("config.json", "[]"),
        ("config.json", "\x00\x01"),
    ],
)
def test_malformed_file_is_one_error_message(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    flag = "--goal" if name == "goal.yaml" else "--model"
    refused(flag, str(path), "--tokens", "1T", *P5)


def test_binary_file_is_one_error_message(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe\x00")
    refused("--model", str(path), "--tokens", "1T", *P5)
    refused("--goal", str(path))
    refused("--goal", str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "{model: llama3-8b, tokens: [1]}",
        "{model: llama3-8b, tokens: {a: 1}}",
        "{model: llama3-8b, tokens: 2027-01-01}",
        "{model: llama3-8b, tokens: 1" + "0" * 400 + "}",
    ],
)
def test_goal_file_with_other_keys_is_one_error_message(tmp_path: Path, text: str) -> None:
    goal = tmp_path / "goal.yaml"
    goal.write_text(text)
    answer = clusterwright("plan", "--goal", str(goal))
    assert answer.exit_code == 3
    assert "tokens" in answer.err


def test_goal_file_can_use_yaml_syntax(tmp_path: Path) -> None:
    goal = tmp_path / "goal.yaml"
    goal.write_text(
        "model: llama3-8b\ntokens: 1T\ndeadline: 2126-06-01\ncapacity: spot\n"
        "shape:\n  # layers: 80\ncluster: {accelerator: H100}\n"
    )
    assert planned("--goal", str(goal))["estimate"]["accelerators"] > 0
    goal.write_text("{model: llama3-8b, tokens: 1T, deadline: 90}\n")
    assert "did you mean 90d?" in clusterwright("plan", "--goal", str(goal)).err


@pytest.mark.parametrize(
    "more", [("--phases", "8", "--starts", "9999-12-31"), ("--phases", ",")], ids=str
)
def test_empty_phases_are_one_error_message(more: tuple[str, ...]) -> None:
    answer = clusterwright("plan", *FIXED, *P5, *more)
    assert answer.exit_code == 3
    assert "phases" in answer.err


def test_prices_file_without_rates_is_one_error_message(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    for text in ("model: llama3-8b\n", "rates:\n"):
        prices.write_text(text)
        answer = clusterwright("plan", *FIXED, *P5, "--prices", str(prices))
        assert answer.exit_code == 3
        assert "no rates" in answer.err


def test_very_short_run_has_a_duration() -> None:
    data = planned("--params", "1M", "--tokens", "1M", "--accelerator", "H100")
    assert all(0 < swing["days_low"] <= swing["days_high"] for swing in data["tornado"])


LLAMA = ("--model", "llama3-70b", "--tokens", "15T")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--deadline", "1d"), ("no instance type finishes in 1 days", "a deadline of")),
        (("--deadline", "1d", "--region", "us-east-1", "--budget-usd", "1"), ("in 1 days",)),
        (("--region", "mars-1"), ("unknown region 'mars-1'", "us-east-1")),
        (("--region", "us-eest-1"), ("did you mean", "us-east-1")),
        (("--region", "us-east-1", "--zone", "use1-az99"), ("no zone use1-az99", "use1-az6")),
        (("--zone", "use1-az6"), ("without its region",)),
        (("--data", "nope"), ("unknown data set 'nope'",)),
        (("--budget-usd", "100", "--region", "us-east-1"), ("the cheapest run with",)),
    ],
    ids=str,
)
def test_impossible_goal_has_a_hint(more: tuple[str, ...], says: tuple[str, ...]) -> None:
    answer = clusterwright("plan", *LLAMA, *more)
    assert answer.exit_code == 3, answer.out
    assert all(words in answer.err for words in says), answer.err


def test_a_budget_without_a_deadline_may_take_longer() -> None:
    region = ("--region", "us-east-1")
    free = planned(*LLAMA, *region)["estimate"]
    budget = 0.95 * free["usd"]["p50"]
    held = planned(*LLAMA, *region, "--budget-usd", str(budget))["estimate"]
    assert held["usd"]["p50"] <= budget
    assert held["days"]["p50"] > free["days"]["p50"]


def test_a_deadline_can_be_met_at_p90() -> None:
    run = ("--params", "70B", "--tokens", "1T", "--accelerator", "H100", "--deadline", "30d")
    median, sure = planned(*run), planned(*run, "--deadline-at", "p90")
    assert median["estimate"]["days"]["p50"] <= 30 < median["estimate"]["days"]["p90"]
    assert sure["estimate"]["days"]["p90"] <= 30
    assert sure["estimate"]["accelerators"] > median["estimate"]["accelerators"]
    refused(*run, "--deadline-at", "p99")


def test_budget_without_a_known_price_is_reported() -> None:
    data = planned(*LLAMA, "--budget-usd", "5e6")
    assert any("whether the budget" in text for text in data["warnings"])


def test_minutes_are_not_rounded_to_zero_days() -> None:
    minutes = ("--model", "llama3-8b", "--tokens", "100M", "--kind", "lora")
    answer = clusterwright("plan", *minutes, "--instance-type", "p5.48xlarge", "--nodes", "1")
    days = next(line for line in answer.out.splitlines() if line.startswith("days "))
    assert all(float(word) > 0 for word in days.split()[1:])


RUN = Path(__file__).parents[2] / "docs/samples/measured-run.json"
MEASURED = ("--model", "llama3-70b", "--tokens", "15T", *P5[:2], "--nodes", "64")


def test_a_measured_run_narrows_the_plan(snapshot: SnapshotAssertion) -> None:
    jsonschema.validate(
        json.loads(RUN.read_text()), schemas()["report-goodput-output.schema.json"]
    )
    before = planned(*MEASURED)
    data = planned(*MEASURED, "--measured", str(RUN))
    assert "measured" not in before
    found = data["measured"]
    assert found["days_before"] == before["estimate"]["days"]
    assert found["days_after"] == data["estimate"]["days"]
    assert found["narrower"] > 0.4
    assert [one["key"] for one in found["quantities"]] == [
        "throughput",
        "failures",
        "save",
        "restart",
    ]
    for one in found["quantities"]:
        assert one["narrower"] > 0
    answer = clusterwright("plan", *MEASURED, "--measured", RUN.name, folder=RUN.parent)
    assert answer.out[answer.out.index("measured\n") :] == snapshot


@pytest.mark.parametrize("output_format", ["markdown", "html"])
def test_a_measured_run_is_in_every_format(output_format: str) -> None:
    words = (*MEASURED, "--measured", str(RUN), "--format", output_format)
    assert "tokens/s while training" in clusterwright("plan", *words).out


def test_what_is_no_measurement_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for content, said in (
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "it has no `command`"),
        ('{"command": "plan", "schema_version": 1}', "its `command` is 'plan'"),
    ):
        file.write_text(content)
        assert said in refused(*MEASURED, "--measured", str(file)).err
    assert "cannot be read" in refused(*MEASURED, "--measured", str(tmp_path / "none")).err
    other = refused(*MEASURED, "--seq-len", "4096", "--measured", str(RUN))
    assert "sequence length 8192, and the plan has 4096" in other.err
    assert (
        "--instance-type p5.48xlarge --nodes 64"
        in refused(*MEASURED[:4], "--measured", str(RUN)).err
    )
    serving = refused("--kind", "inference", *MEASURED[:2], "--measured", str(RUN))
    assert "does not support --measured" in serving.err
