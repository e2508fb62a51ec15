"""The deployed stacks of an environment and their templates, for `diff --deployed` and `drift`."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clusterwright.aws.cloudformation.stacks import Stack
    from clusterwright.aws.session import AwsSession
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.results import Unknown

_STABLE = ("_COMPLETE", "_FAILED")


def deployed_templates(
    session: AwsSession,
    environment: str,
    pseudo_parameters: Mapping[str, str],
    unknown: list[Unknown],
) -> tuple[dict[str, Stack], Assembly]:
    """The environment's stacks by name, and their templates.

    Raises
    ------
    AwsUnavailable
        The stacks or a template cannot be read.
    """
    from clusterwright.aws.cloudformation.stacks import stacks as list_stacks
    from clusterwright.aws.cloudformation.stacks import template
    from clusterwright.platforms.stack_names import part_of
    from clusterwright.review.assembly import Assembly, StackTemplate
    from clusterwright.review.results import Unknown

    stacks = {
        stack.name: stack
        for stack in list_stacks(session)
        if part_of(environment, stack.name) is not None
    }
    found: dict[str, StackTemplate] = {}
    with ThreadPoolExecutor(8) as pool:
        templates = pool.map(lambda name: template(session, name), stacks)
        for stack, body in zip(stacks.values(), templates, strict=True):
            if body is None:
                unknown.append(
                    Unknown(f"the stack {stack.name}", "its template is not JSON", None)
                )
                continue
            found[stack.name] = StackTemplate(stack.name, body, stack.parameters)
            if not stack.status.endswith(_STABLE):
                unknown.append(
                    Unknown(
                        f"the stack {stack.name}",
                        f"its status is {stack.status}: its final state is not known yet",
                        "run it again when the deployment has ended",
                    )
                )
    return stacks, Assembly(found, pseudo_parameters)
