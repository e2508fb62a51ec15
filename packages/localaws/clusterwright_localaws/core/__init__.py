"""What every service shares: calls, errors, the runtime, pages, quotas, time and validation."""
