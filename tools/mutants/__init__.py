"""Mutation runs: does a test fail when a line that matters is changed?"""
