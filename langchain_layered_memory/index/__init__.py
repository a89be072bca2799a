"""Index: what was stored gets its vectors, in batches; until then its words and age find it."""
