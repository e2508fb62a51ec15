"""Every linter is a test, so that CI and `make test` enforce what `make lint` reports."""

from __future__ import annotations

import pytest

from tools.lint.linters import Linter, linters


@pytest.mark.parametrize("linter", linters(), ids=lambda linter: linter.name.replace(" ", "-"))
def test_linter_passes(linter: Linter) -> None:
    result = linter.run()
    assert result.returncode == 0, f"{' '.join(linter.command[:4])} reports:\n{result.stdout}"
