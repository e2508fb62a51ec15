"""Commands of containers are lists of words, and Kubernetes replaces `$(NAME)` only."""

from __future__ import annotations

import re

from clusterwright.jobs.manifest_file import Container
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash"})
_OF_OPERATORS = frozenset({"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "PET_NODE_RANK"})
"""Variables that the operator sets in the pods of a PyTorchJob."""
_OF_PROGRAMS = frozenset({"-c", "-e"})
"""Options whose value is source text, in which `$` may have a meaning."""
_WITH_DOLLARS = frozenset({"awk", "gawk", "jq", "perl", "sed", "envsubst"})
_IN_A_SHELL = frozenset({"RayCluster", "RayJob", "RayService"})
"""Kinds whose operator runs the command in a shell."""
_VARIABLE = re.compile(r"(?<!\$)\$(?:\{(\w+)\}|(\w+))")


class ContainerCommands(ManifestRule):
    id = "CW-J088"
    severity = "error"
    prevents = "a container that ends at once: no such file, or an option with the text `$NAME`"
    source = (
        "Kubernetes documentation, Define a Command and Arguments for a Container: no shell runs, "
        "and variables have the form $(NAME)"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            if pod.kind in _IN_A_SHELL:
                continue
            for container in pod.all_containers:
                yield from _checked(container)


def _checked(container: Container) -> Results:
    words = container.words
    if not words or container.item.get("command") is None:
        return
    texts = [word.written for word in words]
    if any(text.rpartition("/")[2] in _SHELLS for text in texts):
        return
    parts = texts[0].split()
    whole = len(words) == 1 or (len(parts) > 1 and parts[1].startswith("-"))
    if len(parts) > 1 and whole and words[0].text is not None:
        yield Fail(
            message=f"the program is `{parts[0]}`, and the first word of the command has its "
            "arguments, too",
            at=words[0],
            hint='a list: ["' + '", "'.join(parts[:3]) + '", ...], or bash -c',
        )
    if texts[0].rpartition("/")[2] in _WITH_DOLLARS:
        return
    # A value with `$` is filled in before, and the command with it.
    set_here = {
        name.text
        for name, value in container.environment
        if value is None or value.text is not None
    }
    for before, word, text in zip(["", *texts], words, texts, strict=False):
        if before in _OF_PROGRAMS:
            continue
        for match in _VARIABLE.finditer(text):
            variable = match.group(1) or match.group(2)
            if variable in set_here | _OF_OPERATORS:
                yield Fail(
                    message=f"the program gets the text {match.group()}: no shell replaces it",
                    at=word,
                    severity="warning",
                    hint=f"$({variable}), which Kubernetes replaces, or bash -c",
                )
