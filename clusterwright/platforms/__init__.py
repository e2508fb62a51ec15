"""The platforms that a cluster can run on: `registry` lists them, one folder describes each.

This package imports nothing, so that every other package can ask `platforms.registry`.
"""
