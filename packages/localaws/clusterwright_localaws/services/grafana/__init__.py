"""Amazon Managed Grafana: workspaces. moto does not have the service."""

API = ("workspaces",)
WHOLE = True
