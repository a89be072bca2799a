"""Forget: what is idle, expired or long archived leaves, step by step, and each step is undone."""
