"""The scenarios, one file each; the guide is the docstring of `scenario_api/context.py`."""
