"""The file of `cdk deploy --outputs-file`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.errors import UserError
from clusterwright.cli.outputs_file import WRITTEN, outputs_by_stack, read_outputs

OUTPUTS = {
    "dev-network": {"VpcId": "vpc-1"},
    "dev-storage": {"Lustre": "fs-1", "VpcId": "vpc-1"},
    "dev-eu-network": {"VpcId": "vpc-2"},
}


def file_of(folder: Path, content: Any) -> Path:
    path = folder / "outputs.json"
    path.write_text(json.dumps(content))
    return path


def test_stacks_of_the_environment(tmp_path: Path) -> None:
    path = file_of(tmp_path, OUTPUTS)
    assert list(outputs_by_stack(path, "dev")) == ["dev-network", "dev-storage"]
    assert read_outputs(path, "dev") == {"VpcId": "vpc-1", "Lustre": "fs-1"}
    assert read_outputs(path, "dev-eu") == {"VpcId": "vpc-2"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "is not an object with the outputs of each stack"),
        ({"dev-network": []}, "dev-network is not an object of outputs"),
        ({"dev-network": {}}, "has no outputs of dev"),
        ({"prod-network": {"a": "b"}}, "has no outputs of dev"),
        ({"dev-network": {"VpcId": 7}}, "VpcId of dev-network is 7, not a string"),
        (
            {"dev-network": {"VpcId": "a"}, "dev-storage": {"VpcId": "b"}},
            "two stacks of dev have different values of VpcId",
        ),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_outputs(file_of(tmp_path, content), "dev")
    assert message in caught.value.message
    assert caught.value.hint in (
        WRITTEN,
        f"cdk deploy -c env=dev --all --outputs-file {tmp_path / 'outputs.json'}",
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "outputs.json"
    with pytest.raises(UserError, match="does not exist"):
        read_outputs(path, "dev")
    path.write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        read_outputs(path, "dev")
    path.write_text("[" * 100_000)
    with pytest.raises(UserError, match="cannot be read"):
        read_outputs(path, "dev")
