"""CW-J017: The nodes have the CPUs that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import check, fails, passes


def test_more_than_the_node_has() -> None:
    found = fails("CW-J017", "#!/bin/bash\n#SBATCH --ntasks-per-node=8 -c 32\n")
    assert (found.requested, found.limit) == (256, 192)


@pytest.mark.parametrize(
    "line", ["--ntasks-per-node=8 -c 24", "-c 192", "-n 1000", "-c 16 -p cpu"]
)
def test_what_the_node_has(line: str) -> None:
    passes("CW-J017", f"#!/bin/bash\n#SBATCH {line}\n")


def test_more_tasks_of_the_job_than_its_nodes_have_cpus_for() -> None:
    text = "#!/bin/bash\n#SBATCH -p cpu -N 1 -n {}\nsrun ./fire\n"
    found = fails("CW-J017", text.format(64))
    assert found.message.startswith("64 tasks with 1 CPUs each do not fit on 1 nodes")
    passes("CW-J017", text.format(16))
    passes("CW-J017", text.format("64 --overcommit"))


def test_one_mistake_is_one_finding() -> None:
    result = check("#!/bin/bash\n#SBATCH -N1 --ntasks=200 --ntasks-per-node=200\nsrun a\n")
    (found,) = [one for one in result.findings if one.rule == "CW-J017"]
    assert found.message.startswith("200 CPUs per node are requested")


def test_the_first_component_of_a_heterogeneous_job() -> None:
    text = "#!/bin/bash\n#SBATCH -N4 --ntasks={}\n#SBATCH hetjob\n#SBATCH --nodes=1\nsrun a\n"
    passes("CW-J017", text.format(600))
    assert "800 tasks" in fails("CW-J017", text.format(800)).message
