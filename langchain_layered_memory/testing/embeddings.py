"""An embedding model for tests: no download, no network, the same vectors on every machine."""

from __future__ import annotations

import hashlib
import math
import re

from langchain_core.embeddings import Embeddings

_WORD = re.compile(r"\w+")


class HashEmbeddings(Embeddings):
    """Bag of words in which every word lands on one axis, chosen by a stable hash.

    Texts that share words are near each other, texts that share none are at right angles unless
    two words fall on the same axis. Every vector has length 1.

    Attributes:
        dims: How many numbers a vector has.
        document_calls: How often `embed_documents` was called.
        query_calls: How often `embed_query` was called.
    """

    def __init__(self, dims: int = 256) -> None:
        if dims < 1:
            raise ValueError(f"dims must be at least 1, got {dims}")
        self.dims = dims
        self.document_calls = 0
        self.query_calls = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one unit vector for each text.

        Args:
            texts: What is to be stored.
        """
        self.document_calls += 1
        return [self.vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question.

        Args:
            text: What is looked for.
        """
        self.query_calls += 1
        return self.vector(text)

    def vector(self, text: str) -> list[float]:
        """Return the unit vector of a text without counting a call.

        Args:
            text: Any text; one without words gets an axis of its own.
        """
        counts = [0.0] * self.dims
        for word in _WORD.findall(text.lower()) or [text]:
            counts[self._axis(word)] += 1.0
        length = math.hypot(*counts)
        return [count / length for count in counts]

    def _axis(self, word: str) -> int:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.dims
