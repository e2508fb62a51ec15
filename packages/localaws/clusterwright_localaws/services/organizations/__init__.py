"""AWS Organizations: the effective tag policy, and service control policies."""

API = ("control_policies", "policies")
