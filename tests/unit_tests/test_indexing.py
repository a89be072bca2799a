"""What of a store's values is indexed: configs, paths, texts, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from langgraph.store.base import PutOp

from langchain_layered_memory.adapters.indexing import StoreIndex
from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.item_requests import ItemVector
from langchain_layered_memory.testing import HashEmbeddings

EMBED = HashEmbeddings(8)


class Named(HashEmbeddings):
    """An embedder that says which model it is."""

    model = "some-model"


def index(**config: Any) -> StoreIndex:
    return StoreIndex.from_config({"embed": EMBED, "dims": 8} | config)


def put(value: dict[str, Any] | None, fields: Any = None) -> PutOp:
    return PutOp(("ns",), "key", value, index=fields)


def texts(value: dict[str, Any], *fields: str) -> dict[str, str]:
    return dict(index(fields=list(fields)).texts(put(value)))


def test_without_a_config_nothing_is_indexed() -> None:
    none = StoreIndex.from_config(None)
    assert not none.enabled
    assert none.texts(put({"text": "tea"})) == ()
    assert none.texts(put({"text": "tea"}, ["text"])) == ()
    assert none.terms("tea") == ()


@pytest.mark.parametrize("config", [{}, {"dims": 8}, {"hybrid": False}, {"embed": None}], ids=repr)
def test_config_with_nothing_to_index_by_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="`embed`, or `hybrid`"):
        StoreIndex.from_config(config)


@pytest.mark.parametrize("dims", [None, 0, -1, 8.0, "8", True], ids=repr)
def test_length_of_vectors_must_be_a_positive_number(dims: Any) -> None:
    with pytest.raises(InvalidInputError, match=f"index dims .*got {dims!r}"):
        index(dims=dims)
    with pytest.raises(InvalidInputError, match="index dims"):
        StoreIndex.from_config({"embed": EMBED, "hybrid": True})


def test_words_alone_need_no_model_and_no_length() -> None:
    words = StoreIndex.from_config({"hybrid": True})
    assert words.enabled
    assert (words.embeddings, words.dims, words.model) == (None, None, "")
    assert words.terms("Running shoes") == ("run", "shoe")


def test_without_hybrid_there_are_no_terms() -> None:
    assert index().terms("Running shoes") == ()
    assert index(hybrid=True).terms("Running shoes") == ("run", "shoe")


@pytest.mark.parametrize(
    ("embed", "model"), [(EMBED, "HashEmbeddings/8"), (Named(8), "some-model/8")]
)
def test_vectors_are_kept_under_model_and_length(embed: Any, model: str) -> None:
    assert index(embed=embed).model == model


def test_plain_function_may_embed() -> None:
    made = index(embed=lambda texts: [[1.0] * 8 for _ in texts])
    assert made.embeddings is not None
    assert made.embeddings.embed_query("tea") == [1.0] * 8


VALUE: dict[str, Any] = {
    "text": "tea",
    "n": 5,
    "blank": " \n",
    "none": None,
    "tags": ["red", "blue", ""],
    "meta": {"title": "Leaves", "by": {"name": "Ann"}},
    "parts": [{"text": "one"}, {"text": "two"}, {"other": "three"}],
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (("text",), {"text.0": "tea"}),
        (("meta.title",), {"meta.title.0": "Leaves"}),
        (("meta.by.name",), {"meta.by.name.0": "Ann"}),
        (("tags[*]",), {"tags[*].0": "red", "tags[*].1": "blue"}),
        (("tags[0]",), {"tags[0].0": "red"}),
        (("tags[-2]",), {"tags[-2].0": "blue"}),
        (("parts[*].text",), {"parts[*].text.0": "one", "parts[*].text.1": "two"}),
        (("parts[1].text",), {"parts[1].text.0": "two"}),
        (("n",), {"n.0": "5"}),
        (("text", "meta.title"), {"text.0": "tea", "meta.title.0": "Leaves"}),
        (("missing",), {}),
        (("missing", "text"), {"text.0": "tea"}),
        (("meta.missing.deep",), {}),
        (("tags[9]",), {}),
        (("blank",), {}),
        (("none",), {}),
    ],
)
def test_texts_at_the_fields(fields: tuple[str, ...], expected: dict[str, str]) -> None:
    assert texts(VALUE, *fields) == expected


@pytest.mark.parametrize("config", [{}, {"fields": None}, {"fields": []}, {"fields": ["$"]}])
def test_the_whole_value_is_indexed_unless_fields_are_named(config: dict[str, Any]) -> None:
    ((path, text),) = index(**config).texts(put({"text": "tea", "n": 5}))
    assert path == "$.0"
    assert "tea" in text
    assert "5" in text


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (None, (("text.0", "tea"),)),
        (False, ()),
        ([], ()),
        (["meta.title"], (("meta.title.0", "Leaves"),)),
        (["missing"], ()),
    ],
    ids=repr,
)
def test_a_put_may_choose_its_own_fields(fields: Any, expected: tuple[Any, ...]) -> None:
    assert index(fields=["text"]).texts(put(VALUE, fields)) == expected


def test_a_delete_has_no_texts() -> None:
    assert index(fields=["text"]).texts(put(None)) == ()


def test_value_is_not_changed_by_reading_it() -> None:
    before = repr(VALUE)
    texts(VALUE, "$", "tags[*]", "parts[*].text")
    assert repr(VALUE) == before


def test_each_text_gets_its_vector_and_the_same_text_the_same() -> None:
    one, two = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    pairs = (("a.0", "tea"), ("b.0", "coffee"), ("c.0", "tea"), ("d.0", "not embedded"))
    found = index().vectors(pairs, {"tea": one, "coffee": two})
    assert found == (ItemVector("a.0", one), ItemVector("b.0", two), ItemVector("c.0", one))
    assert index().vectors((), {"tea": one}) == ()


def test_one_word_in_place_of_a_list_of_fields_is_refused_or_is_the_field() -> None:
    try:
        found = index(fields="text").texts(put({"text": "tea", "t": "no"}))
    except InvalidInputError:
        return
    assert found == (("text.0", "tea"),)


@pytest.mark.xfail(strict=True, reason="what is no text is tried as a path")
@pytest.mark.parametrize("fields", [[1], [None], [["text"]], ["text", 1]], ids=repr)
def test_field_that_is_no_text_is_refused(fields: Any) -> None:
    with pytest.raises(InvalidInputError):
        index(fields=fields).texts(put({"text": "tea"}))
    with pytest.raises(InvalidInputError):
        index().texts(put({"text": "tea"}, fields))


@pytest.mark.xfail(strict=True, raises=AttributeError, reason="it is asked for its keys")
@pytest.mark.parametrize("config", [[], "text", 5, True], ids=repr)
def test_config_that_is_no_dict_is_refused(config: Any) -> None:
    with pytest.raises(InvalidInputError):
        StoreIndex.from_config(config)


@pytest.mark.parametrize("fields", ["a[", "a[x]", "a..b", "[*]", "a.*", "$.a", "🦉"], ids=ascii)
def test_odd_path_finds_nothing_and_breaks_nothing(fields: str) -> None:
    assert texts({"b": "tea"}, fields) == {}


def test_texts_and_vectors_keep_their_places() -> None:
    pairs = index(fields=["tags[*]"]).texts(put({"tags": ["", "red", " ", "blue"]}))
    assert pairs == (("tags[*].1", "red"), ("tags[*].3", "blue"))
