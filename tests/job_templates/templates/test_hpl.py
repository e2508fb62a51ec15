"""HPL: sizes from the GPUs, and the residual."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.template import RefusedError
from clusterwright.job_templates.templates.hpl import grid, order
from tests.job_templates import node
from tests.job_templates.made import example, rendered

SQSH = "/fsx/images/hpc.sqsh"


@pytest.mark.parametrize(
    ("processes", "rows_and_columns"), [(1, (1, 1)), (8, (2, 4)), (56, (7, 8)), (7, (1, 7))]
)
def test_grid(processes: int, rows_and_columns: tuple[int, int]) -> None:
    assert grid(processes) == rows_and_columns


def test_order_is_the_example_of_the_faq() -> None:
    # Four nodes with 256 MB: 11,585 fill the memory; 80 % of it is 10,362.
    assert order(1, 1) == 10362
    assert order(1, 256) == 10240


def test_sizes_follow_from_the_nodes() -> None:
    text = rendered("hpl", image=SQSH, block="1024", nodes="4")
    size = order(32 * 80, 1024)
    assert f"\n{size} " in text
    assert "4            Ps\n8            Qs\n" in text
    assert "\n1024         NBs\n" in text
    assert "\n12345 " in rendered("hpl", image=SQSH, block="64", order="12345")


def test_what_has_to_be_stated() -> None:
    with pytest.raises(RefusedError, match="the digest of its image is unknown"):
        rendered("hpl", block="1024")
    with pytest.raises(RefusedError, match="hpl needs the setting block"):
        rendered("hpl", image=SQSH)
    with pytest.raises(RefusedError, match="hpl needs NVIDIA GPUs"):
        rendered("hpl", example("configs/examples/trn1-1.yaml"), image=SQSH, block="1024")


@pytest.mark.parametrize(("residual", "code"), [("PASSED", 0), ("FAILED", 1), ("nothing", 1)])
def test_the_residual_decides(tmp_path: Path, residual: str, code: int) -> None:
    image = tmp_path / SQSH.strip("/")
    image.parent.mkdir(parents=True)
    image.write_text("squashfs")
    text = f"#!/bin/bash\necho '||Ax-b||= 0.001 ...... {residual}'\n"
    node.command(tmp_path, "workspace/hpl.sh", text)
    done = node.run(rendered("hpl", image=SQSH, block="64", nodes="2"), tmp_path, nodes=2)
    assert done.returncode == code, done.stdout + done.stderr
    dat = (tmp_path / "fsx/runs/hpl/77/HPL.dat").read_text().splitlines()
    assert dat[0] == "HPLinpack benchmark input file"
    assert len(dat) == 31
