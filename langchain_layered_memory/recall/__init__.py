"""Recall: find what matters to a question, rank it, and put it into a block that fits a prompt."""
