"""The tags that an organisation asks for are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class RequiredTags(Rule[str]):
    id = "CW-E001"
    title = "Every required tag has a value"
    severity = "error"
    scope = "offline"
    prevents = "resources that a tag policy refuses, or costs that nobody can assign"
    source = "aws/aws-parallelcluster #6109; the spec's required_tags"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        wanted = context.cluster.required_tags
        for index, key in enumerate(wanted):
            if key not in wanted[:index]:
                yield Subject(("required_tags", index), key)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        tags = context.cluster.tags
        if tags.get(subject.value, "").strip():
            return
        near = next((key for key in tags if key.lower() == subject.value.lower()), None)
        yield Fail(
            message=f"the tag `{subject.value}` has no value"
            if subject.value in tags
            else f"the tag `{subject.value}` is missing",
            requested=subject.value,
            hint=f"`{near}` is another key: the case of letters counts"
            if near is not None and near != subject.value
            else f"tags: {{{subject.value}: ...}}",
        )


RULE = RequiredTags()
