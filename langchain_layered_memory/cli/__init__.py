"""The command line `layered-memory`: import, recall, show, history, forget, stats, and a demo.

Our own errors are one line on stderr and exit code 1. Stored text is printed as text: what looks
like markup is shown, and control characters do not reach the terminal.
"""

from __future__ import annotations

import sys

from rich.console import Console

from langchain_layered_memory.cli.commands import app
from langchain_layered_memory.cli.output import plain
from langchain_layered_memory.errors import LayeredMemoryError

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    try:
        app()
    except LayeredMemoryError as error:
        Console(stderr=True).print(f"[red]error[/red] {plain(str(error))}")
        sys.exit(1)
