"""The command line `layered-memory`: import, recall, show, history, forget, stats, and a demo.

Our own errors are one line on stderr and exit code 1; wrong usage has exit code 2. Stored text is
printed as text: what looks like markup is shown, and control characters do not reach the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from langchain_layered_memory.cli.commands import app
from langchain_layered_memory.cli.output import print_error
from langchain_layered_memory.errors import LayeredMemoryError

__all__ = ["app", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: Instead of the process's own.
    """
    try:
        app(arguments)
    except LayeredMemoryError as error:
        print_error(Console(stderr=True), error)
        sys.exit(1)
