"""Fixes to moto's Resource Groups, one module each."""
