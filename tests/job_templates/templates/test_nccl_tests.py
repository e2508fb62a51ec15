"""NCCL tests: collectives, sizes, node counts."""

from __future__ import annotations

from tests.job_templates.made import IMAGE, rendered


def test_all_collectives_and_node_counts() -> None:
    text = rendered("nccl-tests")
    assert "NODE_COUNTS=(1 2 4 7)\n" in text
    assert "all_reduce all_gather reduce_scatter alltoall" in text
    assert "-b 8 -e 16G -f 2 -g 1 -c 1 -n 20" in text
    assert "--ntasks-per-node=8" in text


def test_settings() -> None:
    text = rendered(
        "nccl-tests", only="2", collectives="alltoall", largest="2G", iterations="100", nodes="4"
    )
    assert "NODE_COUNTS=(2)\n" in text
    assert "COLLECTIVES=(alltoall)\n" in text
    assert "-e 2G -f 2 -g 1 -c 1 -n 100" in text
    assert "#SBATCH --nodes=4\n" in text


def test_in_a_container_the_programs_are_those_of_the_image() -> None:
    text = rendered("nccl-tests", image=IMAGE)
    assert "IMAGE_URI='docker://nvcr.io#nvidia/pytorch:sha256:0123456789abcdef" in text
    assert "export ENROOT_TEMP_PATH=/scratch/enroot/temporary" in text
    assert '--container-image="$IMAGE"' in text
    assert "has no all_reduce_perf" not in text
