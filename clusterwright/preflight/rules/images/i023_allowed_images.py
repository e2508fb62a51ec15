"""The account's Allowed AMIs include the image of the nodes."""

from __future__ import annotations

from fnmatch import fnmatchcase

from clusterwright.aws.ec2.account_settings import AllowedImages as Setting
from clusterwright.aws.ec2.account_settings import ImageCriterion
from clusterwright.aws.ec2.images import Image
from clusterwright.preflight.facts.account_settings import AllowedImages
from clusterwright.preflight.facts.deployment import MachineImage
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_AMAZON = "amazon"


class AllowedImageRule(Rule[str | None]):
    id = "CW-I023"
    prevents = (
        "instances that never start: EC2 answers that the image does not exist, although other "
        "accounts use it"
    )
    source = (
        "EC2 user guide, Control the discovery and use of AMIs in Amazon EC2 with Allowed AMIs; "
        "EC2 API, ReplaceImageCriteriaInAllowedImagesSettings"
    )

    def subjects(self, context: Context) -> Subjects[str | None]:
        # HyperPod's nodes are launched in an account of AWS.
        if context.on_hyperpod:
            return
        image_id = context.cluster.image.image_id
        yield ("platform",) if image_id is None else ("image", "image_id"), image_id

    def needs(self, image_id: str | None) -> Facts:
        if image_id is None:
            return (AllowedImages(),)
        return (AllowedImages(), MachineImage(image_id))

    def check(self, image_id: str | None, context: Context, facts: FactValues) -> Results:
        setting = facts[AllowedImages()]
        if setting.state != "enabled":
            return  # audit-mode refuses nothing
        image = None if image_id is None else facts[MachineImage(image_id)]
        if image is not None and image.owner == context.cluster.account:
            return
        listed = ", ".join(sorted({p for c in setting.criteria for p in c.providers})) or "none"
        what = f"the image {image_id}" if image_id else f"the images of {context.cluster.platform}"
        answers = {_allows(one, image_id, image) for one in setting.criteria}
        if True in answers:
            return
        if None in answers:
            yield Unknown(
                message=f"whether Allowed AMIs of the account include {what} depends on names "
                "or dates of images, which are not read",
                hint=_HINT,
            )
            return
        hidden = ", and EC2 does not show it to the account" if image_id and not image else ""
        yield Fail(
            message=f"{what} is not among the account's Allowed AMIs, whose providers are "
            f"{listed}{hidden}"
            if image_id
            else f"{what}, which Amazon owns, are not among the account's Allowed AMIs, whose "
            f"providers are {listed}",
            requested=image_id or _AMAZON,
            limit=listed,
            where=context.region,
            hint=_managed(setting),
        )


_HINT = "`aws ec2 get-allowed-images-settings` shows the criteria"


def _allows(criterion: ImageCriterion, image_id: str | None, image: Image | None) -> bool | None:
    """Whether a criterion allows the image; None if it is not known."""
    if image_id is not None and image is None:
        return False
    owner = _AMAZON if image is None else image.owner
    if criterion.providers and owner not in criterion.providers:
        # An alias stands for several accounts, whose numbers are not listed.
        amazon = image is not None and _AMAZON in criterion.providers
        return None if amazon else False
    if criterion.names:
        if image is None:
            return None
        if not any(fnmatchcase(image.name, pattern) for pattern in criterion.names):
            return False
    return None if criterion.others else True


def _managed(setting: Setting) -> str:
    if setting.managed_by == "declarative-policy":
        return "a declarative policy of the organization sets it: ask for the provider there"
    return (
        "add the provider with `aws ec2 replace-image-criteria-in-allowed-images-settings`, or "
        "copy the image into this account: its own images are always allowed"
    )
