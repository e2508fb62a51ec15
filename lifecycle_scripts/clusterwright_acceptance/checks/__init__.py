"""One module per check of a node.

Each has `ID`, `applies(expected)`, which returns None or why the check does not apply, and
`look(probe, expected)`, which returns an Outcome. Level, durations and needed programs are in
`checks.json`. A check may raise `running.Missing`, `running.Hung` and `running.Unreadable`.
"""
