"""Alert rules for Prometheus: what they watch, what they cost, and what to do when one fires."""
