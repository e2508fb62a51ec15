"""The steps and actions that a run began and did not end, stored on the node's disk.

The state of a step is what its check finds on the machine. The journal has only what a check
cannot see: that a run ended inside a step, and that an action whose interruption is not visible
(such as the creation of a file system) was begun and did not end.
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_node.machine import Machine

JOURNAL = "/var/lib/clusterwright/journal.json"
SCHEMA_VERSION = 1


class Journal:
    """Written atomically on every change; a run that changes nothing does not write
    it.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.remarks: list[str] = []
        self._state: dict[str, Any] = self._read()

    @property
    def interrupted_step(self) -> str | None:
        """The step that an earlier run began and did not end."""
        step = self._state["step"]
        return step if isinstance(step, str) else None

    def belongs_to(self, instance_id: str) -> None:
        """Discard entries of another instance: the disk was copied, and they are not about
        this instance.
        """
        if self._state["instance_id"] not in (None, instance_id):
            self.remarks.append(
                "the journal is of {}, this is {}: discarded".format(
                    self._state["instance_id"], instance_id
                )
            )
            self._state = _empty()
        self._state["instance_id"] = instance_id

    def begin_step(self, step: str) -> None:
        self._state["step"] = step
        self._write()

    def end_step(self) -> None:
        self._state["step"] = None
        self._write()

    def begin(self, action: str, about: str) -> None:
        """Store that `action` on `about` begins, before it does."""
        self._state["begun"][action] = about
        self._write()

    def end(self, action: str) -> None:
        self._state["begun"].pop(action, None)
        self._write()

    def begun(self, action: str) -> str | None:
        """The subject on which `action` was begun and did not end, else None."""
        about = self._state["begun"].get(action)
        return about if isinstance(about, str) else None

    def _read(self) -> dict[str, Any]:
        text = self._machine.read_text(JOURNAL)
        if text is None:
            return _empty()
        try:
            state = json.loads(text)
        except ValueError:
            state = None
        if (
            not isinstance(state, dict)
            or state.get("schema_version") != SCHEMA_VERSION
            or set(state) != set(_empty())
            or not isinstance(state["begun"], dict)
        ):
            self.remarks.append(f"{JOURNAL} is not valid: discarded")
            return _empty()
        return state

    def _write(self) -> None:
        text = json.dumps(self._state, indent=2, sort_keys=True) + "\n"
        self._machine.write_text(JOURNAL, text, mode=0o600)


def _empty() -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "instance_id": None, "step": None, "begun": {}}
