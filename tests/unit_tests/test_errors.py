"""The tree of errors is the one that its docstring draws."""

from __future__ import annotations

import re

from langchain_layered_memory import errors
from langchain_layered_memory.errors import LayeredMemoryError


def drawn() -> list[tuple[int, str]]:
    lines = (errors.__doc__ or "").split("```")[1].splitlines()
    found = [re.match(r"([│├└─ ]*)(\w+Error)", line) for line in lines]
    return [(len(match[1]) // 4, match[2]) for match in found if match]


def parents() -> dict[str, str]:
    path: list[str] = []
    found = {}
    for depth, name in drawn():
        path[depth:] = [name]
        if depth:
            found[name] = path[depth - 1]
    return found


def subclasses(base: type[Exception]) -> set[type[Exception]]:
    return {base}.union(*(subclasses(each) for each in base.__subclasses__()))


def test_every_error_is_drawn_below_its_parent() -> None:
    real = {
        each.__name__: next(b.__name__ for b in each.__bases__ if issubclass(b, LayeredMemoryError))
        for each in subclasses(LayeredMemoryError) - {LayeredMemoryError}
        if each.__module__ == errors.__name__
    }
    assert parents() == real


def test_every_error_says_what_it_means() -> None:
    assert all(each.__doc__ for each in subclasses(LayeredMemoryError))


def test_errors_are_what_callers_expect_them_to_be() -> None:
    assert issubclass(errors.InvalidInputError, ValueError)
    assert issubclass(errors.NotFoundError, LookupError)
    assert issubclass(errors.MissingExtraError, ImportError)
    assert issubclass(errors.ValueNotStorableError, TypeError)
