#!/usr/bin/env python3
"""Converts tables of traffic counts to records that `npm run data -- load` accepts.

    python3 examples/convert.py sensors.csv --camera site --time time --time-format '%Y-%m-%d %H:%M' \\
      --time-zone Europe/Berlin --count cars=cars+vans --count bicycles=bikes --out records.csv

It needs Python 3.9 and no packages, and stops at the first cell that it does not understand. A million rows take about 350 MB of
memory and half a minute.
"""

import argparse
import codecs
import contextlib
import csv
import gzip
import io
import itertools
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import unicodedata
import uuid
import zlib
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from datetime import datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Iterable, Iterator, NamedTuple, Optional, Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
HEADER = ("id", "camera_pk", "camera_ref", "timestamp", "camera_ok", *FIELDS, "model_name")

# What `load` accepts.
MAX_COUNT = 2**53 - 1
MAX_CAMERAS = MAX_DAYS = 100_000

Number = Union[int, Fraction]


class BadData(Exception):
    """Ends the conversion. The message says where and why."""


class Place(NamedTuple):
    """Where a row is: `sensors.csv:17`, or `sensors.json: report[16]`."""

    table: tuple[str, str]  # what stands before and after the number; the same object for all rows of a table
    number: int

    def __str__(self) -> str:
        return str(self.number).join(self.table)


class Row(NamedTuple):
    """A row for one camera. Only numbers and shared texts, because there can be millions."""

    seconds: int  # since 1970 in UTC
    camera_ref: str
    table: tuple[str, str]
    number: int
    cells_hash: int  # with --sum, for rows that are equal in all cells
    gaps: tuple[str, ...]  # the columns without a number
    counts: tuple[Number, ...]  # in the order of FIELDS, without the gaps

    @property
    def place(self) -> Place:
        return Place(self.table, self.number)


# The places and the cells of rows. Cells are text; in JSON also None, booleans, lists and objects.
Cells = Iterator[tuple[Place, list[Any]]]


def problem(where: object, column: str, value: Any, message: str) -> BadData:
    shown = repr(value)
    return BadData(f"{where}: {column} {shown if len(shown) <= 100 else shown[:99] + '…'} {message}")


# Files

FOREIGN_FILES = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet such as .xlsx; unpack it, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet such as .xls; save it as CSV",
    b"\xff\xfe": "UTF-16 text; use --encoding utf-16",
    b"\xfe\xff": "UTF-16 text; use --encoding utf-16",
}


def read_table(file: str, options: Namespace) -> tuple[list[str], Cells]:
    """Returns the header and the rows of a file."""
    data = Path(file).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise BadData(f"{file}: is a damaged gzip file: {error}") from None
    # Without the byte order mark that Windows writes.
    encoding = "utf-8-sig" if options.encoding == "utf-8" else options.encoding
    require_text(file, data, encoding)
    source = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
    return read_json(file, source, options.list) if options.list else read_csv(file, source, options.separator)


def require_text(file: str, data: bytes, encoding: str) -> None:
    for start, kind in FOREIGN_FILES.items():
        if data.startswith(start) and not encoding.startswith("utf-16"):
            raise BadData(f"{file}: is {kind}")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = data[max(0, error.start - 10) : error.start + 10]
        hint = "" if encoding == "cp1252" else "; try --encoding windows-1252"
        message = f"byte {error.start + 1} of the file, in {shown!r}, is not {error.encoding}{hint}"
        raise BadData(f"{file}:{line}: {message}") from None
    if encoding in ("utf-16", "utf-32") and not data.startswith((codecs.BOM_UTF16, codecs.BOM_UTF16_BE)):
        raise BadData(f"{file}: has no byte order mark; use --encoding {encoding}-le or {encoding}-be")
    if text[:100].lstrip().startswith("<"):
        raise BadData(f"{file}: is HTML or XML, not a table")
    if not data.isascii() and not encoding.startswith("utf"):
        with contextlib.suppress(UnicodeDecodeError):
            data.decode("utf-8")
            raise BadData(f"{file}: is UTF-8, not {encoding}")


def read_csv(file: str, source: IO[str], separator: str) -> tuple[list[str], Cells]:
    rows = read_rows(file, source, separator)
    place, header = next((found for found in rows if any(found[1])), (None, []))
    if not header:
        raise BadData(f"{file}: is empty; the first row must be a header")
    while not header[-1]:
        header.pop()
    for name, times in Counter(header).items():
        if name and times > 1:
            raise problem(place, "the column", name, f"is {times} times in the header")
    return header, rows


def read_rows(file: str, source: IO[str], separator: str) -> Cells:
    """Yields the line in which each row starts, and its cells without spaces at both ends."""
    reader = csv.reader(source, delimiter=separator, strict=True, skipinitialspace=separator != " ")
    table = (f"{file}:", "")
    line = 1
    try:
        for cells in reader:
            yield Place(table, line), [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadData(f"{file}:{line}: the cells of this row cannot be separated: {error}") from None


def read_json(file: str, source: IO[str], path: str) -> tuple[list[str], Cells]:
    # Numbers stay text, so that camera 9000000012 keeps its name, and 0.1 is exact.
    as_text = {"parse_int": str, "parse_float": str, "parse_constant": str}
    try:
        document = json.load(source, object_pairs_hook=create_object, **as_text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{file}: is not valid JSON: {error}") from None
    items = find_list(document, path)
    if not isinstance(items, list):
        lists = ", ".join(itertools.islice(list_paths(document), 10)) or "none"
        raise BadData(f"{file}: has no list {path!r}; its lists are: {lists}")
    table = (f"{file}: {'' if path == '.' else path}[", "]")
    places = [Place(table, index) for index in range(len(items))]
    for place, item in zip(places, items):
        if not isinstance(item, dict):
            raise problem(place, "the item", item, "is not an object")
    header = list(dict.fromkeys(itertools.chain.from_iterable(items)))
    return header, ((place, [item.get(key) for key in header]) for place, item in zip(places, items))


def create_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise ValueError(f"an object has {times} values named {name!r}")
    return {name: value.strip() if isinstance(value, str) else value for name, value in pairs}


def find_list(value: Any, path: str) -> Any:
    """Follows a path such as result.records. A whole name comes before its parts."""
    if path == ".":
        return value
    if not isinstance(value, dict) or path in value:
        return value.get(path) if isinstance(value, dict) else None
    first, _, rest = path.partition(".")
    return find_list(value.get(first), rest) if rest else None


def list_paths(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, list):
        yield path or "."
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from list_paths(inner, f"{path}.{name}" if path else name)


# Cells


def get_text(where: str, column: str, value: Any) -> str:
    if value is None or value == "":
        raise problem(where, column, value, "is empty")
    if not isinstance(value, str):
        raise problem(where, column, value, "is not text or a number")
    return value


@lru_cache(maxsize=100_000)
def parse_number(text: str, decimal: str, thousands: str) -> Optional[Number]:
    whole = f"[0-9]{{1,3}}({re.escape(thousands)}[0-9]{{3}})+|[0-9]+" if thousands else "[0-9]+"
    if len(text) > 50 or not re.fullmatch(f"({whole})({re.escape(decimal)}[0-9]+)?", text):
        return None
    plain = text.replace(thousands, "").replace(decimal, ".")
    return Fraction(plain) if "." in plain else int(plain)


def parse_count(where: str, column: str, value: Any, options: Namespace) -> Optional[Number]:
    """Returns None for a gap."""
    if value is None or value == "" or value in options.missing_value:
        return None
    decimal, thousands = options.decimal, options.thousands
    number = parse_number(value, decimal, thousands) if isinstance(value, str) else None
    if number is None:
        is_negative = isinstance(value, str) and value.startswith("-")
        hint = f"; does it need --missing-value={value}?" if is_negative else ""
        raise problem(where, column, value, f"is not a number such as 1{thousands}234{decimal}5{hint}")
    return number


def round_half_up(number: Number) -> int:
    return int((2 * number + 1) // 2)


# Letters and marks without a shape: Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def require_camera_ref(where: Place, column: str, name: str, names: dict[str, str]) -> str:
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

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FREE_PATTERNS = {"f": "[0-9]+", "z": "Z|[+-][0-9:.]+"}
DIGITS = {"Y": 4, "y": 2, "m": 2, "d": 2, "j": 3, "H": 2, "I": 2, "M": 2, "S": 2, "f": 6}

REPEATED = "at a time that the clocks repeat"
SKIPPED = "at a time that the clocks skip"


def list_codes(time_format: str) -> list[str]:
    return re.findall("%(.?)", time_format, re.DOTALL)


def has_hour(time_format: str) -> bool:
    return bool({"H", "I"} & set(list_codes(time_format)))


def parse_time_format(text: str) -> str:
    """Refuses a format whose times could be misunderstood."""
    found = list_codes(text)
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
    pattern = ""
    for part in re.findall(r"(?:%[YymdjHIMSf])+|%.|\s+|.", time_format):
        if part.isspace():
            pattern += r"\s+"
        elif part[0] != "%" or part == "%%":
            pattern += re.escape(part[-1])
        elif len(part) > 2:
            pattern += "".join(f"(?P<{code}>[0-9]{{{DIGITS[code]}}})" for code in part[1::2])
        else:
            pattern += f"(?P<{part[1]}>{FREE_PATTERNS.get(part[1], '.+?')})"
    return re.compile(pattern, re.IGNORECASE)


def parse_time(text: str, time_format: str, is_end: bool) -> Optional[datetime]:
    """Reads what strptime does, and also +01 as an offset, up to nine decimals, and 24:00 as the end of a day."""
    match = compile_time_format(time_format).fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    is_midnight = is_end and parts.get("H") == "24"
    changes = {
        "H": "00" if is_midnight else parts.get("H"),
        "z": re.sub("^[+-][0-9]{2}$", r"\g<0>00", parts.get("z") or ""),
        "f": re.sub("^([0-9]{6})[0-9]{1,3}$", r"\1", parts.get("f") or ""),
    }
    for code in sorted(changes.keys() & parts.keys(), key=match.start, reverse=True):
        text = text[: match.start(code)] + changes[code] + text[match.end(code) :]
    try:
        time = datetime.strptime(text, time_format)
    except ValueError:
        return None
    # strptime ignores a wrong day of the week.
    is_other_day = parts.keys() & {"a", "A"} and f"{time:%a}".lower() not in text.lower()
    is_after_midnight = is_midnight and (time.minute, time.second, time.microsecond) != (0, 0, 0)
    if is_other_day or is_after_midnight:
        return None
    return time + timedelta(days=1) if is_midnight else time


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
def get_seconds(text: str, time_format: str, zone: Optional[tzinfo], interval: Optional[int]) -> Union[int, str]:
    """Returns the seconds since 1970 in UTC, or the reason why the row is left out. Raises ValueError."""
    time = parse_time(text, time_format, is_end=interval is not None)
    if time is None:
        raise ValueError(f"is not a time in the format {time_format}")
    try:
        time -= timedelta(minutes=interval or 0)
        if zone:
            time = time.replace(tzinfo=zone)
            change = time.replace(fold=1).utcoffset() - time.utcoffset()
            # A day begins at its first instant: the first midnight of two, or 01:00 if the clocks skip midnight.
            if change and has_hour(time_format):
                return REPEATED if change < timedelta(0) else SKIPPED
        return (time.astimezone(timezone.utc) - EPOCH) // timedelta(seconds=1)
    except OverflowError:
        raise ValueError("is not in the years 1 to 9999") from None


def format_timestamp(seconds: int) -> str:
    return (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat() + "Z"


# Rows


class Columns(NamedTuple):
    """The indexes of the columns that the options name."""

    time: list[int]
    camera: list[int]
    counts: dict[str, list[int]]  # for each field, the columns to add up
    cameras: list[int]  # with --columns


def find_columns(file: str, header: list[str], text: str, separator: str = "") -> list[int]:
    """Finds a column, or else the columns whose names are joined by the separator."""
    is_whole = text in header or separator == ""
    names = [text] if is_whole else [name.strip() for name in text.split(separator)]
    for name in names:
        if name == "" or name not in header:
            raise BadData(f"{file}: has no column {name!r}; the header is {header}")
    return [header.index(name) for name in names]


def choose_columns(file: str, header: list[str], options: Namespace) -> Columns:
    time = find_columns(file, header, options.time, ",")
    camera = find_columns(file, header, options.camera) if options.camera else []
    counts: dict[str, list[int]] = {}
    for field, text in options.count:
        counts.setdefault(field, []).extend(find_columns(file, header, text, "+"))
    skipped = [find_columns(file, header, name) for name in options.skip]
    used = list(itertools.chain(time, camera, *counts.values(), *skipped))
    for index, times in Counter(used).items():
        if times > 1:
            raise BadData(f"{file}: the options name the column {header[index]!r} {times} times")
    others = [index for index, name in enumerate(header) if name and index not in used]
    if options.columns and not others:
        raise BadData(f"{file}: has no column of a camera; the header is {header}")
    return Columns(time, camera, counts, others)


class Reading:
    """What was read from all files."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.names: dict[str, str] = {}  # of the cameras, by camera_ref
        self.reported: dict[str, set[str]] = {}  # the columns in which a camera has a number
        self.left_out: Counter = Counter()  # rows, by reason
        self.clock_reasons: dict[str, str] = {}  # with the first row


def read_files(options: Namespace) -> Reading:
    reading = Reading()
    for file in options.files:
        header, rows = read_table(file, options)
        # An empty list in JSON has no columns.
        if header:
            add_rows(file, header, rows, reading, options)
    return reading


def add_rows(file: str, header: list[str], rows: Cells, reading: Reading, options: Namespace) -> None:
    columns = choose_columns(file, header, options)
    for place, cells in rows:
        if not any(cells):
            reading.left_out["empty"] += 1
            continue
        for number, cell in enumerate(cells):
            if cell and (number >= len(header) or not header[number]):
                raise problem(place, f"cell {number + 1}", cell, "is in a column without a name")
        # Spreadsheets leave out empty cells at the end of a row.
        cells += [""] * (len(header) - len(cells))
        text = " ".join(get_text(place, header[index], cells[index]) for index in columns.time)
        try:
            time = get_seconds(text, options.time_format, options.time_zone, options.interval_end)
        except ValueError as error:
            raise problem(place, options.time, text, str(error)) from None
        if isinstance(time, str):
            reason = f"{time}, such as {place} {text!r}; with UTC or an offset (%z) they can be kept"
            reading.left_out[reading.clock_reasons.setdefault(time, reason)] += 1
            continue
        cells_hash = hash(repr(cells)) if options.sum else 0
        for source, name, count_columns in list_cameras(file, header, place, cells, columns, options):
            # One object for all rows, because of the memory.
            camera_ref = sys.intern(require_camera_ref(place, source, name.strip(), reading.names))
            reported = reading.reported.setdefault(camera_ref, set())
            gaps, counts = read_counts(place, header, cells, count_columns, reported, options)
            reading.rows.append(Row(time, camera_ref, *place, cells_hash, gaps, counts))


def list_cameras(
    file: str, header: list[str], place: Place, cells: list[Any], columns: Columns, options: Namespace
) -> list[tuple[str, str, dict[str, list[int]]]]:
    """Lists where the name of each camera in a row stands, the name, and the columns of its counts."""
    if options.columns:
        return [("column", header[index], {options.columns: [index]}) for index in columns.cameras]
    if options.camera_from_name:
        return [("file name", Path(file.removesuffix(".gz")).stem, columns.counts)]
    return [(options.camera, get_text(place, options.camera, cells[columns.camera[0]]), columns.counts)]


def read_counts(
    place: Place, header: list[str], cells: list[Any], columns: dict[str, list[int]], reported: set[str], options: Namespace
) -> tuple[tuple[str, ...], tuple[Number, ...]]:
    """Returns the gaps and the counts. Adds the columns that have a number to `reported`."""
    gaps = []
    counts: dict[str, Number] = dict.fromkeys(FIELDS, 0)
    for field, indexes in columns.items():
        for index in indexes:
            number = parse_count(place, header[index], cells[index], options)
            if number is None:
                gaps.append(header[index])
            else:
                counts[field] += number
                reported.add(header[index])
    return tuple(gaps), tuple(counts.values())


# Records


def describe(left_out: Counter) -> str:
    return ", ".join(f"{rows} {reason}" for reason, rows in left_out.items()) or "none"


def create_records(reading: Reading, options: Namespace) -> Iterator[tuple]:
    """Yields the records, oldest first, so that their numbers stay the same when newer rows are added."""
    camera_pks: dict[str, int] = {}
    days = set()
    ids = itertools.count(1)
    reading.rows.sort()
    for (seconds, camera_ref), group in itertools.groupby(reading.rows, key=lambda row: row[:2]):
        rows = list(group)
        if len(rows) > 1:
            require_parts(rows, options)
        # A column in which the camera never has a number is like a missing column.
        reported = reading.reported[camera_ref]
        is_missing = not reported or any(gap in reported for row in rows for gap in row.gaps)
        if is_missing and options.missing == "leave-out":
            reading.left_out["without a count"] += len(rows)
            continue
        counts = [0 if is_missing else round_half_up(sum(numbers)) for numbers in zip(*(row.counts for row in rows))]
        for field, count in zip(FIELDS, counts):
            if count > MAX_COUNT:
                raise problem(rows[0].place, field, count, f"is greater than {MAX_COUNT}")
        timestamp = format_timestamp(seconds)
        days.add(timestamp[:10])
        if len(days) > MAX_DAYS:
            raise BadData(f"{rows[0].place}: exceeds the limit of {MAX_DAYS} days")
        camera_pk = camera_pks.setdefault(camera_ref, len(camera_pks) + 1)
        yield next(ids), camera_pk, camera_ref, timestamp, "False" if is_missing else "True", *counts, "tf1"
    if not camera_pks:
        raise BadData(f"There is no record. Rows left out: {describe(reading.left_out)}")


def require_parts(rows: list[Row], options: Namespace) -> None:
    """Checks that several rows of one camera and time can be added up."""
    if not options.sum:
        raise BadData(
            f"{rows[1].place} and {rows[0].place} are both of camera {rows[0].camera_ref!r} at"
            f" {format_timestamp(rows[0].seconds)}. Use --sum if they are parts of one count, such as lanes,"
            " or --interval-end if times are the ends of intervals"
        )
    known: dict[int, Row] = {}
    for row in rows:
        other = known.setdefault(row.cells_hash, row)
        if other.table is not row.table:
            raise BadData(f"{row.place} and {other.place} are equal in all cells; do the files overlap?")


# Output


def write_records(out: str, records: Iterator[tuple]) -> int:
    """Writes a temporary file first, so that the output never has a part of the records. Returns their number."""
    if out == "-":
        with tempfile.TemporaryFile() as file:
            number = write_csv(file, records)
            file.seek(0)
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.flush()
        return number
    target = os.path.realpath(out)
    temporary = f"{target}.{uuid.uuid4().hex}.tmp"
    try:
        with open(temporary, "xb") as file:
            number = write_csv(file, records)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return number


def write_csv(file: IO[bytes], records: Iterator[tuple]) -> int:
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    number = 0
    for number, record in enumerate(records, 1):
        writer.writerow(record)
    # Keeps the file open.
    text.detach()
    return number


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
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="CSV with a header, or JSON with --list; also gzipped")
    camera = parser.add_mutually_exclusive_group(required=True)
    camera.add_argument("--camera", metavar="COLUMN", help="the column with the names of the cameras")
    camera.add_argument("--camera-from-name", action="store_true", help="a file for each camera, with its name")
    camera.add_argument("--columns", metavar="FIELD", choices=FIELDS, help="a column for each camera")
    add = parser.add_argument
    add("--time", metavar="COLUMN[,COLUMN]", required=True, help="columns are joined by a space")
    add("--time-format", metavar="FORMAT", type=parse_time_format, required=True, help="as for Python's strptime")
    add("--time-zone", metavar="ZONE", type=parse_zone, help="such as Europe/Berlin or UTC+01:00")
    add("--interval-end", metavar="MINUTES", type=int, help="the times are the ends of intervals this long")
    count = add("--count", metavar="FIELD=COLUMN[+COLUMN]", type=parse_field_columns, action="append", default=[])
    count.help = f"the columns to add up for one of {', '.join(FIELDS)}; can be repeated"
    add("--out", metavar="FILE", required=True, help="- is standard output")
    add("--sum", action="store_true", help="add up rows with the same camera and time, such as lanes")
    add("--skip", metavar="COLUMN", action="append", default=[], help="with --columns: not a camera")
    add("--missing", choices=("leave-out", "failed"), default="leave-out", help="what rows without a count become")
    add("--missing-value", metavar="TEXT", type=str.strip, action="append", default=[], help="a cell without a count")
    add("--separator", metavar="CHARACTER", type=parse_character, default=",")
    add("--encoding", type=parse_encoding, default="utf-8")
    add("--decimal", choices=(".", ","), default=".")
    add("--thousands", metavar="CHARACTER", type=parse_character, help="the default is none")
    add("--list", metavar="PATH", help="read JSON with a list at this path, such as result.records; . is the document")
    return parser


def parse_options() -> Namespace:
    parser = create_parser()
    options = parser.parse_args()
    options.thousands = options.thousands or ""
    notation = (options.separator, options.decimal, options.thousands)
    paths = [os.path.realpath(file) for file in options.files]
    out = options.out
    exists = out != "-" and os.path.exists(out)
    is_input = exists and any(os.path.samefile(path, out) for path in paths if os.path.exists(path))
    for is_wrong, message in (
        (bool(options.count) == bool(options.columns), "either --count or --columns is required"),
        (options.skip and not options.columns, "--skip needs --columns"),
        (options.interval_end not in (None, *range(1, 1441)), "--interval-end is 1 to 1440 minutes"),
        (options.interval_end and not has_hour(options.time_format), "--interval-end needs an hour in the format"),
        (options.list and notation != (",", ".", ""), "--list reads the notation of JSON"),
        (options.decimal == options.thousands, "--decimal and --thousands are equal"),
        (bool(options.time_zone) == ("z" in list_codes(options.time_format)), "either --time-zone or %z in the format is required"),
        (len(set(paths)) < len(paths), "a file is named twice"),
        (exists and not os.path.isfile(out), f"--out {out} is not a file"),
        (is_input, f"--out {out} is one of the files to convert"),
    ):
        if is_wrong:
            parser.error(message)
    return options


def convert(options: Namespace) -> None:
    reading = read_files(options)
    number = write_records(options.out, create_records(reading, options))
    # Standard output may have the records.
    report = sys.stderr if options.out == "-" else sys.stdout
    print(f"Wrote {number} records to {options.out}. Rows left out: {describe(reading.left_out)}", file=report)


def main() -> Union[int, str]:
    """Returns the exit status, or the message of an error."""
    # A redirected output can have an encoding without some characters of a name.
    sys.stdout.reconfigure(errors="backslashreplace")
    # An exception, so that the temporary file goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = parse_options()
    try:
        convert(options)
        return 0
    except BadData as error:
        return f"{error}\nNothing was written."
    except BrokenPipeError:
        # Python would write to the closed pipe once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return f"{error.filename or options.out}: {error.strerror}\nNothing was written."
    except MemoryError:
        return "There is too little memory for these files.\nNothing was written."
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
