"""moto's list of the actions in policies of topics lacks three.

"Valid Amazon SNS policy actions":
https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-language-api-permissions-reference.html
`Receive`, which moto has and the page does not, is in the policy of every new topic.
"""

from __future__ import annotations

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SNS: policies of topics may have all actions that the guide lists for them"


def apply() -> None:
    from moto.sns.models import VALID_POLICY_ACTIONS

    documented = ("GetDataProtectionPolicy", "ListTagsForResource", "PutDataProtectionPolicy")
    VALID_POLICY_ACTIONS.extend(set(documented).difference(VALID_POLICY_ACTIONS))
