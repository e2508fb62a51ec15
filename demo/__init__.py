"""`make demo`: from one reviewed file to a running cluster on the local AWS, and down again."""
