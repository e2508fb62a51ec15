"""Inputs of commands: the spec, the user's prices, the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from clusterwright.catalog import CatalogError
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import (
    catalog_errors,
    find_storage_or_exit,
    load_or_exit,
    read_prices,
)
from tests.support import specs
from tests.support.validation import cluster


def test_a_damaged_catalogue_is_an_error_of_the_user() -> None:
    with pytest.raises(UserError) as caught, catalog_errors():
        raise CatalogError("a file is damaged", "install it again")
    assert (caught.value.message, caught.value.hint, caught.value.exit_code) == (
        "a file is damaged",
        "install it again",
        3,
    )


def test_a_valid_spec_is_loaded(tmp_path: Path) -> None:
    path = specs.write(tmp_path / "spec.yaml", specs.SMALL)
    assert load_or_exit(path, command="check").cluster.environment == "test"


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_an_invalid_spec_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], output_format: str
) -> None:
    path = specs.write(tmp_path / "spec.yaml", specs.changed({"region": "mars-1", "x": 1}))
    with pytest.raises(click.exceptions.Exit) as caught:
        load_or_exit(path, command="check", output_format=output_format)
    assert caught.value.exit_code == 3
    out, err = capsys.readouterr()
    assert "mars-1" in err or "x" in err
    if output_format == "json":
        answer = json.loads(out)
        assert (answer["command"], answer["exit_code"]) == ("check", 3)
    else:
        assert out == ""


def test_prices_beside_the_spec(tmp_path: Path) -> None:
    config = tmp_path / "spec.yaml"
    assert read_prices(config, None, command="cost", output_format="text").rates is None
    (tmp_path / "prices.yaml").write_text("rates: []\nusage: {a: b: c}\n")
    with pytest.raises(click.exceptions.Exit):
        read_prices(config, None, command="cost", output_format="text")


@pytest.mark.parametrize("text", ["home", "/home", "/home/"])
def test_a_file_system_by_name_or_path(text: str) -> None:
    spec = cluster({"storage.home": {"kind": "openzfs", "capacity_gib": 128}}, specs.SMALL)
    assert find_storage_or_exit(spec, text).kind == "openzfs"


def test_a_file_system_that_the_spec_lacks() -> None:
    with pytest.raises(UserError) as caught:
        find_storage_or_exit(cluster(base=specs.SMALL), "/fsx")
    assert caught.value.message == "--retire: the spec has no file system '/fsx'"
    assert caught.value.hint == "it has none"
    spec = cluster({"storage.home": {"kind": "openzfs", "capacity_gib": 128}}, specs.SMALL)
    with pytest.raises(UserError) as caught:
        find_storage_or_exit(spec, "/fsx")
    assert caught.value.hint == "it has home (/home)"
