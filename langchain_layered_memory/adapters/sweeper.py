"""A background thread that sweeps expired items at an interval."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from langchain_layered_memory.errors import LayeredMemoryError

_log = logging.getLogger(__name__)
_SECONDS_PER_MINUTE = 60.0


class Sweeper:
    """Calls `sweep` every so many minutes until stopped; a failure is logged and tried again."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        self._sweep = sweep
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, minutes: float) -> None:
        """Begin to sweep, unless that is under way."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stop.clear()
        self._thread = threading.Thread(
            target=self._run, args=(minutes,), name="layered-memory-sweeper", daemon=True
        )
        self._thread.start()

    def stop(self, timeout: float | None = None) -> bool:
        """End the thread; return whether it has ended within `timeout` seconds."""
        self._stop.set()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self, minutes: float) -> None:
        while not self._stop.wait(minutes * _SECONDS_PER_MINUTE):
            try:
                self._sweep()
            except LayeredMemoryError as error:
                _log.warning("sweep of expired items failed, again in %g min: %s", minutes, error)
