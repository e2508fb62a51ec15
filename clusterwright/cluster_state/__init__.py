"""Reads a deployed cluster: stacks, groups, nodes, the scheduler's published state, capacity."""
