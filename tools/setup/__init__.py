"""`make setup`: builds `.venv/` from pinned files, step by step; it can be repeated at any time.

Standard library only: this runs before anything is installed.
"""
