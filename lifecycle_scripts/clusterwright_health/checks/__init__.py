"""One file per check: `look(probe, expected)` gives its findings.

`QUICK` is true where it is fast enough to stand before every job.
"""
