"""Every required tag has a value."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class RequiredTags(Rule[str]):
    id = "CW-E001"
    prevents = "resources that a tag policy refuses, or costs that cannot be allocated"
    source = "aws/aws-parallelcluster #6109; the spec's required_tags"

    def subjects(self, context: Context) -> Subjects[str]:
        wanted = context.cluster.required_tags
        for index, key in enumerate(wanted):
            if key not in wanted[:index]:
                yield ("required_tags", index), key

    def check(self, tag: str, context: Context) -> Results:
        tags = context.cluster.tags
        if tags.get(tag, "").strip():
            return
        near = next((key for key in tags if key.lower() == tag.lower()), None)
        yield Fail(
            message=f"the tag `{tag}` has no value"
            if tag in tags
            else f"the tag `{tag}` is missing",
            requested=tag,
            hint=f"`{near}` is another key: keys are case-sensitive"
            if near is not None and near != tag
            else f"tags: {{{tag}: ...}}",
        )
