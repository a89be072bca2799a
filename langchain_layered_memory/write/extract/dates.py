"""Days named in a sentence, in English and Chinese, counted from the day it was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

Side = Literal["ahead", "behind"]
_Resolve = Callable[[re.Match[str], date, Side], date | None]

_OFFSETS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "tomorrow": 1, "the day after tomorrow": 2, "yesterday": -1, "last night": -1,
    "the day before yesterday": -2,
    "今天": 0, "今晚": 0, "今早": 0, "明天": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3,
    "昨天": -1, "昨晚": -1, "前天": -2, "大前天": -3,
}  # fmt: skip
_WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5,
    "sunday": 6, "一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6,
}  # fmt: skip
_MONTHS = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
]  # fmt: skip
_NUMBERS = {
    "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
    "九": 9, "十": 10,
}  # fmt: skip

_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"


def find_day(text: str, said_at: datetime, side: Side) -> date | None:
    """Return the first day that `text` names, or None.

    Args:
        text: A clause.
        said_at: When it was said; days are counted in its own time zone.
        side: Whether a day without a year or week lies ahead or behind.
    """
    today = said_at.date()
    for pattern, resolve in _FORMS:
        match = pattern.search(text)
        if match and (day := _tried(resolve, match, today, side)):
            return day
    return None


def end_of_day(day: date, said_at: datetime) -> datetime:
    """Return the last second of `day` in the zone of `said_at`, as UTC."""
    zone = said_at.tzinfo or UTC
    return datetime.combine(day, time(23, 59, 59), zone).astimezone(UTC)


def without_days(text: str) -> str:
    """Return `text` without the days it names and the words that join them."""
    for pattern, _ in _FORMS:
        text = pattern.sub("", text)
    return text.strip()


def _tried(resolve: _Resolve, match: re.Match[str], today: date, side: Side) -> date | None:
    """Return the day, or None for the 31st of February and for days beyond the calendar."""
    try:
        return resolve(match, today, side)
    except (ValueError, OverflowError):
        return None


def _by_offset(match: re.Match[str], today: date, _: Side) -> date | None:
    return today + timedelta(days=_OFFSETS[match["word"].casefold()])


def _by_count(match: re.Match[str], today: date, _: Side) -> date | None:
    number = match["number"]
    count = int(number) if number.isdecimal() else _NUMBERS.get(number.casefold(), 0)
    if not count:
        return None
    days = count * (7 if re.match("week|周|星期|个", match["unit"], re.I) else 1)
    return today + timedelta(days=-days if match["past"] else days)


def _by_weekday(match: re.Match[str], today: date, side: Side) -> date | None:
    which = (match["which"] or "").casefold()
    weekday = _WEEKDAYS[match["weekday"].casefold()]
    this_week = today - timedelta(days=today.weekday()) + timedelta(days=weekday)
    if which in {"next", "下", "下个"}:
        return this_week + timedelta(days=7)
    if which in {"上", "上个"}:
        return this_week - timedelta(days=7)
    if which == "last" or side == "behind":
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    least = 0 if which in {"this", "这", "这个", "本"} else 1
    return today + timedelta(days=(weekday - today.weekday() - least) % 7 + least)


def _by_calendar(match: re.Match[str], today: date, side: Side) -> date | None:
    named = match["month"].casefold()
    month = int(named) if named.isdecimal() else _MONTHS.index(named[:3]) + 1
    day = int(match["day"])
    if match["year"]:
        return date(int(match["year"]), month, day)
    near = date(today.year, month, day)
    if near >= today if side == "ahead" else near <= today:
        return near
    return date(today.year + (1 if side == "ahead" else -1), month, day)


_JOIN = r"(?:\b(?:by|on|until|till|before|due)\s+)?"
_FORMS: tuple[tuple[re.Pattern[str], _Resolve], ...] = (
    (
        re.compile(
            (
                _JOIN
                + (
                    r"(?<!\d)(?P<year>\d{4})[-/年]"
                    r"(?P<month>\d{1,2})[-/月](?P<day>\d{1,2})"
                    r"(?!\d)[日号]?"
                )
            ),
        ),
        _by_calendar,
    ),
    (
        re.compile(r"(?P<year>(?!))?(?<!\d)(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]?"),
        _by_calendar,
    ),
    (re.compile(_JOIN + rf"(?:the )?\b{_DAY} (?:of )?{_MONTH}\b{_YEAR}", re.I), _by_calendar),
    (re.compile(_JOIN + rf"\b{_MONTH} {_DAY}\b{_YEAR}", re.I), _by_calendar),
    (
        re.compile(
            r"\bin (?P<past>(?!))?(?P<number>\d{1,3}|[a-z]{1,5}) (?P<unit>day|week)s?\b", re.I,
        ),
        _by_count,
    ),
    (
        re.compile(
            r"\b(?P<number>\d{1,3}|[a-z]{1,5}) (?P<unit>day|week)s? (?P<past>ago)\b", re.I,
        ),
        _by_count,
    ),
    (
        re.compile(
            r"(?P<number>\d{1,3}|[一两二三四五六七八九十])(?P<unit>天|周"
            r"|个?星期)(?:之?后|以后|(?P<past>之?前|以前))"
        ),
        _by_count,
    ),
    (
        re.compile(
            r"(?P<which>下个?|上个?|这个?|本)?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"
        ),
        _by_weekday,
    ),
    (
        re.compile(
            (
                _JOIN
                + (
                    r"(?:\b(?P<which>next|last|this|coming) )?"
                    r"\b(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
                )
            ),
            re.I,
        ),
        _by_weekday,
    ),
    (
        re.compile(
            (
                r"(?:\b(?:by|until|before) )?(?P<word>"
                + "|".join(
                    (
                rf"\b{word}\b" if word.isascii() else word
                for word in sorted(_OFFSETS, key=len, reverse=True)
            ),
                )
                + ")"
            ),
            re.I,
        ),
        _by_offset,
    ),
)  # fmt: skip
