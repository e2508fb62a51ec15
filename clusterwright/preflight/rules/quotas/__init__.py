"""Service quotas."""
