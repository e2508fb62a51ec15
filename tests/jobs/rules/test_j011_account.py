"""CW-J011: The account exists."""

from __future__ import annotations

from tests.jobs.made import SPEC, fails, passes


def test_unknown_account() -> None:
    found = fails("CW-J011", "#!/bin/bash\n#SBATCH -A reserch\n")
    assert (found.severity, found.hint) == ("error", "did you mean `research`?")
    managed = {**SPEC, "slurm": {}}
    assert fails("CW-J011", "#!/bin/bash\n#SBATCH -A x\n", managed).severity == "warning"


def test_accounts() -> None:
    passes("CW-J011", "#!/bin/bash\n#SBATCH --account=research\n")
    passes("CW-J011", "#!/bin/bash\n#SBATCH -A default\n")
    without = {**SPEC, "slurm": {"accounting": {"kind": "none"}}}
    without["compute"] = [g for g in SPEC["compute"] if g["name"] in ("controller", "trainium")]
    passes("CW-J011", "#!/bin/bash\n#SBATCH -A any\n", without)
