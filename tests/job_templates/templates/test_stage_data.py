"""stage-data: the folder, the array, and where it is refused."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.template import RefusedError
from clusterwright.job_templates.templates.stage_data import associations
from tests.job_templates.made import example, rendered
from tools.lint.files import ROOT

P5 = "configs/examples/p5-8.yaml"


def test_the_array_and_the_folder() -> None:
    text = rendered("stage-data", example(P5))
    assert "#SBATCH --array=0-3\n" in text
    assert "#SBATCH --nodes=1\n" in text
    assert "--exclusive" not in text.partition("set -o")[0]
    assert '--task="$SLURM_ARRAY_TASK_ID" --tasks=4' in text
    assert text.rstrip().endswith("/fsx/data")
    walk = (ROOT / "lifecycle_scripts/clusterwright_preload/files.py").read_text()
    assert walk.rstrip() in text


def test_a_folder_below_an_association() -> None:
    text = rendered("stage-data", example(P5), folder="/fsx/data/books", tasks="1", method="read")
    assert text.rstrip().endswith("/fsx/data/books")
    assert "#SBATCH --array=0-0\n" in text
    with pytest.raises(RefusedError, match="/fsx/other is in no data repository association"):
        rendered("stage-data", example(P5), folder="/fsx/other")


def test_associations_that_import_changes_are_first() -> None:
    assert associations(example(P5))[0] == "/fsx/data"


def test_a_cluster_without_an_association() -> None:
    with pytest.raises(RefusedError, match="has a data repository association"):
        rendered("stage-data")
