"""Build the wheel and import it in fresh environments: alone, and with each extra alone.

python tests/packaging/check_wheel.py [EXTRA …]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORT_ALL = """
import sys
import langchain_layered_memory as package
heavy = {"langgraph", "langchain_core", "numpy", "torch"} & set(sys.modules)
assert not heavy, f"importing the package alone loads {sorted(heavy)}"
for name in package.__all__:
    getattr(package, name)
memory = package.LayeredMemory.open("sqlite:///:memory:")
memory.write([("user", "I like tea.")], package.Scope(user_id="ann"))
assert memory.recall("tea", package.Scope(user_id="ann"))
"""


def build(folder: Path) -> Path:
    """Build sdist and wheel; return the wheel, which holds all its data files."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    if missing := sorted(data_files() - held):
        raise SystemExit(f"the wheel lacks {', '.join(missing)}")
    return wheel


def data_files() -> set[str]:
    """Return what the package needs beside its modules: statements, migrations, py.typed."""
    package = ROOT / "langchain_layered_memory"
    found = {path.relative_to(ROOT).as_posix() for path in package.rglob("*.sql")}
    return found | {"langchain_layered_memory/py.typed"}


def check(wheel: Path, extra: str, folder: Path) -> None:
    """Install the wheel with one extra ("" for none) in a fresh environment and use it."""
    venv.create(folder)
    python = folder / "bin" / "python"
    requirement = f"{wheel}[{extra}]" if extra else str(wheel)
    constraints = ["--constraint", str(ROOT / "constraints-dev.txt")]
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", requirement, *constraints], check=True)
    subprocess.run([str(python), "-I", "-c", IMPORT_ALL], check=True, cwd=folder)
    if not extra:
        command = [str(folder / "bin" / "layered-memory"), "--help"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)


def main() -> int:
    """Check the wheel alone and with the named extras, by default with each of them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = sys.argv[1:] or [name for name in project["optional-dependencies"] if name != "all"]
    with tempfile.TemporaryDirectory() as temporary:
        wheel = build(Path(temporary))
        for extra in ["", *extras]:
            with tempfile.TemporaryDirectory() as environment:
                check(wheel, extra, Path(environment))
            print(f"wheel[{extra}] installs and imports")
    return 0


if __name__ == "__main__":
    sys.exit(main())
