"""The index of job templates."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clusterwright.job_templates.registry import UnknownJobError, all_templates, template_named
from clusterwright.job_templates.template import FAMILIES


def test_every_template_has_a_form_or_a_reason() -> None:
    for template in all_templates():
        forms = (template.slurm, template.kubernetes)
        assert any(forms) != (template.unavailable is not None), template.name
        assert template.source
        names = [setting.name for setting in template.all_settings]
        assert len(names) == len(set(names)), template.name


def test_index_needs_no_numpy() -> None:
    """It takes a quarter of the time of a start, and the stacks import the index."""
    program = (
        "import sys\n"
        "from clusterwright.job_templates.registry import all_templates\n"
        "assert all_templates()\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_order_is_by_family_then_name() -> None:
    keys = [(FAMILIES.index(t.family), t.name) for t in all_templates()]
    assert keys == sorted(keys)


def test_names() -> None:
    assert template_named("NCCL_tests").name == "nccl-tests"
    with pytest.raises(UnknownJobError) as error:
        template_named("ncl-tests")
    assert error.value.near[0] == "nccl-tests"
