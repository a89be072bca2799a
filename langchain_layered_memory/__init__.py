"""Layered long-term memory for LangChain and LangGraph: write, index, recall, forget."""
