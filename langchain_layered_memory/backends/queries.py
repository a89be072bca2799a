"""SQL by name: every statement of a backend stands in its `queries.sql`, named and described.

-- episode_by_id: One turn by its id.
SELECT * FROM episodes WHERE id = :id;
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_HEADER = re.compile(r"^-- (?P<name>[a-z_]+): (?P<about>.+)$", re.MULTILINE)


def parse(text: str) -> dict[str, str]:
    """Return the statements of a file by name.

    Raises:
        ValueError: If two statements share a name.
    """
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    queries: dict[str, str] = {}
    for header, end in zip(headers, ends, strict=True):
        if header["name"] in queries:
            raise ValueError(f"two statements are named {header['name']!r}")
        queries[header["name"]] = text[header.end() : end].strip().rstrip(";")
    return queries


@cache
def load(package: str) -> Mapping[str, str]:
    """Return the statements of a backend package's `queries.sql`."""
    return parse((files(package) / "queries.sql").read_text(encoding="utf-8"))
