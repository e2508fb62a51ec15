"""The founding documents' worked examples, computed with the product's own functions."""
