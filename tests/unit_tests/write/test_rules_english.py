"""What English statements the rules understand, and which slot each fills."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from langchain_layered_memory.records import Episode, Operation, Role, Scope
from langchain_layered_memory.write.extract import extract_by_rules

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(
    text: str, speaker: str = "user", role: Role = "user", at: datetime = MONDAY
) -> tuple[Operation, ...]:
    return extract_by_rules(Episode("e1", Scope("u"), "m1", role, speaker, text, at, at))


def short(operations: tuple[Operation, ...]) -> list[tuple[str, str, str]]:
    return [(each.subject, each.slot, each.value) for each in operations]


USER = [
    ("I like sushi.", "preference:sushi", "like"),
    ("I really love green tea!", "preference:green tea", "like"),
    ("i love hiking", "preference:hiking", "like"),
    ("I enjoy reading very much.", "preference:reading", "like"),
    ("I'm a huge fan of jazz.", "preference:jazz", "like"),
    ("I'm into photography", "preference:photography", "like"),
    ("I'm passionate about gardening.", "preference:gardening", "like"),
    ("I have a weakness for chocolate.", "preference:chocolate", "like"),
    ("I prefer tea to coffee.", "preference:tea", "prefer"),
    ("I prefer window seats over aisle seats.", "preference:window seats", "prefer"),
    ("I prefer to work in the morning.", "preference:work in the morning", "prefer"),
    ("I don't like sushi.", "preference:sushi", "dislike"),
    ("I do not like mushrooms", "preference:mushrooms", "dislike"),
    ("I don’t really enjoy parties.", "preference:parties", "dislike"),
    ("I can't stand loud music.", "preference:loud music", "dislike"),
    ("I hate Mondays.", "preference:mondays", "dislike"),
    ("I'm not a fan of horror films.", "preference:horror films", "dislike"),
    ("I'm not into cars.", "preference:cars", "dislike"),
    ("I have a strong aversion to crowds.", "preference:crowds", "dislike"),
    ("I avoid crowded beaches.", "preference:crowded beaches", "dislike"),
    ("My favourite colour is blue.", "favourite_colour", "blue"),
    ("My favorite movie is Alien.", "favourite_movie", "Alien"),
    ("Blue is my favourite colour.", "favourite_colour", "Blue"),
    ("I'm allergic to peanuts.", "allergy=peanuts", "peanuts"),
    ("I have a nut allergy.", "allergy=nut", "nut"),
    ("I'm lactose intolerant.", "allergy=lactose", "lactose"),
    ("I don't eat pork.", "diet:pork", "no"),
    ("I never drink alcohol.", "diet:alcohol", "no"),
    ("I can't eat gluten", "diet:gluten", "no"),
    ("I'm vegan.", "diet", "vegan"),
    ("I am a strict vegetarian.", "diet", "vegetarian"),
    ("I have type 2 diabetes.", "health=type 2 diabetes", "type 2 diabetes"),
    ("Please never call me.", "contact_channel", "no calls"),
    ("Don't call me, please.", "contact_channel", "no calls"),
    ("Please stop calling me.", "contact_channel", "no calls"),
    ("We live in Oslo.", "lives_in", "Oslo"),
    ("No calls please, e-mail only.", "contact_channel", "email"),
    ("Always answer in French.", "instruction:answer in french", "always"),
    ("Please never mention my ex.", "instruction:mention my ex", "never"),
    ("My name is Ada Park.", "name", "Ada Park"),
    ("Hi, I'm Tom.", "name", "Tom"),
    ("I'm 34 years old.", "age", "34"),
    ("I am 34.", "age", "34"),
    ("My birthday is 14 May.", "birthday", "14 May"),
    ("I live in Oslo.", "lives_in", "Oslo"),
    ("I just moved to Bergen.", "lives_in", "Bergen"),
    ("I'm based in New York right now.", "lives_in", "New York"),
    ("I'm from Kenya.", "hometown", "Kenya"),
    ("I grew up in Porto.", "hometown", "Porto"),
    ("I work at Lumen.", "employer", "Lumen"),
    ("I work for a small bakery.", "employer", "a small bakery"),
    ("I'm a nurse.", "job", "nurse"),
    ("I'm a senior software engineer.", "job", "senior software engineer"),
    ("I work as a translator.", "job", "translator"),
    ("I'm retired.", "job", "retired"),
    ("I speak French.", "language=french", "French"),
    ("I have two kids.", "family=two kids", "two kids"),
    ("I have a dog named Rex.", "pet=a dog named rex", "a dog named Rex"),
    ("I'm married.", "marital_status", "married"),
    ("My e-mail is ada@example.org.", "email", "ada@example.org"),
    ("I study chemistry.", "studies", "chemistry"),
    ("I'm on project Blue.", "project", "Blue"),
    ("I shop at Aldi.", "shops_at", "Aldi"),
    ("I play the piano.", "instrument=the piano", "the piano"),
    ("I play tennis every week", "hobby=tennis", "tennis"),
    ("I drive a Volvo.", "drives", "Volvo"),
    ("I use Python for work.", "uses=python", "Python"),
    ("I moved the meeting.", "did=moved the meeting", "moved the meeting"),
    ("By the way, I like tea.", "preference:tea", "like"),
    ("Please remember that I'm vegan.", "diet", "vegan"),
    ("I'm vegetarian, what do you suggest?", "diet", "vegetarian"),
]


@pytest.mark.parametrize(("text", "slot", "value"), USER)
def test_a_plain_statement_fills_its_slot(text: str, slot: str, value: str) -> None:
    found = said(text)
    assert short(found) == [("user", slot, value)]
    assert found[0].op == "create"
    assert found[0].confidence >= 0.7
    assert found[0].sources[0].message_id == "m1"
    assert found[0].sources[0].quote in text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I like sushi.", "The user likes sushi"),
        ("I'm a nurse.", "The user is a nurse"),
        ("I have a cat.", "The user has a cat"),
        ("I don't eat meat", "The user doesn't eat meat"),
        ("I can't stand loud music.", "The user can't stand loud music"),
        ("I love my sister's pasta.", "The user loves their sister's pasta"),
        ("I study law.", "The user studies law"),
        ("My favourite colour is blue.", "The user's favourite colour is blue"),
        ("My friend doesn't eat meat.", "The user's friend doesn't eat meat"),
        ("My friend Tom lives in Paris.", "The user's friend Tom lives in Paris"),
        ("My wife loves my cooking.", "The user's wife loves the user's cooking"),
        ("Mira joined a gym in Oslo", "Mira joined a gym in Oslo"),
        ("Please never call me.", "The user asks never to be called"),
        ("Never mention my ex.", "The user asks the assistant never to mention their ex"),
    ],
)
def test_the_content_is_a_sentence_in_the_third_person(text: str, content: str) -> None:
    assert [each.content for each in said(text)] == [content]


OTHERS = [
    ("My friend doesn't eat meat.", "friend", "diet:meat", "no"),
    ("My wife loves opera.", "wife", "preference:opera", "like"),
    ("My boss hates meetings.", "boss", "preference:meetings", "dislike"),
    ("My best friend is vegan.", "best friend", "diet", "vegan"),
    ("My friend's allergic to cats.", "friend", "allergy=cats", "cats"),
    ("My wife's birthday is 14 May.", "wife", "birthday", "14 May"),
    ("My son's name is Leo.", "son", "name=leo", "Leo"),
    ("My dog is called Max.", "dog", "name=max", "Max"),
    ("My friend Tom lives in Paris.", "Tom", "lives_in", "Paris"),
    ("Mira lives in Oslo", "Mira", "lives_in", "Oslo"),
    ("Mira works at Lumen", "Mira", "employer", "Lumen"),
    ("Tarn is on project Blue", "Tarn", "project", "Blue"),
    ("Tarn now works on project Green", "Tarn", "project", "Green"),
    ("Tarn also helps Red", "Tarn", "project=red", "Red"),
    ("Tom is my brother.", "Tom", "relation", "brother"),
    ("I think my friend likes jazz", "friend", "preference:jazz", "like"),
]


@pytest.mark.parametrize(("text", "subject", "slot", "value"), OTHERS)
def test_what_is_said_of_others_is_never_the_users(
    text: str, subject: str, slot: str, value: str
) -> None:
    found = said(text)
    operations = short(found)
    assert operations == [(subject, slot, value)]


def test_two_people_in_one_sentence_keep_their_own() -> None:
    assert short(said("My friend doesn't eat meat but I love steak.")) == [
        ("friend", "diet:meat", "no"),
        ("user", "preference:steak", "like"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My friend Tom lives in Paris. He works at Lumen.",
            [("Tom", "lives_in", "Paris"), ("Tom", "employer", "Lumen")],
        ),
        (
            "My sister is a nurse. She loves tea.",
            [("sister", "job", "nurse"), ("sister", "preference:tea", "like")],
        ),
        ("He works at Lumen.", []),
        ("She loves tea.", []),
    ],
)
def test_a_pronoun_needs_somebody_named_before(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert short(said(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I like tea, coffee and pie.",
            ["preference:tea", "preference:coffee", "preference:pie"],
        ),
        ("I speak English and German.", ["language=english", "language=german"]),
        ("I'm allergic to peanuts and shellfish.", ["allergy=peanuts", "allergy=shellfish"]),
        ("I don't eat pork or beef.", ["diet:pork", "diet:beef"]),
        ("I love mac and cheese.", ["preference:mac and cheese"]),
        ("I like red and white wine.", ["preference:red and white wine"]),
        ("I live in Oslo and work at Lumen.", ["lives_in", "employer"]),
        ("Hi, I'm Tom and I live in Bergen.", ["name", "lives_in"]),
        ("I'm a nurse at Lumen.", ["job", "employer"]),
        ("I like tea. I like tea.", ["preference:tea"]),
    ],
)
def test_one_turn_may_say_several_things_each_once(text: str, expected: list[str]) -> None:
    assert [each.slot for each in said(text)] == expected


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Actually I can't stand sushi now.", "preference:sushi", "dislike"),
        ("I changed my mind, I prefer tea.", "preference:tea", "prefer"),
        ("No, I meant I live in Bergen.", "lives_in", "Bergen"),
        ("Sorry, my name is Tim.", "name", "Tim"),
        ("My name is not Tom but Tim.", "name", "Tim"),
        ("I don't live in Oslo but in Bergen.", "lives_in", "Bergen"),
        ("I was wrong. I live in Bergen.", "lives_in", "Bergen"),
    ],
)
def test_a_correction_updates(text: str, slot: str, value: str) -> None:
    (found,) = said(text)
    assert (found.op, found.slot, found.value) == ("update", slot, value)
    assert "correction" in found.tags


@pytest.mark.parametrize(
    ("text", "op", "slot", "value"),
    [
        ("I used to shop at Aldi, now mostly at Lidl.", "update", "shops_at", "Lidl"),
        ("I used to live in Rome but now I live in Oslo.", "update", "lives_in", "Oslo"),
        ("I no longer like tea.", "update", "preference:tea", "dislike"),
        ("I don't like tea any more.", "update", "preference:tea", "dislike"),
        ("I don't eat meat any more.", "update", "diet:meat", "no"),
        ("I no longer work at Lumen.", "delete", "employer", "Lumen"),
        ("I don't work at Lumen anymore.", "delete", "employer", "Lumen"),
        ("I quit my job at Lumen.", "delete", "employer", "Lumen"),
        ("I'm no longer allergic to nuts.", "delete", "allergy=nuts", "nuts"),
        ("I don't live in Oslo any longer", "delete", "lives_in", "Oslo"),
        ("I'm no longer vegan.", "delete", "diet", "vegan"),
    ],
)
def test_what_has_ended_is_not_said_to_hold(text: str, op: str, slot: str, value: str) -> None:
    (found,) = said(text)
    assert (found.op, found.slot, found.value) == (op, slot, value)


def test_opposite_statements_share_a_slot() -> None:
    slots = {said(text)[0].slot for text in ("I like sushi.", "Actually I can't stand sushi now.")}
    assert len(slots) == 1


@pytest.mark.parametrize(
    "text", ["I also speak French.", "Tarn also helps Red", "I also work at Lumen."]
)
def test_additions_do_not_replace(text: str) -> None:
    (found,) = said(text)
    assert found.multiple


@pytest.mark.parametrize(
    "text", ["Maybe I like jazz.", "I think I like jazz", "I kind of like jazz"]
)
def test_hedges_are_kept_with_little_confidence(text: str) -> None:
    (found,) = said(text)
    assert found.confidence < 0.7
    assert found.importance == 2


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I'll send the report by Friday.", "2026-03-06"),
        ("Remind me to call mum tomorrow.", "2026-03-03"),
        ("Remind me to renew the passport in two weeks.", "2026-03-16"),
        ("I promised Anna to bring the cake on 14 May.", "2026-05-14"),
        ("I'm flying to Paris next Monday.", "2026-03-09"),
        ("I have a dentist appointment on March 5th.", "2026-03-05"),
        ("My deadline is 2026-04-01.", "2026-04-01"),
    ],
)
def test_a_commitment_ends_with_its_day(text: str, day: str) -> None:
    (found,) = said(text)
    assert found.kind == "commitment"
    assert found.value == day
    assert found.content.endswith(f"({day})")
    assert found.valid_until is not None
    assert found.valid_until.isoformat() == f"{day}T23:59:59+00:00"


def test_days_are_counted_where_the_user_is() -> None:
    tokyo = timezone(timedelta(hours=9))
    late = datetime(2026, 3, 2, 23, 30, tzinfo=UTC).astimezone(tokyo)
    (found,) = said("yesterday I ran", at=late)
    assert found.content == "The user ran (2026-03-02)"
    (found,) = said("Remind me to call mum tomorrow.", at=late)
    assert found.valid_until == datetime(2026, 3, 4, 14, 59, 59, tzinfo=UTC)


def test_a_named_speaker_is_the_subject() -> None:
    found = said("I love pottery. My sister lives in Oslo.", speaker="Caroline")
    assert [(each.subject, each.content) for each in found] == [
        ("Caroline", "Caroline loves pottery"),
        ("sister", "Caroline's sister lives in Oslo"),
    ]


@pytest.mark.parametrize(
    ("text", "importance"),
    [("I'm allergic to nuts.", 5), ("I live in Oslo.", 4), ("I like tea.", 3), ("I study law.", 3)],
)
def test_importance_follows_the_kind(text: str, importance: int) -> None:
    assert said(text)[0].importance == importance
