"""Tests of CW-S033."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.aws.fsx import DataRepositoryAssociation
from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.files import Associations
from tests.preflight.existing_storage import FOUND, FS_ID, STANDING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import SAVES, link


@pytest.mark.parametrize(
    ("links", "good"),
    [
        ((), False),
        ((link("/", "NEW"),), True),
        ((link("/checkpoints/", "NEW", "CHANGED"),), True),
        ((link("/checkpoints"),), False),
        ((link("/check", "NEW"),), False),
        ((link("/checkpoints/run", "NEW"),), False),
    ],
)
def test_existing_scratch_without_an_export_is_reported(
    rule: Harness, links: tuple[DataRepositoryAssociation, ...], good: bool
) -> None:
    scratch = dataclasses.replace(FOUND, deployment_type="SCRATCH_2")
    known = {storage.FileSystems(): (scratch,), Associations(FS_ID): links}
    path = "storage.checkpoint_path"
    if good:
        rule.passes("CW-S033", SAVES, known)
    else:
        rule.fails("CW-S033", SAVES, known, path=path, message="is on SCRATCH_2")
    rule.passes("CW-S033", SAVES, {**known, storage.FileSystems(): (FOUND,)})
    rule.passes("CW-S033", STANDING, tested=False)
