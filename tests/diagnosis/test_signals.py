"""What the signal that ended a process says."""

from __future__ import annotations

import re
from signal import strsignal

import pytest

from clusterwright.diagnosis import signals


@pytest.mark.parametrize("number", [4, 6, 7, 8, 9, 11])
def test_every_spelling_of_a_signal_says_the_same(number: int) -> None:
    sentence = signals.of_number(number)
    assert sentence is not None
    assert signals.of_exit_code(128 + number) == sentence
    assert signals.of_exit_code(-number) == sentence
    word = strsignal(number)
    assert word is not None
    assert re.fullmatch(signals.WORDS, word)
    assert signals.of_word(word) == sentence
    assert signals.said_in(f"ip-10-0-1-5: task 3: {word} (core dumped)") == sentence


@pytest.mark.parametrize("code", [0, 1, 9, 11, 128, 255])
def test_the_programs_own_exit_codes_are_of_no_signal(code: int) -> None:
    assert signals.of_exit_code(code) is None


@pytest.mark.parametrize("name", ["SEGV", "segv", "SIGSEGV", "11"])
def test_names(name: str) -> None:
    assert signals.of_name(name) == signals.of_number(11)


def test_what_stops_services_is_no_failure() -> None:
    assert signals.of_name("TERM") is None
    assert signals.of_name("dumped") is None
    assert signals.said_in("Terminated") is None
