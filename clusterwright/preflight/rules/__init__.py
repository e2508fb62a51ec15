"""The rules in families: one rule per file, and beside them what the rules of a family share.

A file's name begins with the rule's letter and number (`q012_reserved_capacity.py` is CW-Q012);
the file holds one rule: its only class with an `id`. The first line of the file's docstring is the
rule's title. To add a rule, add a file, a failing and a passing test.
"""
