"""Tests of worlds.model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clusterwright_localaws.worlds.model import DEFAULT_ACCOUNT, moment_of


def test_default_account_is_that_of_moto() -> None:
    from moto.core import DEFAULT_ACCOUNT_ID

    assert DEFAULT_ACCOUNT == DEFAULT_ACCOUNT_ID


def test_times_are_absolute_or_relative() -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert moment_of("-1d", now) == now - timedelta(days=1)
    assert moment_of("+90m", now) == now + timedelta(minutes=90)
    assert moment_of("2026-11-20T11:30:00Z", now) == datetime(2026, 11, 20, 11, 30, tzinfo=UTC)
    assert moment_of("2026-11-20", now).tzinfo is UTC
    with pytest.raises(ValueError, match="neither a time"):
        moment_of("tomorrow", now)
