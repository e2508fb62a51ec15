"""Budgets and the prices behind them."""
