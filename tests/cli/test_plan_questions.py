"""Options of `clusterwright plan` besides the goal."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.errors import UserError
from clusterwright.cli.plan_questions import catalog_with, command_line, questions
from clusterwright.sizing.report import Questions


def asked(**flags: Any) -> Questions:
    values = dict.fromkeys(("phases", "starts", "inference_tokens", "owned"))
    return questions(**{**values, **flags}, charts=False)


def test_without_flags_nothing_is_asked() -> None:
    assert asked() == Questions(charts=False)


def test_phases_start_and_tokens() -> None:
    found = asked(phases="8, 64,", starts="2027-01-31", inference_tokens="2T")
    assert found.ramp_steps == (8, 64)
    assert found.starts == dt.date(2027, 1, 31)
    assert found.inference_tokens == 2e12


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"phases": "eight"}, "--phases 'eight': expected numbers of nodes"),
        ({"phases": " ,"}, "--phases ' ,': expected numbers of nodes"),
        ({"starts": "tomorrow"}, "--starts 'tomorrow': expected a date"),
    ],
)
def test_invalid_flags(flags: dict[str, str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        asked(**flags)
    assert caught.value.message == message


def test_owned_hardware(tmp_path: Path) -> None:
    path = tmp_path / "owned.yaml"
    path.write_text(
        "purchase: 2000000\nwatts: 10000\ntariff_per_kwh: 0.2\n"
        "accelerator: RTX-A6000\naccelerators: 64\n"
    )
    found = asked(owned=str(path))
    assert found.owned is not None
    assert (found.owned.purchase, found.owned.watts) == (2e6, 10_000.0)
    assert found.owned_cluster is not None
    assert found.owned_cluster.accelerators == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("purchase: 1\ncolour: red\n", "unknown key 'colour'"),
        ("purchase: 1\n", "watts is missing"),
        ("purchase: a\nwatts: 1\ntariff_per_kwh: 1\n", "purchase is 'a'"),
        ("purchase: true\nwatts: 1\ntariff_per_kwh: 1\n", "purchase is True"),
        ("purchase: 1.0e+14\nwatts: 1\ntariff_per_kwh: 1\n", "purchase is larger than 1e+13"),
        (
            "purchase: 1\nwatts: 1\ntariff_per_kwh: 1\naccelerators: 8\n",
            "accelerators requires accelerator",
        ),
        (
            "purchase: 1\nwatts: 1\ntariff_per_kwh: 1\naccelerator: H100\n",
            "the number of H100 is missing",
        ),
    ],
)
def test_invalid_figures(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "owned.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        asked(owned=str(path))
    assert caught.value.message == f"{path}: {message}"


def test_rates_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("usage: {}\n")
    with pytest.raises(UserError, match="states no rates"):
        catalog_with(str(path))
    path.write_text("rates: [{kind: magic}]\n")
    with pytest.raises(UserError, match=r"prices\.yaml: "):
        catalog_with(str(path))
    path.write_text("rates: []\n")
    assert catalog_with(str(path)).regions == catalog_with(None).regions


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["plan", "--model", "a b", "--force"], "clusterwright plan --model 'a b'"),
        (["-m", "pytest"], "clusterwright plan"),
        ([], "clusterwright plan"),
    ],
)
def test_the_command_line_as_typed(
    monkeypatch: pytest.MonkeyPatch, words: list[str], text: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["clusterwright", *words])
    assert command_line() == text
