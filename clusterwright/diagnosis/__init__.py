"""What failed after a deployment, from evidence: pure, deterministic, no calls."""
