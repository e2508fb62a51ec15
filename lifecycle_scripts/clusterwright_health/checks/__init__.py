"""One module per check: `look(probe, expected)` returns the findings.

`QUICK` is true for checks that are fast enough to run before every job.
"""
