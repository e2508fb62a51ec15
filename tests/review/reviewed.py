"""Reviews of two versions of a small cluster, without AWS, for tests."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import rule_files
from clusterwright.review.results import Review
from clusterwright.review.review import Question, Version, review
from tests.review.templates import app, stack
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def version(folder: Path, changes: dict[str, Any], **resources: Any) -> Version:
    spec = specs.load(folder, changes)
    return Version(Context(spec, load_catalog(), TODAY), app(a=stack(resources)), None)


def reviewed(base: Version, change: Version, *, new: bool = False) -> Review:
    return review(
        Question(
            base=base,
            change=change,
            base_name="main",
            new=new,
            files=rule_files(),
            reader=None,
            offline=True,
            fail_on="error",
            today=TODAY,
            unknown=(),
            notes=(),
            plan=(),
        )
    )
