"""Acceptance of nodes: whether a node offers what its type has, and works as its type does.

Runs on the nodes as jobs of the scheduler, and on the controller for tests of several nodes.
Standard library only, Python 3.9. What is checked is data: `checks.json` (levels and durations),
`floors.json` (figures with sources), `instance_types.json` (from the product's catalogue).
"""
