"""What is read out of a chat model's answer, and what is an error rather than silently nothing."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.errors import ExtractionError
from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.write.extract.answer import operations_of_answer
from langchain_layered_memory.write.extract.rules import extract_by_rules

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
TURN = Episode("e1", Scope("ann"), "m1", "user", "user", "I like tea.", MONDAY, MONDAY)
TEA: dict[str, Any] = {
    "op": "create",
    "kind": "preference",
    "content": "The user likes tea",
    "subject": "user",
    "attribute": "preference:tea",
    "value": "like",
}
OSLO = {"op": "update", "kind": "fact", "content": "The user lives in Oslo"}


def read(text: str) -> tuple[Operation, ...]:
    return operations_of_answer(text, TURN)


def ops(*rows: Any) -> str:
    return json.dumps({"ops": list(rows)})


def contents(text: str) -> list[str]:
    return [each.content for each in read(text)]


def only(**fields: Any) -> Operation:
    (operation,) = read(ops({**TEA, **fields}))
    return operation


def test_every_field_is_read() -> None:
    (found,) = read(
        ops(
            {
                **TEA,
                "importance": 5,
                "confidence": 0.75,
                "multiple": True,
                "valid_until": "2026-04-01T10:00:00+02:00",
                "target": "id7",
                "privacy": "private",
            }
        )
    )
    assert found == Operation(
        op="create",
        kind="preference",
        content="The user likes tea",
        subject="user",
        attribute="preference:tea",
        value="like",
        sources=(TURN.source,),
        importance=5,
        confidence=0.75,
        multiple=True,
        valid_until=datetime(2026, 4, 1, 8, tzinfo=UTC),
        target="id7",
        privacy="private",
    )


def test_what_is_not_given_has_a_default() -> None:
    (found,) = read(ops({"content": " The user lives in Oslo "}))
    assert (found.op, found.kind, found.subject) == ("create", "fact", "user")
    assert found.content == found.value == "The user lives in Oslo"
    assert found.attribute == "fact:the user lives in oslo"
    assert (found.importance, found.multiple, found.valid_until, found.target) == (
        3,
        False,
        None,
        None,
    )
    assert found.privacy == "internal"


@pytest.mark.parametrize(
    "text",
    [
        ops(TEA),
        f"```json\n{ops(TEA)}\n```",
        f"```\n{ops(TEA)}\n```",
        f"Here is what I found:\n\n{ops(TEA)}\n\nLet me know if that helps!",
        f"Sure {{ok}}: {ops(TEA)}",
        f"Sure [ok]: {ops(TEA)}",
        f"{{{{ }}}} {ops(TEA)}",
        json.dumps([TEA]),
        json.dumps(TEA),
        json.dumps({"ops": [TEA]}, indent=2),
        ops(TEA).replace("}]}", ",}]}"),
        ops(TEA).replace("}]}", "},]}"),
        ops(TEA).replace("}]}", "}\n , ]\n,}"),
        f"<think>Perhaps {ops(OSLO)}?</think>{ops(TEA)}",
        f"<THINKING>\n{ops(OSLO)}\n</THINKING>\n{ops(TEA)}",
        f"<reasoning>{{ [ </reasoning>{ops(TEA)}",
        f"{ops(TEA)}<think>and was that all, or {ops(OSLO)}",
        f"perhaps {ops(OSLO)}</think>{ops(TEA)}",
        f"{ops(OSLO)}\nNo, rather:\n{ops(TEA)}",
        f'{{"note": "first a thought"}}\n{ops(TEA)}',
        f'{ops(TEA)}\n{{"done": true}}',
    ],
)
def test_operation_is_found_however_it_is_wrapped(text: str) -> None:
    assert contents(text) == ["The user likes tea"]


@pytest.mark.parametrize(
    "answer",
    [
        ops(TEA, OSLO)[:-1],
        ops(TEA, OSLO)[:-2],
        ops(TEA, OSLO) + ', {"op": "cre',
        ops(TEA, OSLO)[:-2] + ",",
        ops(TEA, OSLO)[:-2] + ', {"op": "create", "content": "The us',
        "```json\n" + ops(TEA, OSLO)[:-2] + ', {"op"',
        json.dumps({"ops": [TEA, OSLO]}, indent=2)[:-4],
        json.dumps([TEA, OSLO])[:-1],
    ],
)
def test_answer_that_was_cut_off_is_read_up_to_its_last_whole_operation(answer: str) -> None:
    assert contents(answer) == ["The user likes tea", "The user lives in Oslo"]


@pytest.mark.parametrize("text", ['{"ops": []}', "```json\n[]\n```", 'Nothing. {"ops": []}'])
def test_an_empty_list_is_an_answer(text: str) -> None:
    assert read(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "There is nothing to remember.",
        "{}",
        '{"operations": 3}',
        '{"ops": "none"}',
        '{"ops": [{"op": "create", "content": "The us',
        f"<think>{ops(TEA)}</think>",
        f"<think>{ops(TEA)}",
        '"The user likes tea"',
        "{" * 50,
        ops({"op": "create", "kind": "preference"}),
        ops({**TEA, "content": "  "}),
        ops({**TEA, "op": "explode"}),
        ops("The user likes tea"),
        ops(None),
    ],
)
def test_what_cannot_be_used_at_all_is_an_error(text: str) -> None:
    with pytest.raises(ExtractionError):
        read(text)


@pytest.mark.parametrize("opening", ["[", '{"ops": ['])
def test_endless_nesting_is_an_extraction_error_too(opening: str) -> None:
    with pytest.raises(ExtractionError):
        read(opening * 2_000)


def test_error_quotes_the_beginning_of_the_answer_only() -> None:
    with pytest.raises(ExtractionError, match="no operations: 'xxx") as caught:
        read("x" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "bad",
    [
        {**TEA, "op": "merge"},
        {**TEA, "kind": "gossip"},
        {**TEA, "content": ""},
        {"op": "create", "kind": "fact"},
        {**TEA, "valid_until": "next Friday"},
        "The user likes tea",
        None,
        7,
        ["The user likes tea"],
    ],
)
def test_unusable_operation_is_left_out_with_a_log_line_and_the_rest_is_kept(
    bad: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "langchain_layered_memory"):
        assert contents(ops(bad, OSLO)) == ["The user lives in Oslo"]
    assert "left out" in caplog.text


@pytest.mark.parametrize(
    ("given", "read_as"),
    [(4, 4), ("4", 4), (4.6, 5), ("2.0", 2), (0, 1), (-3, 1), (99, 5), ("10", 5)],
)
def test_importance_is_a_whole_number_from_1_to_5(given: Any, read_as: int) -> None:
    assert only(importance=given).importance == read_as


@pytest.mark.parametrize(
    ("given", "read_as"), [(0.5, 0.5), ("0.5", 0.5), (-1, 0.0), (95, 1.0), (1, 1.0)]
)
def test_confidence_is_from_0_to_1(given: Any, read_as: float) -> None:
    assert only(confidence=given).confidence == read_as


@pytest.mark.parametrize("name", ["op", "kind"])
def test_case_of_op_and_kind_is_free(name: str) -> None:
    found = only(**{name: TEA[name].upper()})
    assert (found.op, found.kind) == ("create", "preference")


def test_lone_surrogates_and_nul_become_the_replacement_character() -> None:
    row = (
        r'{"content": "tea \ud83d", "subject": "a\u0000", '
        r'"attribute": "x\udc00", "value": "\ud800"}'
    )
    (found,) = read(row)
    assert found.content == "tea \ufffd"
    assert (found.subject, found.attribute, found.value) == ("a\ufffd", "x\ufffd", "\ufffd")


def test_whole_pairs_of_surrogates_are_one_character() -> None:
    assert contents(r'{"content": "The user likes \ud83c\udf75"}') == ["The user likes 🍵"]


def test_target_holds_nothing_that_a_database_refuses() -> None:
    (found,) = read(r'{"content": "tea", "target": "id\ud83d"}')
    assert found.target == "id\ufffd"


@pytest.mark.parametrize("value", [7, 7.5, True, 0])
def test_value_that_is_no_text_is_read_as_text(value: Any) -> None:
    assert only(value=value).value == str(value)


def test_unknown_privacy_is_internal() -> None:
    assert only(privacy="secret").privacy == "internal"


def test_time_without_a_zone_is_utc() -> None:
    assert only(valid_until="2026-04-01").valid_until == datetime(2026, 4, 1, tzinfo=UTC)


def test_content_that_is_null_is_no_operation() -> None:
    assert contents(ops({**TEA, "content": None}, OSLO)) == ["The user lives in Oslo"]


@pytest.mark.parametrize("name", ["importance", "confidence"])
def test_number_that_is_null_has_its_default(name: str) -> None:
    assert only(**{name: None}) == only()


@pytest.mark.parametrize("given", ["false", "False", "no", "0"])
def test_multiple_said_as_text_is_read_as_meant(given: str) -> None:
    assert only(multiple=given).multiple is False


@pytest.mark.parametrize(
    "row",
    [
        {**TEA, "importance": float("inf")},
        {**TEA, "valid_until": "9999-12-31T23:59:59-05:00"},
    ],
)
def test_number_or_time_out_of_reach_costs_no_other_operation(row: Any) -> None:
    assert "The user lives in Oslo" in contents(ops(row, OSLO))


def test_whole_json_is_read_as_it_stands() -> None:
    content = "The user writes tuples as (a, b, ] and lists as {a, }"
    assert only(content=content).content == content


@pytest.mark.parametrize("after", ["Source: [1]", 'Tags: ["tea", "drinks"]'])
def test_a_list_that_holds_no_objects_is_no_list_of_operations(after: str) -> None:
    assert contents(f"{ops(TEA)}\n{after}") == ["The user likes tea"]


# ------------------------------------------------------------ nothing is lost silently

BROKEN = '{"op": "create" "content": "no comma"}'


@pytest.mark.xfail(strict=True, reason="only the last of the values is taken")
def test_operations_one_a_line_are_all_read() -> None:
    text = f"{json.dumps(TEA)}\n{json.dumps(OSLO)}"
    assert contents(text) == ["The user likes tea", "The user lives in Oslo"]


@pytest.mark.xfail(strict=True, reason="what stands after a broken operation is lost in silence")
@pytest.mark.parametrize("place", [0, 1])
def test_broken_operation_costs_itself_only_or_the_answer_is_asked_for_again(place: int) -> None:
    rows = [json.dumps(TEA), json.dumps(OSLO)]
    rows.insert(place, BROKEN)
    try:
        found = contents(f'{{"ops": [{", ".join(rows)}]}}')
    except ExtractionError:
        return
    assert found == ["The user likes tea", "The user lives in Oslo"]


@pytest.mark.xfail(strict=True, reason="an empty list is taken for a list of operations")
@pytest.mark.parametrize("after", ["Sources: []", "Tags: [ ]", "[]"])
def test_empty_list_after_the_operations_does_not_undo_them(after: str) -> None:
    assert contents(f"{ops(TEA)}\n{after}") == ["The user likes tea"]


@pytest.mark.xfail(strict=True, reason="brackets of a sentence are taken for an empty answer")
@pytest.mark.parametrize("text", ["I could not read that [].", "Tags: []. Shall I go on?"])
def test_empty_brackets_of_a_sentence_are_no_answer(text: str) -> None:
    with pytest.raises(ExtractionError):
        read(text)


@pytest.mark.xfail(strict=True, reason="the tag inside the text opens a thought that never ends")
def test_thinking_tag_inside_a_statement_is_a_part_of_it() -> None:
    content = "The user asks not to see <think> in answers"
    assert contents(ops({**TEA, "content": content})) == [content]


def test_null_inside_a_list_of_operations_is_left_out() -> None:
    assert contents(ops(None, TEA)) == ["The user likes tea"]


@pytest.mark.parametrize("name", ["subject", "attribute", "value"])
def test_text_that_is_null_or_blank_has_its_default(name: str) -> None:
    without = only(**{name: None})
    assert only(**{name: ""}) == without
    (bare,) = read(ops({key: each for key, each in TEA.items() if key != name}))
    assert without == bare


# ------------------------------------------------------------ subjects


@pytest.mark.parametrize("given", ["user", "User", " USER "])
def test_user_is_the_user(given: str) -> None:
    assert only(subject=given).subject == "user"


@pytest.mark.xfail(strict=True, reason="another word for the user is taken for another person")
@pytest.mark.parametrize("given", ["The user", "the User", "用户", "me", "I", "human"])
def test_other_words_for_the_user_are_the_user(given: str) -> None:
    assert only(subject=given).subject == "user"


@pytest.mark.xfail(strict=True, reason="rules keep the case of a name, and answers lower it")
def test_person_has_one_subject_whoever_extracted_it() -> None:
    turn = Episode("e1", Scope("ann"), "m1", "user", "user", "Mira lives in Oslo.", MONDAY, MONDAY)
    (by_rules,) = extract_by_rules(turn)
    (by_model,) = operations_of_answer(ops({**TEA, "subject": "Mira"}), turn)
    assert by_rules.subject == by_model.subject


@given(st.text())
def test_any_text_is_an_answer_or_an_extraction_error(text: str) -> None:
    for answer in (text, f"{{{text}", f'{{"ops": [{text}]}}', f"{text}{ops(TEA)}"):
        try:
            found = read(answer)
        except ExtractionError:
            continue
        assert all(each.content.strip() for each in found)


@pytest.mark.parametrize("given", [{}, {"value": None}, {"value": ""}], ids=repr)
def test_end_without_a_value_ends_whatever_the_value_is(given: dict[str, Any]) -> None:
    row = {"op": "delete", "content": "The user left Oslo", "attribute": "lives_in", **given}
    (found,) = read(ops(row))
    assert found.value == ""
