"""How a scenario ends before its last line: broken, undetermined, or not applicable."""

from __future__ import annotations


class Broken(Exception):
    """The promise does not hold; the text states what was observed instead."""


class ControllerBusy(Broken):
    """slurmctld did not answer; a wait continues, anything else is broken."""


class Undetermined(Exception):
    """The promise cannot be checked here; the text gives the reason."""


class NotApplicable(Exception):
    """The scenario does not apply to this cluster; the text gives the reason."""
