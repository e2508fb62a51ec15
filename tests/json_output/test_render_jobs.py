"""The JSON of `render jobs`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.job_templates.rendering import RenderedJob
from clusterwright.job_templates.template import RefusedError
from clusterwright.json_output.render_jobs import jobs_json
from clusterwright.json_output.schemas import schemas


def test_files_and_refused() -> None:
    job = RenderedJob("fsdp2", "fsdp2.sbatch", "#!/bin/bash\n")
    text = jobs_json(
        "prod",
        "prod.yaml",
        files=[(job, Path("jobs/fsdp2.sbatch")), (job, None)],
        refused=[("hpl", RefusedError("no image", "pin it"))],
    )
    data = json.loads(text)
    jsonschema.validate(data, schemas()["render-jobs-output.schema.json"])
    assert data == {
        "schema_version": 1,
        "command": "render jobs",
        "exit_code": 0,
        "file": "prod.yaml",
        "environment": "prod",
        "jobs": [],
        "files": [
            {
                "job": "fsdp2",
                "name": "fsdp2.sbatch",
                "path": path,
                "text": "#!/bin/bash\n",
                "notes": [],
            }
            for path in ("jobs/fsdp2.sbatch", None)
        ],
        "refused": [{"job": "hpl", "reason": "no image", "hint": "pin it"}],
    }
