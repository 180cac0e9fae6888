#!/usr/bin/env python3
"""Converts tables of traffic counts to records that `npm run data -- load` accepts.

    python3 examples/convert.py sensors.csv --camera site --time time --time-format '%Y-%m-%d %H:%M' \\
      --time-zone Europe/Berlin --count cars=cars+vans --count bicycles=bikes --out records.csv

It needs Python 3.9 and no packages. It never guesses, and stops at the first cell that it does not understand.
A million rows of CSV take about 350 MB of memory, or up to twice as much with --sum and decimals.
"""

import argparse
import codecs
import csv
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import unicodedata
import uuid
import zlib
from argparse import ArgumentTypeError, Namespace
from collections import defaultdict
from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal, getcontext
from functools import lru_cache, partial
from itertools import chain, groupby, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional, Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
HEADER = ("id", "camera_pk", "camera_ref", "timestamp", "camera_ok", *FIELDS, "model_name")

MAX_COUNT = 2**53 - 1  # as in `load`
getcontext().prec = 100  # sums of decimals are exact, because a number has at most 50 characters

# Why rows are left out, and where the first one is.
EMPTY = "empty, such as {}"
UNCOUNTED = "without a count, such as {}"
REPEATED = "at a time that the clocks repeat, such as {}; with UTC or an offset (%z) they can be kept"
SKIPPED = "at a time that the clocks skip, such as {}; if the clocks never change, use an offset such as UTC+01:00"

Number = Union[int, Decimal]
Cells = dict[str, Any]  # by column: text; in JSON also None, booleans, lists and objects
Columns = dict[str, list[str]]  # by field: the columns to add up
LeftOut = defaultdict[str, list[str]]  # by reason: the places of the rows
Rows = Iterator[tuple[int, list[Any]]]  # each with its line, or its position in a list of JSON


class BadData(Exception):
    """Ends the conversion. The message says where and why."""


class Part(NamedTuple):
    """What a row says about a camera: numbers, and texts that rows share, because there may be millions."""

    time: int  # in seconds since 1970
    camera_ref: str
    file: str
    number: int  # of the line, or the position in a list of JSON
    cells_hash: int  # with --sum
    counts: tuple[Optional[Number], ...]  # for each of FIELDS


def problem(column: str, value: Any, message: str) -> BadData:
    shown = repr(value)
    return BadData(f"{column} {shown if len(shown) <= 100 else shown[:99] + '…'} {message}")


def locate(file: str, number: int, options: Namespace) -> str:
    return f"{file}: {options.list}[{number}]" if options.list else f"{file}:{number}"


# Files

FOREIGN_FILES = {
    rb"PK\x03\x04": "is a ZIP archive or a spreadsheet such as .xlsx; unpack it, or save it as CSV",
    rb"\xd0\xcf\x11\xe0": "is an old spreadsheet such as .xls; save it as CSV",
    rb"(\xef\xbb\xbf)?\s*<[!?a-zA-Z]": "is HTML or XML; download the table as CSV or JSON",
}


def read_text(file: str, encoding: str) -> str:
    data = Path(file).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise BadData(f"{file}: is a damaged gzip file: {error}") from None
    for start, message in FOREIGN_FILES.items():
        if re.match(start, data):
            raise BadData(f"{file}: {message}")
    is_utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data
    if is_utf_16 and not encoding.startswith(("utf-16", "utf-32")):
        raise BadData(f"{file}: is UTF-16 text, or no text; try --encoding utf-16")
    if not data.isascii() and not encoding.startswith("utf"):
        with suppress(UnicodeDecodeError):
            data.decode("utf-8")
            raise BadData(f"{file}: is UTF-8, not {encoding}; leave out --encoding")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = data[max(0, error.start - 10) : error.start + 10]
        advice = "" if encoding == "cp1252" else "; try --encoding windows-1252"
        raise BadData(f"{file}:{line}: {shown} is not {encoding}{advice}") from None
    except UnicodeError as error:
        raise BadData(f"{file}: is not {encoding}: {error}") from None


def read_csv(file: str, text: str, separator: str) -> tuple[list[str], Rows]:
    rows = read_csv_rows(file, text, separator)
    header = next((cells for _, cells in rows if any(cells)), [])
    if not header:
        raise BadData(f"{file}: is empty; the first row must be a header")
    return header, rows


def read_csv_rows(file: str, text: str, separator: str) -> Rows:
    """Yields the line in which each row starts, and its cells without spaces at both ends."""
    # io.StringIO would take four times the memory of the text.
    lines = (found[0] for found in re.finditer(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text))
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != " ")
    line = 1
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadData(f"{file}:{line}: the cells of this row cannot be separated: {error}") from None


def read_json(file: str, text: str, path: str) -> tuple[list[str], Rows]:
    # Numbers stay text, so that camera 9000000012 keeps its name, and 0.1 is exact.
    as_text = {"parse_int": str, "parse_float": str, "parse_constant": str}
    try:
        lists = dict(find_lists(json.loads(text, object_pairs_hook=create_object, **as_text)))
    except (ValueError, RecursionError) as error:
        raise BadData(f"{file}: is not valid JSON: {error}") from None
    if path not in lists:
        raise BadData(f"{file}: has no list of objects {path!r}; its lists are {list(lists)[:20]}")
    header = list(dict.fromkeys(chain.from_iterable(lists[path])))
    return header, enumerate([item.get(key) for key in header] for item in lists[path])


def find_lists(value: Any, path: str = "") -> Iterator[tuple[str, list[Cells]]]:
    """Yields the lists of objects in a document, with paths such as result.records, or `.` for the document itself."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        yield path or ".", value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from find_lists(item, f"{path}.{key}" if path else key)


def create_object(pairs: list[tuple[str, Any]]) -> Cells:
    cells = {name: value.strip() if isinstance(value, str) else value for name, value in pairs}
    if len(cells) < len(pairs):
        raise ValueError(f"an object has a name twice: {[name for name, _ in pairs]}")
    return cells


# Columns


def name_cells(header: list[str], cells: list[Any]) -> Cells:
    """Adds the empty cells at the end of a row that spreadsheets leave out."""
    nameless = [cell for name, cell in zip_longest(header, cells, fillvalue="") if cell and not name]
    if nameless:
        raise problem("the cell", nameless[0], "is in a column without a name")
    return dict(zip_longest(header, cells[: len(header)], fillvalue=""))


def split_names(header: list[str], text: str, separator: str) -> list[str]:
    """Splits names, unless a column has the whole text as its name."""
    return [text] if text in header else [name.strip() for name in text.split(separator)]


def choose_columns(file: str, header: list[str], options: Namespace) -> tuple[list[str], dict[str, Columns]]:
    """Returns the columns of the time, and the columns of the counts of each camera. If a column has the names of the
    cameras, it stands for all of them."""
    time = split_names(header, options.time, ",")
    counts: Columns = {}
    for field, text in options.count:
        counts.setdefault(field, []).extend(split_names(header, text, "+"))
    camera = [options.camera] if options.camera else []
    named = [*time, *chain(*counts.values()), *camera, *options.skip]
    others = [name for name in header if name and name not in named] if options.columns else []
    for column in [*named, *others]:
        if column == "" or column not in header:
            advice = "; see --separator, and --list for JSON" if len(header) == 1 else ""
            raise BadData(f"{file}: has no column {column!r}; the header is {header}{advice}")
        if header.count(column) > 1 or named.count(column) > 1:
            raise BadData(f"{file}: the header or the options name the column {column!r} more than once")
    if options.columns:
        return time, {name: {options.columns: [name]} for name in others}
    return time, {options.camera or Path(file.removesuffix(".gz")).stem.strip(): counts}


# Cells


def get_text(cells: Cells, column: str) -> str:
    value = cells[column]
    if not isinstance(value, str) or value == "":
        raise problem(column, value, "is empty, or is not text or a number")
    return value


@lru_cache(maxsize=10_000)
def parse_number(text: str, decimal: str, thousands: str) -> Optional[Number]:
    """Returns None if the text is not a number."""
    groups = f"|[0-9]{{1,3}}({re.escape(thousands)}[0-9]{{3}})+" if thousands else ""
    if len(text) > 50 or not re.fullmatch(f"([0-9]+{groups})({re.escape(decimal)}[0-9]+)?", text):
        return None
    plain = text.replace(thousands, "").replace(decimal, ".")
    return Decimal(plain) if "." in plain else int(plain)


def parse_count(cells: Cells, column: str, options: Namespace) -> Optional[Number]:
    """Returns None for a missing count."""
    value = cells[column]
    if value is None or value == "" or value in options.missing_value:
        return None
    number = parse_number(value, options.decimal, options.thousands) if isinstance(value, str) else None
    if number is None:
        example = f"1{options.thousands}234{options.decimal}5"
        advice = f"see --decimal and --thousands, or --missing-value={shlex.quote(str(value)[:50])}"
        raise problem(column, value, f"is not a number such as {example}; {advice}")
    return number


def round_half_up(number: Number) -> int:
    return int((2 * number + 1) // 2)


def read_counts(cells: Cells, columns: Columns, reported: set[str], options: Namespace) -> tuple[Optional[Number], ...]:
    """Returns a count, or None, for each of FIELDS. Adds the fields with a number in any column to `reported`."""
    counts: dict[str, Optional[Number]] = dict.fromkeys(FIELDS)
    for field, names in columns.items():
        numbers = [parse_count(cells, name, options) for name in names]
        if numbers.count(None) < len(numbers):
            reported.add(field)
        if None not in numbers:
            counts[field] = sum(numbers) if options.sum else round_half_up(sum(numbers))
    return tuple(counts.values())


# Letters and marks without a shape: Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def create_camera_ref(column: str, name: str, names: dict[str, str]) -> str:
    """Shortens a name, and rejects what `load` would reject, and all invisible characters, even in an emoji.
    `names` has the names of all cameras so far, by camera_ref."""
    ref = sys.intern(name if len(name) <= 64 else f"{name[:40]}…{name[-23:]}")
    if ref not in names:
        if ref == "" or unicodedata.normalize("NFKC", ref[0])[0] in "=+-@":
            raise problem(column, ref, "is empty, or begins like a spreadsheet formula")
        for character in ref:
            if BLANK.match(character) or re.match("C|Zl|Zp", unicodedata.category(character)):
                raise problem(column, ref, f"contains the invisible character U+{ord(character):04X}")
        names[ref] = name
    if names[ref] != name:
        raise problem(column, name, f"is shortened to {ref!r}, as another camera is: {names[ref]!r}")
    return ref


# Times

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def parse_time_format(text: str) -> str:
    """Refuses a format whose times could be misunderstood. For example, strptime would ignore AM and PM beside %H."""
    order = "aAYymbBdjHIMSfpz"
    directives = [found for found in re.findall("%(.?)", text, re.DOTALL) if found != "%"]
    ordered = "".join(sorted(directives, key=order.find))
    is_complete = re.fullmatch("[aA]?[Yy]([mbB]d|j)(H(M(Sf?)?)?|I(M(Sf?)?)?p)?z?", ordered)
    has_late_number = re.search("%[fz].*%[YymdjHIMS]", text)
    if not is_complete or has_late_number:
        raise ArgumentTypeError(f"{text!r} is not like %d.%m.%Y, %m/%d/%y %I:%M %p or %Y-%m-%dT%H:%M:%S.%f%z")
    return text


def list_numbers(text: str) -> list[str]:
    """Lists the numbers in a text so that 2 equals 02."""
    return [number.zfill(3) for number in re.findall("[0-9]+", text)]


def parse_time(text: str, time_format: str) -> Optional[datetime]:
    """Parses what strptime does, without its guesses, and also nine decimals of a second, and offsets such as +01."""
    text = re.sub("([.,][0-9]{6})[0-9]{1,3}", r"\1", text)
    if time_format.endswith("%z"):
        text = re.sub("[+-][0-9]{2}$", r"\g<0>00", text)
    try:
        time = datetime.strptime(text, time_format)
        expected = list_numbers(time.strftime(re.sub("%[fz]", "", time_format)))
    except ValueError:
        return None
    # strptime guesses the lengths of numbers without separators (is 1112025 in January?), and ignores a wrong weekday.
    has_other_numbers = list_numbers(text)[: len(expected)] != expected
    has_other_weekday = re.search("%[aA]", time_format) and f"{time:%a}".lower() not in text.lower()
    return None if has_other_numbers or has_other_weekday else time


def parse_end(text: str, time_format: str) -> Optional[datetime]:
    """Parses the end of an interval, which can be 24:00."""
    time = parse_time(text, time_format)
    if time:
        return time
    day = parse_time(text, time_format.replace("%H", "24"))
    is_24_00 = day is not None and day.time() == datetime.min.time()
    return day + timedelta(days=1) if is_24_00 else None


def parse_zone(text: str) -> tzinfo:
    """Parses a name such as Europe/Berlin, or an offset such as UTC+01:00."""
    try:
        return datetime.strptime(text, "UTC%z").tzinfo if re.match("UTC[+-]", text) else ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        examples = "Europe/Berlin (on Windows, after pip install tzdata) or UTC+01:00"
        raise ArgumentTypeError(f"{text!r} is not a time zone such as {examples}") from None


def find_instants(time: datetime, zone: tzinfo) -> list[datetime]:
    """Finds when the clocks show a time: never if they skip it, twice if they repeat it."""
    found = {time.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1)}
    return sorted(instant for instant in found if instant.astimezone(zone).replace(tzinfo=None) == time)


def find_start(options: Namespace, text: str) -> Union[int, str]:
    """Returns when the interval of a row starts, in seconds since 1970, or why the row is left out."""
    zone, time_format = options.time_zone, options.time_format
    is_day = not re.search("%[HI]", time_format)
    try:
        end = parse_end(text, time_format) if options.interval_end else parse_time(text, time_format)
        if end is None:
            raise problem(options.time, text, f"is not a time in the format {time_format}")
        start = end - timedelta(minutes=options.interval_end)
        instants = find_instants(start, zone) if zone else [start.astimezone(timezone.utc)]
        if is_day:
            # A day can begin at 01:00, or with the first of two midnights.
            instants = instants[:1] or find_instants(start + timedelta(hours=1), zone)
        # In the repeated hour, two intervals can have one end. --sum would take them for parts of one count.
        is_shared_end = not is_day and zone is not None and options.sum and len(find_instants(end, zone)) > 1
    except OverflowError:
        raise problem(options.time, text, "is not in the years 1 to 9999") from None
    if not instants:
        return SKIPPED
    if len(instants) > 1 or is_shared_end:
        return REPEATED
    return (instants[0] - EPOCH) // timedelta(seconds=1)


# Records


def describe(left_out: LeftOut) -> str:
    return "".join(f"\nRows left out: {len(places)} {reason.format(places[0])}" for reason, places in left_out.items())


def read_parts(options: Namespace, reported: dict[str, set[str]], left_out: LeftOut) -> Iterator[Part]:
    """Reads all files. Adds the fields that each camera ever reports to `reported`."""
    names: dict[str, str] = {}  # of the cameras, by camera_ref
    find = lru_cache(maxsize=100_000)(partial(find_start, options))
    for file in options.files:
        text = read_text(file, options.encoding)
        header, rows = read_json(file, text, options.list) if options.list else read_csv(file, text, options.separator)
        # An empty list in JSON has no columns.
        time_columns, cameras = choose_columns(file, header, options) if header else ([], {})
        for number, row in rows:
            place = locate(file, number, options)
            if not any(row):
                left_out[EMPTY].append(place)
                continue
            try:
                cells = name_cells(header, row)
                time_text = " ".join([get_text(cells, column) for column in time_columns])
                time = find(time_text)
                if isinstance(time, str):
                    left_out[time].append(f"{place} {time_text!r}")
                    continue
                cells_hash = hash(str(sorted(cells.items()))) if options.sum else 0
                for camera, columns in cameras.items():
                    name = get_text(cells, camera) if options.camera else camera
                    ref = create_camera_ref(options.camera or "camera", name, names)
                    counts = read_counts(cells, columns, reported.setdefault(ref, set()), options)
                    yield Part(time, ref, file, number, cells_hash, counts)
            except BadData as error:
                raise BadData(f"{place}: {error}") from None


def require_addable(parts: list[Part], options: Namespace) -> None:
    """Checks that the rows of a camera at one time are parts of one count."""
    by_cells: dict[int, Part] = {}
    for part in parts:
        other = by_cells.setdefault(part.cells_hash, part)
        places = " and ".join(locate(found.file, found.number, options) for found in (other, part))
        if part is not other and not options.sum:
            advice = "--sum is for parts of one count, such as lanes, and --interval-end for times that are ends"
            raise BadData(f"{places} have the same time and the same camera; {advice}")
        if part.file != other.file:
            raise BadData(f"{places} are equal in all cells; --sum needs files that do not overlap")


def add_parts(parts: list[Part], reported: set[str]) -> Optional[list[int]]:
    """Adds up the counts of a camera at one time. Returns None if one is missing. What it never reports is 0."""
    sums = []
    for field, counts in zip(FIELDS, zip(*[part.counts for part in parts])):
        if field in reported and None in counts:
            return None
        sums.append(round_half_up(sum(counts)) if field in reported else 0)
    return sums if reported else None


def create_records(options: Namespace, left_out: LeftOut) -> Iterator[tuple]:
    """Yields the records, oldest first, so that their numbers stay the same when newer rows are added."""
    reported: dict[str, set[str]] = {}
    camera_pks: dict[str, int] = {}
    for (time, ref), group in groupby(sorted(read_parts(options, reported, left_out)), key=itemgetter(0, 1)):
        parts = list(group)
        if len(parts) > 1:
            require_addable(parts, options)
        counts = add_parts(parts, reported[ref])
        if counts is None and options.missing == "leave-out":
            left_out[UNCOUNTED] += [locate(part.file, part.number, options) for part in parts]
            continue
        camera_ok, counts = ("False", [0] * len(FIELDS)) if counts is None else ("True", counts)
        if max(counts) > MAX_COUNT:
            place = locate(parts[0].file, parts[0].number, options)
            raise BadData(f"{place}: the count {max(counts)} is greater than {MAX_COUNT}")
        timestamp = (EPOCH + timedelta(seconds=time)).replace(tzinfo=None).isoformat() + "Z"
        yield camera_pks.setdefault(ref, len(camera_pks) + 1), ref, timestamp, camera_ok, *counts, "tf1"
    if not camera_pks:
        raise BadData(f"There is no record.{describe(left_out)}")


def write_records(out: str, records: Iterator[tuple]) -> int:
    """Writes a temporary file first, so that the output never has a part of the records. Returns their number."""
    target = os.path.realpath(out)
    folder = tempfile.gettempdir() if out == "-" else os.path.dirname(target)
    temporary = Path(folder, f"records-{uuid.uuid4()}.tmp")
    number = 0
    try:
        with open(temporary, "x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            for number, record in enumerate(records, 1):
                writer.writerow((number, *record))
        if out == "-":
            with open(temporary, "rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.flush()
        else:
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return number


# The command line


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
    add("--interval-end", metavar="MINUTES", type=int, default=0, help="times are the ends of intervals this long")
    fields = f"the columns to add up for one of {', '.join(FIELDS)}; can be repeated"
    add("--count", metavar="FIELD=COLUMN[+COLUMN]", action="append", default=[], help=fields)
    add("--out", metavar="FILE", required=True, help="- is standard output")
    add("--sum", action="store_true", help="add up rows with the same camera and time, such as lanes")
    add("--skip", metavar="COLUMN", action="append", default=[], help="with --columns: not a camera")
    add("--missing", choices=("leave-out", "failed"), default="leave-out", help="what rows without a count become")
    add("--missing-value", metavar="TEXT", type=str.strip, action="append", default=[], help="a cell without a count")
    add("--separator", metavar="CHARACTER", default=",", help="the default is a comma")
    add("--encoding", type=parse_encoding, default="utf-8", help="such as windows-1252; the default is utf-8")
    add("--decimal", choices=(".", ","), default=".")
    add("--thousands", metavar="CHARACTER", default="", help="the default is none")
    add("--list", metavar="PATH", help="read JSON with a list at this path, such as result.records; . is the document")
    return parser


def parse_options() -> Namespace:
    parser = create_parser()
    options = parser.parse_args()
    options.separator = options.separator.replace("\\t", "\t")
    options.count = [text.partition("=")[::2] for text in options.count]
    has_offset = "z" in re.findall("%(.)", options.time_format)
    is_day = not re.search("%[HI]", options.time_format)
    notation = (options.separator, options.decimal, options.thousands)
    paths = [os.path.realpath(file) for file in options.files]
    out = options.out
    exists = out != "-" and os.path.exists(out)
    is_input = exists and any(os.path.samefile(path, out) for path in paths if os.path.exists(path))
    has_unknown_field = any(field not in FIELDS or columns == "" for field, columns in options.count)
    character = re.compile(r'[^\w"\r\n-]')
    has_wrong_thousands = options.thousands != "" and not character.fullmatch(options.thousands)
    for is_wrong, message in (
        (has_unknown_field, f"--count is not FIELD=COLUMN with one of the fields {', '.join(FIELDS)}"),
        (not character.fullmatch(options.separator), "--separator is not one character that can separate"),
        (has_wrong_thousands, "--thousands is not one character that can separate"),
        (bool(options.count) == bool(options.columns), "either --count or --columns is required"),
        (options.interval_end < 0, "--interval-end is a number of minutes"),
        (is_day and options.interval_end % 1440, "--interval-end is not in days (1440), but the format has no hour"),
        (options.list and notation != (",", ".", ""), "--list reads the notation of JSON"),
        (options.decimal == options.thousands, "--decimal and --thousands are equal"),
        (bool(options.time_zone) == has_offset, "either --time-zone or %z in the format is required"),
        (len(set(paths)) < len(paths), "a file is named twice"),
        (exists and not os.path.isfile(out), f"--out {out} is not a file"),
        (not os.path.isdir(os.path.dirname(os.path.realpath(out))), f"--out {out} is in a folder that does not exist"),
        (is_input, f"--out {out} is one of the files to convert"),
    ):
        if is_wrong:
            parser.error(message)
    return options


def main() -> Union[int, str]:
    """Returns the exit status, or the message of an error."""
    # Redirected, it may have an encoding without some characters of a name.
    sys.stdout.reconfigure(errors="backslashreplace")
    # An interrupt is an exception, so that the temporary file goes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = parse_options()
    left_out: LeftOut = defaultdict(list)
    try:
        number = write_records(options.out, create_records(options, left_out))
        report = sys.stderr if options.out == "-" else sys.stdout
        print(f"Wrote {number} records to {options.out}.{describe(left_out)}", file=report, flush=True)
        return 0
    except BadData as error:
        return f"{error}\nNothing was written."
    except OSError as error:
        # At its end, Python would try again to write what standard output did not take.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return f"{error.filename or options.out}: {error.strerror or error}"
    except MemoryError:
        return "There is too little memory. A million rows of CSV take about 350 MB. Nothing was written."
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
