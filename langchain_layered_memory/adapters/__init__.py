"""The faces that LangChain and LangGraph know: the store, and what plugs memory into their ways."""
