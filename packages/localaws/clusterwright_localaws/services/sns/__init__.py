"""Amazon SNS: refusals, and what topics and subscriptions are described with; moto keeps them."""

API = ("topics", "subscriptions", "publishing", "text_messages")
FIXES = ("failed_deliveries", "filter_policies", "notifications")
