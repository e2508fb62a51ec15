"""Words of other tools lead to keys that exist."""

from __future__ import annotations

import re

import pytest

from clusterwright.cluster_spec.keys import places_of
from clusterwright.cluster_spec.other_words import KEYS, REASONS, hint, names_in


@pytest.mark.parametrize("word", KEYS)
def test_every_word_leads_to_keys_that_exist(word: str) -> None:
    assert re.fullmatch("[a-z0-9]+", word), "the table is searched without separators"
    for key in KEYS[word]:
        assert key in places_of(key.rpartition(".")[2]), key


def test_reasons_belong_to_words() -> None:
    assert set(REASONS) <= set(KEYS)


@pytest.mark.parametrize("word", ["SlurmQueues", "slurm_queues", "slurm-queues"])
def test_spelling_of_the_other_tool_does_not_matter(word: str) -> None:
    assert hint(word) == "the spec has `slurm.partitions` or `compute` for this"


def test_other_words_have_no_hint() -> None:
    assert hint("banana") is None
    assert hint("") is None


def test_key_of_the_same_mapping_is_meant() -> None:
    assert names_in(("storage", "lustre", 0), "size") == ["capacity_gib"]
    assert names_in(("storage", "home"), "storage_capacity") == ["capacity_gib"]
    assert names_in(("storage",), "size") == []
