"""Commands of containers are lists of words, and Kubernetes replaces `$(NAME)` only."""

from __future__ import annotations

import re

from ruamel.yaml.nodes import ScalarNode

from clusterwright.jobs.manifest_file import Container, Item, text_at
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
            for container in (*pod.containers, *pod.init_containers):
                yield from _checked(container)


def _checked(container: Container) -> Results:
    command, args = container.item.get("command"), container.item.get("args")
    words = [one for part in (command, args) if part is not None for one in part.members()]
    if not words or command is None:
        return
    texts = [_value(word) for word in words]
    if any(text.rpartition("/")[2] in _SHELLS for text in texts):
        return
    parts = texts[0].split()
    whole = len(words) == 1 or (len(parts) > 1 and parts[1].startswith("-"))
    if len(parts) > 1 and whole and words[0].text is not None:
        yield Fail(
            message=f"the program is `{texts[0].split()[0]}`, and the first word of the command "
            "has its arguments, too",
            at=words[0],
            hint='a list: ["' + '", "'.join(texts[0].split()[:3]) + '", ...], or bash -c',
        )
    env = container.item.get("env")
    set_here = {
        name.text
        for one in (env.members() if env is not None else ())
        if (name := one.get("name")) is not None
        # A value with `$` is filled in before, and the command with it.
        and (one.get("value") is None or text_at(one, "value") is not None)
    }
    for before, word, text in zip(["", *texts], words, texts, strict=False):
        if before in _OF_PROGRAMS or texts[0].rpartition("/")[2] in _WITH_DOLLARS:
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


def _value(item: Item) -> str:
    return str(item.node.value) if isinstance(item.node, ScalarNode) else ""
