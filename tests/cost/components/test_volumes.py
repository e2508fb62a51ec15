"""Root volumes."""

from __future__ import annotations
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.components.support import charge
from clusterwright.cost.estimate import estimate
from clusterwright.cost.terms import Terms, Usage
from clusterwright.cost.user_prices import parse
from clusterwright.platforms.loading import load_cluster
from tests.support import specs


TODAY = dt.date(2026, 11, 20)


def test_the_root_volumes_of_an_image_of_ones_own_are_unknown(tmp_path: Path) -> None:
    spec = {
        "platform": "parallelcluster",
        "image": {"image_id": "ami-0123456789abcdef0"},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    roots = [line for line in bill.lines if line.item.endswith(", root")]
    assert roots
    assert all(line.quantity is None for line in roots)
