"""Code shared by all services: calls, errors, the runtime, pages, quotas, time and validation."""
