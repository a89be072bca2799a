"""What a backend is: something that answers storage requests, sync and async, and can be closed."""

from __future__ import annotations

from typing import Protocol, TypeVar

from langchain_layered_memory.errors import InvalidInputError, MissingExtraError
from langchain_layered_memory.requests import StorageRequest

T = TypeVar("T")


class Backend(Protocol):
    """The storage behind a store or a memory; one object serves threads and event loops alike."""

    url: str

    def execute(self, request: StorageRequest[T]) -> T:
        """Answer one request, as one transaction."""

    async def aexecute(self, request: StorageRequest[T]) -> T:
        """Answer one request without blocking the event loop.

        A cancelled call still ends its transaction, one way or the other, before the connection
        is used again.
        """

    def setup(self) -> None:
        """Create or upgrade the schema; also happens by itself at the first request."""

    def close(self) -> None:
        """Close what was opened; a later request raises `BackendUnavailableError`."""


def open_backend(url: str) -> Backend:
    """Return the backend that a URL names; nothing is opened before the first request.

    Raises:
        InvalidInputError: If no backend knows the URL.
        MissingExtraError: If the backend's driver is not installed.
    """
    scheme = url.partition(":")[0]
    if scheme == "sqlite":
        from langchain_layered_memory.backends.sqlite import SqliteBackend

        return SqliteBackend(url)
    if scheme in ("postgresql", "postgres"):
        raise MissingExtraError(
            f"{scheme}:// is not served by this version; use sqlite:///path/to/file.db"
        )
    raise InvalidInputError(
        f"no backend knows {url!r}; use sqlite:///file.db, or sqlite:///:memory: for a test"
    )
