"""Amazon SNS: refusals, and what topics and subscriptions are described with; moto keeps them."""

API = (
    "topics",
    "subscriptions",
    "confirmations",
    "publishing",
    "platform_applications",
    "text_messages",
)
FIXES = ("deliveries", "filter_policies", "policy_actions")
