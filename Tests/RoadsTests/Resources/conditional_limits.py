#!/usr/bin/env python3
"""Expected results of conditional limits, for ConditionalLimitTests.

An evaluator of its own: it shares nothing with the Swift code. Opening hours are read with regular expressions and
expanded to sets of minutes of a date; the sun comes from the ecliptic longitude (Astronomical Almanac's low-precision
formulas). Where a condition is not known, the tag is evaluated with it false (the limit) and true (if that gives
another limit, the result has a question mark).

python3 conditional_limits.py > conditional_limits.txt
"""
import datetime as dt
import math
import operator
import random
import re

# Contexts: name, local time, UTC offset (h), latitude, longitude, vehicle, trailer, weight (t, None unknown), surface.
CONTEXTS = [
    ("2026-01-14 08:30", 1, 42.5, 1.5, "motorcar", False, None, "unknown"),  # Wednesday
    ("2026-01-17 23:15", 1, 42.5, 1.5, "motorcar", True, None, "dry"),  # Saturday
    ("2026-03-01 03:45", 1, 42.5, 1.5, "hgv", False, 12.0, "wet"),  # Sunday
    ("2026-04-15 12:10", 2, 52.5, 13.4, "motorcar", False, 2.0, "wet"),  # Wednesday
    ("2026-07-06 05:59", 2, 52.5, 13.4, "bus", False, None, "unknown"),  # Monday
    ("2026-07-10 06:00", -4, 40.7, -74.0, "motorcycle", False, None, "dry"),  # Friday
    ("2026-10-31 17:00", 1, 60.2, 24.9, "hgv", True, 40.0, "unknown"),  # Saturday
    ("2026-12-24 20:00", 11, -33.9, 151.2, "goods", True, 3.5, "dry"),  # Thursday
    ("2026-11-01 00:20", 1, 42.5, 1.5, "coach", False, 18.0, "unknown"),  # Sunday
    ("2028-02-29 22:01", 1, 48.1, 11.6, "motorhome", False, 3.0, "dry"),  # Tuesday
    ("2026-02-12 13:00", 13, -13.8, -171.8, "hgv", False, None, "dry"),  # Thursday; the zone is across 180 degrees
    ("2026-06-20 01:00", 13, -13.8, -171.8, "goods", False, None, "unknown"),  # Saturday
]

DAYS = ["mo", "tu", "we", "th", "fr", "sa", "su"]
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
CLASSES = {
    "motorcar": "motorcar", "motorcycle": "motorcycle", "motorhome": "motorhome", "goods": "goods", "hgv": "hgv",
    "bus": "bus", "psv": "bus", "coach": "coach", "tourist_bus": "coach", "trailer": "trailer", "towing": "trailer",
    "vehicle": "", "motor_vehicle": "",
}


class Unknown(Exception):
    pass


class Context:
    def __init__(self, row):
        self.time = dt.datetime.strptime(row[0], "%Y-%m-%d %H:%M")
        (self.offset, self.lat, self.lon, self.kind, self.trailer, self.weight, self.surface) = row[1:]
        self.assume = False

    def is_class(self, name):
        return True if name == "" else self.trailer if name == "trailer" else self.kind == name


def sun(context, date, event):
    """Local minute of an event, by the sun's ecliptic longitude; iterated twice at the event itself."""
    rising = event in ("dawn", "sunrise")
    height = math.radians(-6 if event in ("dawn", "dusk") else -0.833)
    minute = 720.0
    for _ in range(4):
        utc = dt.datetime.combine(date, dt.time()) + dt.timedelta(minutes=minute - context.offset * 60)
        n = (utc - dt.datetime(2000, 1, 1, 12)).total_seconds() / 86400
        mean = math.radians((280.460 + 0.9856474 * n) % 360)
        anomaly = math.radians((357.528 + 0.9856003 * n) % 360)
        longitude = mean + math.radians(1.915 * math.sin(anomaly) + 0.020 * math.sin(2 * anomaly))
        tilt = math.radians(23.439 - 4e-7 * n)
        ascension = math.atan2(math.cos(tilt) * math.sin(longitude), math.cos(longitude))
        declination = math.asin(math.sin(tilt) * math.sin(longitude))
        equation = math.degrees((mean - ascension + math.pi) % (2 * math.pi) - math.pi) * 4
        lat = math.radians(context.lat)
        cosine = (math.sin(height) - math.sin(lat) * math.sin(declination)) / (math.cos(lat) * math.cos(declination))
        if abs(cosine) > 1:
            raise Unknown
        half = math.degrees(math.acos(cosine)) * 4
        noon = (720 - 4 * context.lon - equation + context.offset * 60) % 1440
        minute = noon - half if rising else noon + half
    return round(minute)


def split_outside(text, separator):
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0 or depth > 4:
            raise Unknown
        if c == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    if depth:
        raise Unknown
    return parts


CLOCK = r"\d{1,2}:\d\d"
EVENT = r"(?:dawn|sunrise|sunset|dusk)"
MOMENT = rf"(?:{CLOCK}|{EVENT}|\({EVENT}[+-]{CLOCK}\))"
SPAN = rf"{MOMENT}(?:\+|[ \t]*-[ \t]*{MOMENT})"
SPANS = rf"{SPAN}(?:[ \t]*,[ \t]*{SPAN})*"
DAY = r"(?:(?:mo|tu|we|th|fr|sa|su)(?:-(?:mo|tu|we|th|fr|sa|su))?|ph|sh)(?![a-z])"
DAYLIST = rf"{DAY}(?:[ \t]*,[ \t]*{DAY})*"
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?![a-z])"
DATE = rf"{MONTH}(?:[ \t]*\d{{1,2}}(?![\d:]))?"
DATES = rf"{DATE}(?:[ \t]*-[ \t]*(?:{DATE}|\d{{1,2}}(?![\d:])))?"
DATELIST = rf"{DATES}(?:[ \t]*,[ \t]*{DATES})*"
RULE = re.compile(
    rf"[ \t]*(?:(?P<always>24/7)|(?:(?P<dates>{DATELIST})[ \t]*:?[ \t]*)?(?:(?P<days>{DAYLIST})[ \t]*)?"
    rf"(?:(?P<more>{DAYLIST})[ \t]*)?(?P<spans>{SPANS})?)[ \t]*(?P<state>(?:off|closed|open)(?![a-z]))?[ \t]*")


def clock(text, latest):
    hours, minutes = (int(part) for part in text.split(":"))
    if minutes > 59 or hours * 60 + minutes > latest:
        raise Unknown
    return hours * 60 + minutes


class Rule:
    def __init__(self, match, additional):
        self.additional = additional
        self.off = match["state"] in ("off", "closed")
        self.always = bool(match["always"])
        self.dates, self.days, self.holiday, self.only_holiday = None, None, False, False
        if match["dates"]:
            self.dates = [self.date_range(part) for part in match["dates"].split(",")]
        if match["days"]:
            self.days, self.holiday = self.day_set(match["days"])
        if match["more"]:
            if self.days:
                raise Unknown
            self.only_holiday = True
            self.days, self.holiday = self.day_set(match["more"])
            if self.holiday:
                raise Unknown
        self.spans = [self.span(part) for part in re.findall(SPAN, match["spans"] or "")]

    @staticmethod
    def day_set(text):
        days, holiday = set(), False
        for part in re.split(r"[ \t]*,[ \t]*", text):
            if part in ("ph", "sh"):
                holiday = True
                continue
            first, _, last = part.partition("-")
            day, last = DAYS.index(first), DAYS.index(last or first)
            days.add(day)
            while day != last:
                day = (day + 1) % 7
                days.add(day)
        return days, holiday

    @staticmethod
    def date_range(text):
        found = re.fullmatch(r"([a-z]{3})\s*(\d*)(?:\s*-\s*([a-z]{3})?\s*(\d*))?", text.strip())
        month = MONTHS.index(found[1]) + 1
        first = (month, int(found[2] or 1))
        if "-" not in text:
            last = (month, int(found[2] or LENGTHS[month - 1]))
        elif found[3]:
            end = MONTHS.index(found[3]) + 1
            last = (end, int(found[4] or LENGTHS[end - 1]))
        else:
            if not found[2]:
                raise Unknown
            last = (month, int(found[4]))
        for m, d in (first, last):
            if not 1 <= d <= LENGTHS[m - 1]:
                raise Unknown
        return first, last

    @staticmethod
    def span(text):
        moments = re.findall(MOMENT, text)
        parts = []
        for index, moment in enumerate(moments):
            found = re.fullmatch(rf"\(?({EVENT})(?:([+-])({CLOCK})\))?", moment)
            if found:
                later = clock(found[3], 720) if found[3] else 0
                parts.append((found[1], -later if found[2] == "-" else later))
            else:
                parts.append((None, clock(moment, 1440 if index == 0 else 2880)))
        if len(parts) == 1:
            parts.append((None, 1440))
        return parts

    def is_for(self, date, holiday):
        if self.dates is not None:
            key = (date.month, date.day)
            if not any(a <= key <= b if a <= b else key >= a or key <= b for a, b in self.dates):
                return False
        if self.only_holiday and not holiday:
            return False
        if self.days is None:
            return True
        return date.weekday() in self.days or (self.holiday and holiday)

    def minutes(self, context, date):
        if not self.spans:
            return set(range(1440))
        found = set()
        for start, end in self.spans:
            a, b = (sun(context, date, event) + plus if event else plus for event, plus in (start, end))
            found |= set(range(a, b if b > a else b + 1440))
        return found


class Hours:
    def __init__(self, text):
        self.rules = []
        rest, additional = text, False
        while True:
            match = RULE.match(rest)
            if not match or not match[0].strip() or len(self.rules) == 16:
                raise Unknown
            self.rules.append(Rule(match, additional))
            rest = rest[match.end():]
            if not rest:
                return
            if rest[0] not in ";,":
                raise Unknown
            additional = rest[0] == ","
            rest = rest[1:].strip()
            if not rest and not additional:
                return

    def is_open(self, context):
        if context.time is None:
            raise Unknown
        for ago in (0, 1):
            date = context.time.date() - dt.timedelta(days=ago)
            minute = context.time.hour * 60 + context.time.minute + ago * 1440
            opened, closed = set(), set()
            for rule in self.rules:
                if not rule.is_for(date, context.assume):
                    continue
                if rule.off and rule.spans:
                    closed |= rule.minutes(context, date)
                elif rule.off:
                    opened, closed = set(), set()
                else:
                    if not rule.additional:
                        opened, closed = set(), set()
                    opened |= rule.minutes(context, date)
            if minute in opened - closed:
                return True
        return False

    def kinds(self):
        kinds = set()
        for rule in self.rules:
            if rule.dates is not None:
                kinds.add("season")
            if rule.days is not None or rule.spans:
                kinds.add("time")
        return kinds


def strip_parentheses(text):
    text = text.strip(" \t")
    if text.startswith("(") and text.endswith(")"):
        depth = 0
        for index, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if depth == 0 and index < len(text) - 1:
                return text
        return text[1:-1].strip(" \t")
    return text


COMPARISONS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq}


def possible_weights(context, limit):
    """Weights of the vehicle's class on both sides of a limit and of 3.5 t; no class has a least or a greatest one."""
    weights = [-1, limit - 1e-3, limit, limit + 1e-3, 3.5, 3.501, 1e6]
    if not context.trailer and context.kind in ("motorcar", "motorcycle", "goods"):
        return [weight for weight in weights if weight <= 3.5]
    if context.kind == "hgv":
        return [weight for weight in weights if weight > 3.5]
    return weights


def condition(text, context):
    """Whether it holds, and its kinds."""
    text = strip_parentheses(text)
    if text in ("wet", "rain"):
        return (context.assume if context.surface == "unknown" else context.surface == "wet"), {"weather"}
    if text in CLASSES:
        name = CLASSES[text]
        return context.is_class(name), {"trailer" if name == "trailer" else "vehicle"}
    found = re.fullmatch(
        r"(weight|maxweight|weightrating|maxweightrating|gvw)[ \t]*(>=|<=|>|<|=)[ \t]*([0-9.]{1,7})[ \t]*(t|kg|)", text)
    if found and re.fullmatch(r"\d+\.?\d*|\.\d+", found[3]):
        limit = float(found[3]) / (1000 if found[4] == "kg" else 1)
        weights = possible_weights(context, limit) if context.weight is None else [context.weight]
        results = {COMPARISONS[found[2]](weight, limit) for weight in weights}
        return (results.pop() if len(results) == 1 else context.assume), {"weight"}
    try:
        hours = Hours(text)
    except Unknown:
        return context.assume, set()
    try:
        return hours.is_open(context), hours.kinds()
    except Unknown:
        return context.assume, hours.kinds()


def value(text):
    """km/h, "none", or None if not read. The table uses only simple values."""
    text = text.strip()
    if text == "none":
        return math.inf
    if text == "walk":
        return 7.0
    found = re.fullmatch(r"(\d{1,3}(?:\.\d)?)(?: ?(km/h|mph))?", text)
    if not found or float(found[1]) > 500:
        return None
    return round(float(found[1]), 1) * (1.609344 if found[2] == "mph" else 1)


def conditional(text, context):
    """The limits that hold, in order, with their kinds."""
    try:
        clauses = [clause for clause in split_outside(text, ";") if clause.strip(" \t")]
        if len(clauses) > 16:
            raise Unknown
    except Unknown:
        return [(None, set())] if context.assume else []
    held = []
    for clause in clauses:
        left, at, right = clause.partition("@")
        if not at:
            if context.assume:
                held.append((None, set()))
            continue
        limit = value(left)
        right = strip_parentheses(right.lower())
        try:
            parts = split_and(right)
        except Unknown:
            parts = ["?"]
            if context.assume:
                held.append((limit, set()))
            continue
        results = [condition(part, context) for part in parts]
        if all(result[0] for result in results) and (limit is not None or context.assume):
            held.append((limit, set().union(*(result[1] for result in results))))
    return held


def split_and(text):
    parts, depth, index = [""], 0, 0
    while index < len(text):
        c = text[index]
        depth += (c == "(") - (c == ")")
        if depth < 0 or depth > 4:
            raise Unknown
        before = text[index - 1] if index else "x"
        after = text[index + 3] if index + 3 < len(text) else "x"
        if depth == 0 and text[index:index + 3] == "and" and before in " \t()" and after in " \t()":
            parts.append("")
            index += 3
            continue
        parts[-1] += c
        index += 1
    if depth:
        raise Unknown
    return parts


def tag_parts(key):
    parts = key.split(":")[1:]
    form, name, direction = "limit", "", "both"
    for part in parts:
        if part in ("conditional", "wet", "variable"):
            form = part
        elif part in ("forward", "backward"):
            direction = part
        else:
            name = CLASSES[part]
    return form, name, direction


def one_pass(base, tags, context):
    limit, kinds, tagged = base, set(), True
    groups = {}
    for key, text in tags:
        form, name, direction = tag_parts(key)
        if direction != "backward":
            groups.setdefault(name, []).append((direction != "both", form != "limit", form, text))
    order = ["", "motorcar", "motorcycle", "motorhome", "goods", "hgv", "bus", "coach", "trailer"]
    for name in order:
        if name not in groups or not context.is_class(name):
            continue
        own, own_kinds, known = (limit, kinds, True) if name == "" else (None, set(), False)
        default = set() if name == "" else {"trailer" if name == "trailer" else "vehicle"}
        for _, _, form, text in sorted(groups[name], key=lambda item: item[:2]):
            if form == "limit":
                found = value(text)
                held = [(found, default)] if found is not None or context.assume else []
            elif form == "wet":
                wet = context.assume if context.surface == "unknown" else context.surface == "wet"
                found = value(text)
                held = [(found, {"weather"})] if wet and (found is not None or context.assume) else []
            elif form == "variable":
                held = [(None, set())] if context.assume else []
            else:
                held = conditional(text, context)
            for found, found_kinds in held:
                own, own_kinds, known = found, found_kinds, True
        if name == "":
            limit, kinds = own, own_kinds
        elif known and number(own) < number(limit):
            limit, kinds = own, own_kinds
    return limit, kinds


def number(limit):
    return math.inf if limit is None else limit


def evaluate(base, tags, context):
    context.assume = False
    limit, kinds = one_pass(base, tags, context)
    context.assume = True
    other, _ = one_pass(base, tags, context)
    text = "unknown" if limit is None else "none" if limit == math.inf else f"{limit:.2f}"
    reason = "none" if not kinds else kinds.pop() if len(kinds) == 1 else "several"
    return f"{text}/{reason}{'?' if other != limit else ''}"


HAND = """
30 @ (22:00-06:00)
30 @ (22:00-6:00)
30@(22:00-06:00)
30 @ 22:00-06:00
80 @ (06:00-20:00); 60 @ (20:00-06:00)
120 @ (06:00-20:00); 100 @ (wet)
30 @ (Mo-Fr 07:00-17:00)
30 @ (Mo-Fr 07:00-17:00; PH off)
30 @ (Mo-Fr 07:00-17:00; SH off)
30 @ (Mo-Fr 07:00-17:00; PH,SH off)
30 @ (SH)
30 @ (PH)
30 @ (Su,PH)
30 @ (Sa,Su,PH 10:00-18:00)
30 @ (SH Mo-Fr 07:00-17:00)
30 @ (PH Su 07:00-17:00)
30 @ (Mo-Fr 07:00-09:00,16:00-18:00)
30 @ (Mo-Fr 07:00-09:00, 11:30-13:30, 16:00-18:00)
30 @ (Mo-Fr 07:00-18:00, Sa 08:00-12:00)
30 @ (Mo-Fr 07:00-18:00, Sa 08:00-24:00)
30 @ (Mo-Fr 07:00-18:00; Sa 08:00-24:00)
30 @ (Mo-Fr 07:00-18:00; We off)
30 @ (Mo-Fr 07:00-18:00; 08:00-09:00 off)
30 @ (24/7)
30 @ (24/7; Su off)
30 @ (off)
30 @ (Mo)
30 @ (Su)
30 @ (Sa-Su)
30 @ (Fr-Mo)
30 @ (Fr-Mo 22:00-04:00)
30 @ (Sa 22:00-04:00)
30 @ (Fr 22:00-48:00)
30 @ (Fr 22:00-26:00)
30 @ (Sa 18:00+)
30 @ (18:00+)
80 @ (Nov-Mar)
80 @ (Nov 01-Mar 31)
80 @ (Nov 1-Mar 1)
80 @ (Oct 15-Apr 15)
80 @ (Apr 15-Oct 15)
80 @ (Apr 15-30)
80 @ (Dec 24)
80 @ (Dec 24,Dec 31)
80 @ (Dec 24-26,Jan 01)
80 @ (Jul-Aug,Dec)
80 @ (Feb 29)
80 @ (Feb 30)
80 @ (Jan 14-17 08:00-24:00)
80 @ (Nov-Mar 22:00-06:00)
80 @ (Jun-Aug Mo-Fr 06:00-10:00)
80 @ (Jun-Aug: Mo-Fr 06:00-10:00)
80 @ (Jun 15-Aug 31 06:00-20:00)
80 @ (Oct 31-Nov 01 16:00-02:00)
70 @ (sunset-sunrise)
70 @ (sunrise-sunset)
70 @ (dusk-dawn)
70 @ (dawn-dusk)
70 @ (sunset+)
70 @ ((sunset+01:00)-(sunrise-01:00))
70 @ ((sunrise-00:30)-(sunset+00:30))
70 @ (Mo-Fr sunset-23:00)
70 @ (Oct-Apr sunset-sunrise)
80 @ (wet)
80 @ wet
80 @ rain
80 @ snow
80 @ (winter)
80 @ fog
60 @ (weight>7.5)
60 @ (weight > 7.5)
60 @ (weight>=12)
60 @ (weight<=3.5)
60 @ (weight<3.5)
60 @ (weight=40)
60 @ (weight>3500 kg)
60 @ (weight>3.5 t)
60 @ (weight>3.5t)
60 @ (weightrating>3.5)
60 @ (maxweightrating>7.5)
60 @ (maxweight>2.8)
60 @ (weight>2)
60 @ (weight>abc)
60 @ (weight>)
60 @ (weight>7,5)
60 @ (weight>7.5 tons)
60 @ (weight>1e3)
60 @ (weight>1.2.3)
60 @ (gvw>18)
60 @ (length>12)
60 @ (axles>=3)
60 @ (height>3)
60 @ (hazmat)
80 @ (trailer)
80 @ trailer
80 @ (towing)
80 @ (hgv)
80 @ (hgv AND trailer)
80 @ (bus)
80 @ (coach)
80 @ (motorcycle)
80 @ (motorhome)
80 @ (goods)
80 @ (motorcar)
80 @ (motor_vehicle)
80 @ (weight>7.5 AND 22:00-06:00)
80 @ (22:00-06:00 AND weight>7.5)
80 @ (22:00-06:00 and wet)
80 @ (Mo-Fr 06:00-20:00 AND trailer)
80 @ ((Mo-Fr 06:00-20:00) AND (weight>3.5))
80 @ (Nov-Mar AND 22:00-06:00)
80 @ (Nov-Mar AND wet)
80 @ (wet AND snow)
80 @ (wet AND Sa-Su)
80 @ (trailer AND weight>3.5)
80 @ (trailer AND weight>3.5 AND Sa 00:00-24:00)
80 @ (destination)
80 @ (delivery AND 06:00-20:00)
80 @ (children_present)
80 @ ("when flashing")
80 @ (Mo-Fr 07:00-17:00 "school")
80 @ (Mo[1])
80 @ (week 10-20)
80 @ (2026)
80 @ (2026 Jan 01-2026 Mar 31)
80 @ (easter)
80 @ (Mo-Xx)
80 @ (25:00-26:00)
80 @ (22:60-23:00)
80 @ (22-06)
80 @ (22:00)
80 @ (22:00-)
80 @ (49:00-50:00)
80 @ ()
80 @
80
@ (22:00-06:00)
abc @ (22:00-06:00)
signals @ (22:00-06:00)
none @ (22:00-06:00)
none @ (Sa-Su)
walk @ (Sa-Su)
50 mph @ (06:00-20:00)
20 mph @ (Mo-Fr 08:00-09:00)
20mph @ (Mo-Fr 08:00-09:00)
5.5 @ (Sa)
501 @ (24/7)
9999 @ (24/7)
30 @ (22:00-06:00
30 @ 22:00-06:00)
30 @ ((((((22:00-06:00))))))
30 @ (((22:00-06:00)))
30 @ (22:00-06:00));
30 @ (22:00-06:00);
; 30 @ (22:00-06:00)
;;
30 @ (Mo-Fr 08:00-09:00);50 @ (Mo-Fr 09:00-17:00);70 @ (Sa-Su)
70 @ (Sa-Su);30 @ (24/7)
30 @ (24/7);70 @ (Sa-Su)
30 @ (24/7);70 @ (wet)
30 @ (wet);70 @ (24/7)
100 @ (22:00-06:00); 60 @ (weight>7.5); 80 @ (trailer)
60 @ (weight>7.5); 100 @ (22:00-06:00)
30 @ (mo-fr 07:00-17:00)
30 @ (MO-FR 07:00-17:00)
30 @ (Mo - Fr 07:00-17:00)
30 @ (Mo-Fr  07:00 - 17:00)
30 @ (Mo,We,Fr)
30 @ (Mo, We, Fr 08:00-09:00)
30 @ (Mo-We,Sa 08:00-09:00)
30 @ (Mo-Fr 00:00-24:00)
30 @ (00:00-00:00)
30 @ (06:00-06:00)
30 @ (05:59-06:00)
30 @ (23:15-23:16)
30 @ (closed)
30 @ (open)
30 @ (Mo-Fr open)
30 @ (Mo-Fr closed)
30 @ (24/7 off)
30 @ (Sa off; 22:00-06:00)
30 @ (22:00-06:00; Sa off)
30 @ (22:00-06:00, Sa 12:00-18:00)
30 @ (Mo-Fr 07:00-17:00, PH off)
30 @ (Mo-Su,PH 07:00-17:00)
50 @ (Jan,Feb,Mar)
50 @ (Jan, Feb, Mar)
50 @ (Dec-Feb)
50 @ (Mar 01-Mar 01)
50 @ (Oct 31-Oct 30)
50 @ (Jul 06-10)
50 @ (Jul 10-06)
50 @ (Jul -10)
""".strip("\n").split("\n")

CLASS_TAGS = [
    [("maxspeed:hgv", "80")], [("maxspeed:hgv", "60")], [("maxspeed:hgv", "130")], [("maxspeed:bus", "70")],
    [("maxspeed:psv", "70")], [("maxspeed:coach", "70")], [("maxspeed:tourist_bus", "80")],
    [("maxspeed:trailer", "80")], [("maxspeed:towing", "80")], [("maxspeed:motorcycle", "60")],
    [("maxspeed:motorcar", "70")], [("maxspeed:goods", "70")], [("maxspeed:motorhome", "90")],
    [("maxspeed:motor_vehicle", "60")], [("maxspeed:vehicle", "60")], [("maxspeed:hgv", "abc")],
    [("maxspeed:hgv", "none")], [("maxspeed:wet", "80")], [("maxspeed:wet", "abc")], [("maxspeed:variable", "yes")],
    [("maxspeed:variable", "peak_traffic")], [("maxspeed:hgv", "80"), ("maxspeed:hgv:conditional", "60 @ (weight>20)")],
    [("maxspeed:hgv:conditional", "60 @ (22:00-06:00)")], [("maxspeed:hgv:forward", "50")],
    [("maxspeed:hgv:backward", "50")], [("maxspeed:forward:hgv", "50")], [("maxspeed:trailer", "60"), ("maxspeed:hgv", "80")],
    [("maxspeed:hgv", "60"), ("maxspeed:trailer", "80")], [("maxspeed:conditional", "30 @ (22:00-06:00)"), ("maxspeed:hgv", "60")],
    [("maxspeed:conditional", "60 @ (24/7)"), ("maxspeed:hgv", "80")],
    [("maxspeed:forward:conditional", "30 @ (22:00-06:00)")], [("maxspeed:backward:conditional", "30 @ (22:00-06:00)")],
    [("maxspeed:conditional", "70 @ (24/7)"), ("maxspeed:forward:conditional", "30 @ (22:00-06:00)")],
    [("maxspeed:forward:conditional", "70 @ (24/7)"), ("maxspeed:conditional", "30 @ (22:00-06:00)")],
    [("maxspeed:hgv:conditional", "50 @ (wet)"), ("maxspeed:wet", "60")],
    [("maxspeed:wet", "60"), ("maxspeed:conditional", "40 @ (Sa-Su)")],
    [("maxspeed:trailer:conditional", "70 @ (weight>3.5)")], [("maxspeed:bus:conditional", "50 @ (Jul 01-31)")],
]


def generated(seed):
    """Values from pieces of the grammar."""
    r = random.Random(seed)

    def clock_text():
        return f"{r.randrange(24):02}:{r.choice(['00', '15', '30', '45'])}"

    def hours():
        text = ""
        if r.random() < 0.3:
            a, b = r.choice(MONTHS).title(), r.choice(MONTHS).title()
            text += r.choice([f"{a}-{b} ", f"{a} {r.randrange(1, 29)}-{b} {r.randrange(1, 29):02} ", f"{a} "])
        if r.random() < 0.6:
            days = [day.title() for day in DAYS]
            text += r.choice([
                f"{r.choice(days)}-{r.choice(days)} ", f"{r.choice(days)} ", f"{r.choice(days)},{r.choice(days)} ",
                f"{r.choice(days)}-{r.choice(days)},PH "])
        spans = [f"{clock_text()}-{clock_text()}" for _ in range(r.choice([0, 1, 1, 1, 2]))]
        text = (text + ",".join(spans)).strip()
        return text or f"{clock_text()}-{clock_text()}"

    def rules():
        text = hours()
        while r.random() < 0.35:
            text += r.choice(["; ", ", "]) + hours() + r.choice(["", "", " off"])
        return text

    def clause():
        parts = [r.choice([rules, rules, rules, lambda: "wet", lambda: f"weight>{r.choice([2.8, 3.5, 7.5, 12])}",
                           lambda: "trailer", lambda: "hgv"])()]
        if r.random() < 0.25:
            parts.append(r.choice(["wet", "weight>3.5", "weight<=7.5", "trailer", "Sa-Su", "06:00-20:00"]))
        return f"{r.choice([20, 30, 40, 60, 70, 80])} @ ({' AND '.join(parts)})"

    return "; ".join(clause() for _ in range(r.choice([1, 1, 2, 3])))


def main():
    cases = [[("maxspeed:conditional", text)] for text in HAND] + CLASS_TAGS
    cases += [[("maxspeed:conditional", generated(seed))] for seed in range(160)]
    cases = [tags for tags in cases if all(len(text) <= 255 for _, text in tags)]
    print("# Made by conditional_limits.py: tags, TAB, limit in km/h/reason per context; ? = depends on the unknown.")
    for row in CONTEXTS:
        print("@" + "\t".join(str(part) for part in row))
    for tags in cases:
        contexts = [Context(row) for row in CONTEXTS]
        results = [evaluate(100.0, tags, context) for context in contexts]
        print("|".join(f"{key}={text}" for key, text in tags) + "\t" + " ".join(results))


main()
