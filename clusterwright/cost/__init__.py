"""What a cluster costs: resolved spec and dated prices in, a bill out. Pure; no call, no clock."""
