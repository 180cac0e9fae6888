#!/usr/bin/env python3
"""Converts tables of traffic counts to records that `npm run data -- load` accepts.

    python3 examples/convert.py sensors.csv --camera site --time time --time-format '%Y-%m-%d %H:%M' \\
      --time-zone Europe/Berlin --count cars=cars+vans --count bicycles=bikes --out records.csv

It needs Python 3.9 and no packages, and stops at the first cell that it does not understand.
"""

import argparse
import codecs
import contextlib
import csv
import io
import itertools
import json
import os
import re
import sys
import unicodedata
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
HEADER = ("id", "camera_pk", "camera_ref", "timestamp", "camera_ok", *FIELDS, "model_name")

# What `load` accepts.
MAX_COUNT = 2**53 - 1
MAX_CAMERAS = MAX_DAYS = 100_000

Number = Union[int, Fraction]


class BadData(Exception):
    """Ends the conversion. The message says where and why."""


class Row(NamedTuple):
    where: str  # such as "sensors.csv:17"
    cells: dict[str, Any]  # text; in JSON also None, booleans, lists and objects


class Observation(NamedTuple):
    where: str
    camera_ref: str
    time_text: str
    time: datetime  # has a time zone if the format has %z
    label: str  # with --sum: the cells that tell rows with the same time apart, such as the lane
    counts: tuple[Optional[Number], ...]  # in the order of FIELDS; None is missing


def problem(where: str, column: str, value: Any, message: str) -> BadData:
    shown = repr(value)
    return BadData(f"{where}: {column} {shown if len(shown) <= 100 else shown[:99] + '…'} {message}")


# Files


def read_text(file: str, encoding: str) -> str:
    data = Path(file).read_bytes()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "ignore").count("\n") + 1
        byte = f"byte {error.start + 1} of the file, 0x{data[error.start]:02x}"
        raise BadData(f"{file}:{line}: {byte}, is not {encoding}; try --encoding windows-1252") from None
    if not data.isascii() and not encoding.startswith("utf-8"):
        with contextlib.suppress(UnicodeDecodeError):
            data.decode("utf-8")
            raise BadData(f"{file}: is UTF-8, not {encoding}")
    return text.removeprefix("\ufeff")


def read_csv(file: str, text: str, separator: str) -> tuple[list[str], Iterator[Row]]:
    lines = read_lines(file, text, separator)
    line, header = next((found for found in lines if any(found[1])), (1, []))
    if not header:
        raise BadData(f"{file}: is empty; the first row must be a header")
    while not header[-1]:
        header.pop()
    for name, times in Counter(header).items():
        if name and times > 1:
            raise problem(f"{file}:{line}", "the column", name, f"is {times} times in the header")
    return header, (create_row(f"{file}:{line}", header, cells) for line, cells in lines)


def read_lines(file: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the line in which each row starts, and its cells without spaces at both ends."""
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, delimiter=separator, strict=True, skipinitialspace=separator != " ")
    line = 1
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadData(f"{file}:{line}: the cells of this row cannot be separated: {error}") from None


def create_row(where: str, header: list[str], cells: list[str]) -> Row:
    if any(cells) and len(cells) < len(header):
        raise BadData(f"{where}: has {len(cells)} cells, but the header has {len(header)}: {cells!r}")
    for number, (name, cell) in enumerate(itertools.zip_longest(header, cells, fillvalue=""), 1):
        if cell and not name:
            raise problem(where, f"cell {number}", cell, "is in a column without a name")
    return Row(where, {name: cell for name, cell in zip(header, cells) if name})


def read_json(file: str, text: str, name: str) -> tuple[list[str], Iterator[Row]]:
    # Numbers stay text, so that camera 9000000012 keeps its name, and 0.1 is exact.
    as_text = {"parse_int": str, "parse_float": str, "parse_constant": str}
    try:
        document = json.loads(text, object_pairs_hook=create_object, **as_text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{file}: is not valid JSON: {error}") from None
    items = document.get(name) if isinstance(document, dict) else None
    if not isinstance(items, list):
        raise BadData(f"{file}: has no list {name!r}")
    rows = [Row(f"{file}: {name}[{index}]", item) for index, item in enumerate(items)]
    for row in rows:
        if not isinstance(row.cells, dict):
            raise problem(row.where, "the item", row.cells, "is not an object")
    header = list(dict.fromkeys(itertools.chain.from_iterable(items)))
    return header, (Row(row.where, {key: row.cells.get(key) for key in header}) for row in rows)


def create_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise ValueError(f"an object has {times} values named {name!r}")
    return {name: value.strip() if isinstance(value, str) else value for name, value in pairs}


# Cells


def get_text(row: Row, column: str) -> str:
    value = row.cells[column]
    if value is None or value == "":
        raise problem(row.where, column, value, "is empty")
    if not isinstance(value, str):
        raise problem(row.where, column, value, "is not text or a number")
    return value


@lru_cache
def compile_notation(decimal: str, thousands: str) -> "re.Pattern[str]":
    whole = f"[0-9]{{1,3}}({re.escape(thousands)}[0-9]{{3}})*" if thousands else "[0-9]+"
    return re.compile(f"{whole}({re.escape(decimal)}[0-9]+)?")


def parse_count(row: Row, column: str, options: Namespace) -> Optional[Number]:
    value = row.cells[column]
    if value is None or value == "" or value in options.missing_value:
        return None
    decimal, thousands = options.decimal, options.thousands
    text = value if isinstance(value, str) else ""
    if text.startswith("-"):
        raise problem(row.where, column, value, f"is negative; does it need --missing-value={value}?")
    if not compile_notation(decimal, thousands).fullmatch(text):
        raise problem(row.where, column, value, f"is not a number such as 1{thousands}234{decimal}5")
    if len(text) > 50:
        raise problem(row.where, column, value, "is too long for a count")
    plain = text.replace(thousands, "").replace(decimal, ".")
    return Fraction(plain) if "." in plain else int(plain)


def add_up(numbers: Iterable[Optional[Number]]) -> Optional[Number]:
    """Adds up numbers exactly. A missing number makes the sum missing."""
    known = list(numbers)
    return None if None in known else sum(known)


def round_half_up(number: Number) -> int:
    return int((2 * number + 1) // 2)


# Letters and marks without a shape: Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def require_camera_ref(where: str, column: str, name: str, names: dict[str, str]) -> str:
    """Returns the camera_ref for a name. `names` has the names of all cameras so far, by camera_ref."""
    ref = name if len(name) <= 64 else f"{name[:40]}…{name[-23:]}"
    if ref in names and names[ref] != name:
        raise problem(where, column, name, f"is shortened to {ref!r}, as another camera is: {names[ref]!r}")
    if ref not in names:
        reason = check_camera_ref(ref)
        if len(names) == MAX_CAMERAS:
            reason = f"exceeds the limit of {MAX_CAMERAS} cameras"
        if reason:
            raise problem(where, column, name, reason)
    names[ref] = name
    return ref


def check_camera_ref(ref: str) -> Optional[str]:
    """Says why `load` would reject a camera_ref. Stricter: no invisible character is accepted, not even in an emoji."""
    if ref == "":
        return "is empty"
    if ref[0] in "=+-@":
        return "begins like a spreadsheet formula, so it needs another name"
    for character in ref:
        if BLANK.match(character) or re.match("C|Zl|Zp", unicodedata.category(character)):
            return f"contains the invisible character U+{ord(character):04X}"
    return None


# Times

DIGITS = {"Y": 4, "y": 2, "m": 2, "d": 2, "j": 3, "H": 2, "I": 2, "M": 2, "S": 2, "f": 6}


def parse_time_format(text: str) -> str:
    """Refuses a format whose times could be misunderstood."""
    found = re.findall("%(.?)", text, re.DOTALL)
    unknown = set(found) - set("YymbBdjHIpMSfzaA%")
    counts = {group: sum(map(found.count, group)) for group in ("Yy", "mbBj", "dj", "HI", *"pMSfzaA")}
    is_incomplete = any(counts[part] > counts[larger] for part, larger in (("M", "HI"), ("S", "M"), ("f", "S")))
    # strptime would ignore AM and PM beside %H, and take %I for the morning.
    is_half_day = ("I" in found) != ("p" in found)
    if unknown:
        raise ArgumentTypeError(f"%{min(unknown)} in {text!r} is not supported")
    if [counts["Yy"], counts["mbBj"], counts["dj"]] != [1, 1, 1]:
        raise ArgumentTypeError(f"{text!r} needs the year, the month and the day once, as in %Y-%m-%d")
    if is_incomplete or is_half_day or max(counts.values()) > 1:
        raise ArgumentTypeError(f"{text!r} needs each part of the time once, as in %H:%M:%S or %I:%M %p")
    return text


@lru_cache
def compile_time_format(time_format: str) -> "re.Pattern[str]":
    """Fixes the lengths of numbers without separators. strptime would guess: is 1112025 in January?"""
    patterns = []
    for part in re.findall(r"(?:%[YymdjHIMSf])+|%.|\s+|.", time_format):
        if part.isspace():
            patterns.append(r"\s+")
        elif part[0] != "%" or part == "%%":
            patterns.append(re.escape(part[-1]))
        else:
            patterns.append(".+?" if len(part) == 2 else f"[0-9]{{{sum(map(DIGITS.get, part[1::2]))}}}")
    return re.compile("".join(patterns), re.IGNORECASE)


@lru_cache(maxsize=100_000)
def parse_time(text: str, time_format: str) -> Optional[datetime]:
    try:
        time = datetime.strptime(text, time_format)
    except ValueError:
        return None
    # strptime ignores a wrong day of the week.
    is_other_day = re.search("%a", time_format, re.IGNORECASE) and f"{time:%a}".lower() not in text.lower()
    return time if compile_time_format(time_format).fullmatch(text) and not is_other_day else None


def parse_zone(text: str) -> tzinfo:
    """Parses a name such as Europe/Berlin, or an offset such as UTC+01:00."""
    try:
        if re.match("UTC[+-]", text):
            return datetime.strptime(text, "UTC%z").tzinfo
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        examples = "Europe/Berlin (on Windows, after pip install tzdata) or UTC+01:00"
        raise ArgumentTypeError(f"{text!r} is not a time zone such as {examples}") from None


@lru_cache(maxsize=100_000)
def get_offset_change(time: datetime, zone: tzinfo) -> timedelta:
    """Negative for a local time that the clocks repeat, positive for one that they skip."""
    return time.replace(tzinfo=zone, fold=1).utcoffset() - time.replace(tzinfo=zone, fold=0).utcoffset()


def get_repeated_hour(time: datetime, zone: tzinfo) -> Optional[date]:
    """Identifies the repeated hour of a local time. An hour around midnight belongs to the later day."""
    is_repeated = get_offset_change(time, zone) < timedelta(0)
    return (time + timedelta(hours=12)).date() if is_repeated else None


def is_newest_first(rows: list[Observation], zone: tzinfo) -> bool:
    """Tells whether most rows are older than the row before, except in a repeated hour."""
    balance = 0
    for one, other in zip(rows, rows[1:]):
        hour = get_repeated_hour(one.time, zone)
        if hour is None or hour != get_repeated_hour(other.time, zone):
            balance += (other.time < one.time) - (other.time > one.time)
    return balance > 0


def find_passes(rows: list[Observation], column: str) -> Iterator[tuple[Observation, int]]:
    """Yields the rows of a camera in a repeated hour with their fold: 0 in the first pass, 1 in the second."""
    fold, labels, undecided = 0, set(), None
    for previous, row in zip([rows[0], *rows], rows):
        is_back = row.time < previous.time or (row.time == previous.time and row.label in labels)
        if is_back and fold == 1:
            message = "goes back twice in the hour that the clocks repeat; are the rows sorted, or is --sum missing?"
            raise problem(row.where, column, row.time_text, message)
        if is_back:
            fold = 1
        elif row.time == previous.time and labels and fold == 0:
            undecided = row
        if is_back or row.time > previous.time:
            labels = set()
        labels.add(row.label)
        yield row, fold
    if undecided and fold == 0:
        message = "is in the hour that the clocks repeat, and nothing shows which rows are in its second pass"
        raise problem(undecided.where, column, undecided.time_text, message)


def localize(rows: list[Observation], options: Namespace) -> Iterator[tuple[Observation, Optional[datetime]]]:
    """Yields the rows of a camera, oldest first, with their times; None is a time that the clocks skip."""
    zone = options.time_zone
    if zone is None:
        yield from ((row, row.time) for row in rows)
        return
    for hour, group in itertools.groupby(rows, lambda row: get_repeated_hour(row.time, zone)):
        passes = find_passes(list(group), options.time) if hour else ((row, 0) for row in group)
        for row, fold in passes:
            is_skipped = get_offset_change(row.time, zone) > timedelta(0)
            yield row, None if is_skipped else row.time.replace(tzinfo=zone, fold=fold)


def format_timestamp(time: datetime) -> str:
    return time.astimezone(timezone.utc).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


# Records


def split_names(header: list[str], text: str, separator: str) -> list[str]:
    """Splits names, unless a column has the whole text as its name."""
    return [text] if text in header else [name.strip() for name in text.split(separator)]


def find_columns(file: str, header: list[str], names: list[str]) -> list[str]:
    for name in names:
        if name == "" or name not in header:
            raise BadData(f"{file}: has no column {name!r}; the header is {header}")
    return names


class Columns(NamedTuple):
    time: list[str]
    counts: dict[str, list[str]]  # for each field, the columns to add up
    cameras: list[str]  # with --columns
    labels: list[str]


def choose_columns(file: str, header: list[str], options: Namespace) -> Columns:
    time = find_columns(file, header, split_names(header, options.time, ","))
    counts = {field: find_columns(file, header, split_names(header, text, "+")) for field, text in options.count}
    used = [*time, *itertools.chain.from_iterable(counts.values())]
    for column in filter(None, [options.camera, *options.skip]):
        used += find_columns(file, header, [column])
    for column, times in Counter(used).items():
        if times > 1:
            raise BadData(f"{file}: the options name the column {column!r} {times} times")
    others = [column for column in header if column and column not in used]
    if options.columns and not others:
        raise BadData(f"{file}: has no column of a camera; the header is {header}")
    return Columns(time, counts, others, options.skip if options.columns else others)


def read_observations(file: str, options: Namespace, names: dict[str, str], left_out: Counter) -> Iterator[Observation]:
    text = read_text(file, options.encoding)
    header, rows = read_json(file, text, options.list) if options.list else read_csv(file, text, options.separator)
    columns = choose_columns(file, header, options) if header else Columns([], {}, [], [])
    for row in rows:
        if not any(row.cells.values()):
            left_out["empty"] += 1
            continue
        time_text = " ".join(get_text(row, column) for column in columns.time)
        time = parse_time(time_text, options.time_format)
        if time is None:
            raise problem(row.where, options.time, time_text, f"is not a time in the format {options.time_format}")
        label = str([row.cells[column] for column in columns.labels]) if options.sum else ""
        for source, name, count_columns in list_cameras(file, row, columns, options):
            ref = require_camera_ref(row.where, source, name.strip(), names)
            counts = tuple(
                add_up(parse_count(row, column, options) for column in count_columns.get(field, []))
                for field in FIELDS
            )
            yield Observation(row.where, ref, time_text, time, label, counts)


def list_cameras(file: str, row: Row, columns: Columns, options: Namespace) -> list[tuple[str, str, dict]]:
    """Lists where the name of each camera in a row stands, the name, and the columns of its counts."""
    if options.columns:
        return [("column", name, {options.columns: [name]}) for name in columns.cameras]
    if options.camera_from_name:
        return [("file name", Path(file).stem, columns.counts)]
    return [(options.camera, get_text(row, options.camera), columns.counts)]


def read_cameras(options: Namespace, left_out: Counter) -> dict[str, list[Observation]]:
    """Returns the rows of each camera, oldest first if each file is sorted by time in either order."""
    names: dict[str, str] = {}
    cameras: dict[str, list[Observation]] = {}
    for file in options.files:
        in_file: dict[str, list[Observation]] = {}
        for row in read_observations(file, options, names, left_out):
            in_file.setdefault(row.camera_ref, []).append(row)
        for camera_ref, rows in in_file.items():
            if options.time_zone and is_newest_first(rows, options.time_zone):
                rows.reverse()
            cameras.setdefault(camera_ref, []).extend(rows)
    return cameras


def group_rows(options: Namespace, left_out: Counter) -> dict[tuple[str, str], list[Observation]]:
    """Groups the rows by timestamp and camera."""
    groups: dict[tuple[str, str], list[Observation]] = {}
    for camera_ref, rows in read_cameras(options, left_out).items():
        for row, time in localize(rows, options):
            if time is None:
                left_out["at a time that the clocks skip"] += 1
                continue
            try:
                timestamp = format_timestamp(time)
            except OverflowError:
                raise problem(row.where, options.time, row.time_text, "is not in the years 1 to 9999") from None
            group = groups.setdefault((timestamp, camera_ref), [])
            if group and not options.sum:
                message = f"is the time of camera {camera_ref!r} in {group[0].where}, too; --sum adds up such rows"
                raise problem(row.where, options.time, row.time_text, message)
            group.append(row)
    return groups


def create_records(options: Namespace, left_out: Counter) -> list[tuple]:
    """Creates the records, oldest first, so that their numbers stay the same when newer rows are added."""
    records: list[tuple] = []
    camera_pks: dict[str, int] = {}
    days = set()
    groups = group_rows(options, left_out)
    for timestamp, camera_ref in sorted(groups):
        rows = groups[timestamp, camera_ref]
        sums = [add_up(numbers) for numbers in zip(*(row.counts for row in rows))]
        is_missing = None in sums
        if is_missing and options.missing == "leave-out":
            left_out["without a count"] += len(rows)
            continue
        counts = [0 if is_missing else round_half_up(number) for number in sums]
        for field, count in zip(FIELDS, counts):
            if count > MAX_COUNT:
                raise problem(rows[0].where, field, count, f"is greater than {MAX_COUNT}")
        days.add(timestamp[:10])
        if len(days) > MAX_DAYS:
            raise problem(rows[0].where, options.time, rows[0].time_text, f"exceeds the limit of {MAX_DAYS} days")
        camera_pk = camera_pks.setdefault(camera_ref, len(camera_pks) + 1)
        camera_ok = "False" if is_missing else "True"
        records.append((len(records) + 1, camera_pk, camera_ref, timestamp, camera_ok, *counts, "tf1"))
    return records


def write_records(out: str, records: list[tuple]) -> None:
    """Writes a temporary file and renames it, so that `out` is never half-written."""
    target = os.path.realpath(out)
    temporary = f"{target}.{os.getpid()}.tmp"
    with open(temporary, "x", encoding="utf-8", newline="") as file:
        try:
            csv.writer(file, lineterminator="\n").writerows([HEADER, *records])
            file.close()
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise


# The command line


def parse_field_columns(text: str) -> tuple[str, str]:
    field, _, columns = text.partition("=")
    if field not in FIELDS or columns == "":
        raise ArgumentTypeError(f"{text!r} is not FIELD=COLUMN with one of the fields {', '.join(FIELDS)}")
    return field, columns


def parse_character(text: str) -> str:
    character = "\t" if text == "\\t" else text
    if len(character) != 1 or character.isalnum() or character in '"-\r\n':
        raise ArgumentTypeError(f"{text!r} is not one character that can separate")
    return character


def parse_encoding(text: str) -> str:
    try:
        "a".encode(text)
    except (LookupError, UnicodeError):
        raise ArgumentTypeError(f"{text!r} is not an encoding such as windows-1252") from None
    return codecs.lookup(text).name


def create_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("files", metavar="FILE", nargs="+", help="CSV with a header, or JSON with --list")
    camera = parser.add_mutually_exclusive_group(required=True)
    camera.add_argument("--camera", metavar="COLUMN", help="the column with the names of the cameras")
    camera.add_argument("--camera-from-name", action="store_true", help="a file for each camera, with its name")
    camera.add_argument("--columns", metavar="FIELD", choices=FIELDS, help="a column for each camera")
    add = parser.add_argument
    add("--time", metavar="COLUMN[,COLUMN]", required=True, help="columns are joined by a space")
    add("--time-format", metavar="FORMAT", type=parse_time_format, required=True, help="as for Python's strptime")
    add("--time-zone", metavar="ZONE", type=parse_zone, help="such as Europe/Berlin or UTC+01:00")
    count = add("--count", metavar="FIELD=COLUMN[+COLUMN]", type=parse_field_columns, action="append", default=[])
    count.help = f"the columns to add up for one of {', '.join(FIELDS)}"
    add("--out", metavar="FILE", required=True)
    add("--sum", action="store_true", help="add up rows with the same camera and time, such as lanes")
    add("--skip", metavar="COLUMN", action="append", default=[], help="with --columns: not a camera")
    add("--missing", choices=("leave-out", "failed"), default="leave-out", help="what rows without a count become")
    add("--missing-value", metavar="TEXT", type=str.strip, action="append", default=[], help="a cell without a count")
    add("--separator", metavar="CHARACTER", type=parse_character, default=",")
    add("--encoding", type=parse_encoding, default="utf-8")
    add("--decimal", choices=(".", ","), default=".")
    add("--thousands", metavar="CHARACTER", type=parse_character, help="the default is none")
    add("--list", metavar="NAME", help="read JSON with a list of this name")
    return parser


def parse_options() -> Namespace:
    parser = create_parser()
    options = parser.parse_args()
    options.thousands = options.thousands or ""
    fields = [field for field, _ in options.count]
    notation = (options.separator, options.decimal, options.thousands)
    paths = [os.path.realpath(file) for file in options.files]
    out = options.out
    has_offset = "z" in re.findall("%(.)", options.time_format)
    is_input = os.path.exists(out) and any(os.path.samefile(path, out) for path in paths if os.path.exists(path))
    for is_wrong, message in (
        (bool(fields) == bool(options.columns), "either --count or --columns is required"),
        (len(set(fields)) < len(fields), "--count has a field twice; join its columns with +"),
        (options.skip and not options.columns, "--skip needs --columns"),
        (options.list and notation != (",", ".", ""), "--list reads the notation of JSON"),
        (options.decimal == options.thousands, "--decimal and --thousands are equal"),
        (bool(options.time_zone) == has_offset, "either --time-zone or %z in the format is required"),
        (len(set(paths)) < len(paths), "a file is named twice"),
        (os.path.exists(out) and not os.path.isfile(out), f"--out {out} is not a file"),
        (is_input, f"--out {out} is one of the files to convert"),
    ):
        if is_wrong:
            parser.error(message)
    return options


def main() -> Optional[str]:
    """Returns the message of an error."""
    options = parse_options()
    left_out: Counter = Counter()
    try:
        records = create_records(options, left_out)
        reasons = ", ".join(f"{number} {reason}" for reason, number in left_out.items()) or "none"
        if not records:
            raise BadData(f"There is no record. Rows left out: {reasons}")
        write_records(options.out, records)
    except BadData as error:
        return f"{error}\nNothing was written."
    except OSError as error:
        return f"{error.filename or options.out}: {error.strerror}\nNothing was written."
    print(f"Wrote {len(records)} records to {options.out}. Rows left out: {reasons}")
    return None


if __name__ == "__main__":
    sys.exit(main())
