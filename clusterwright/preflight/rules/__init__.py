"""One rule per file: `offline/` needs no account, `account/` does.

A file's name begins with the rule's letter and number (`q012_reserved_capacity.py` is CW-Q012)
and holds one rule, called RULE. Adding a rule is adding a file, and a failing and a passing test.
"""
