"""The scripts that run on nodes, and the files that configure them."""
