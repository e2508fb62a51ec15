"""Generated documents: reference pages, drawings and JSON Schemas.

`python -m tools.docs [--check] [NAME...]` writes or compares them; `documents.py` lists them.
"""
