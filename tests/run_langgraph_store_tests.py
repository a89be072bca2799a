"""Run LangGraph's own store tests, from the sdist of langgraph-checkpoint, on `LayeredStore`.

    python tests/run_langgraph_store_tests.py

Nothing of them is kept here: the sdist of the installed version is fetched by pip, `InMemoryStore`
is exchanged for `LayeredStore` in `test_store.py`, and pytest runs it.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

THEIRS = "from langgraph.store.memory import InMemoryStore"
OURS = "from langchain_layered_memory.adapters.store import LayeredStore as InMemoryStore"


def fetch(folder: Path) -> Path:
    """Download and unpack the sdist; return its root."""
    requirement = f"langgraph-checkpoint=={version('langgraph-checkpoint')}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-binary", ":all:", "--dest", str(folder), requirement], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as sdist:
        sdist.extractall(folder, filter="data")
    (root,) = (path for path in folder.iterdir() if path.is_dir())
    return root


def main() -> int:
    """Return pytest's exit code, or 1 if their test no longer names the store as expected."""
    with tempfile.TemporaryDirectory() as temporary:
        root = fetch(Path(temporary))
        tests = root / "tests" / "test_store.py"
        text = tests.read_text(encoding="utf-8")
        if THEIRS not in text:
            print(f"{tests.name} of this version does not import InMemoryStore as expected")
            return 1
        tests.write_text(text.replace(THEIRS, OURS), encoding="utf-8")
        options = [
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "asyncio_mode=auto",
            "--rootdir",
            str(root),
        ]
        command = [sys.executable, "-m", "pytest", *options, "tests/test_store.py"]
        return subprocess.run(command, cwd=root, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
