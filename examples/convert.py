"""Converts traffic counts to records for `npm run data -- load`. Change read_rows for your table: see docs/data.md."""

import argparse
import csv
import gzip
import io
import json  # for tables in JSON, as timedelta is for times that are ends
import re
import sys
import tempfile
import traceback
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unicodedata import normalize
from zoneinfo import ZoneInfo  # zones of other libraries hide which times the clocks skip or repeat

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
# A name, without the characters that isprintable accepts although nobody sees them.
VISIBLE = r"[^\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]{1,64}"


def read_rows(path):  # change this function for your table
    """Yields for each row its place, for messages; the camera; when the interval starts, with a time zone; and the counts.
    A count is an int, or None if it is missing. Fields without a count are 0."""
    for place, cells in read_csv(path):  # of the columns site, time, cars and bikes
        time = datetime.strptime(cells["time"], "%Y-%m-%d %H:%M").replace(tzinfo=ZoneInfo("Europe/Berlin"))
        yield place, cells["site"], time, {"cars": parse_count(cells["cars"]), "bicycles": parse_count(cells["bikes"])}


def read_text(path, encoding="utf-8-sig"):
    """Reads a text file, which is compressed if its name ends with .gz."""
    place = path  # for messages, as in read_csv
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode(encoding)


def read_csv(path, encoding="utf-8-sig", **options):
    """Yields the place of each row, and its cells by column. The options are those of csv.DictReader."""
    lines = enumerate(io.StringIO(read_text(path, encoding), newline=""), 1)
    reader = csv.DictReader((line for number, line in lines if (place := f"{path}:{number}")), strict=True, **options)
    names = list(filter(None, reader.fieldnames or ()))
    if len(set(names)) < len(names):
        raise ValueError(f"two columns have the same name: {names}")
    for cells in reader:
        if None in cells:
            raise ValueError(f"the row has more cells than the header: {cells[None]}")
        end = next((f" (the row ends before the column {name})" for name, cell in cells.items() if name and cell is None), "")
        yield place + end, {name: cell or "" for name, cell in cells.items()}  # some programs leave out empty cells at the end


def parse_count(text):
    """Reads a whole number in digits. An empty text is a missing count."""
    if text and not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r:.60} is not a whole number in digits")
    return int(text) if text else None


def find_reason(camera, time, counts):
    """Returns why a row is left out, or None. Raises a ValueError if a value is wrong."""
    name = normalize("NFC", " ".join(str(camera).split()))
    if name != camera or not name.isprintable() or not re.fullmatch(VISIBLE, name) or normalize("NFKC", name[0])[0] in "=+-@":
        raise ValueError(f"the camera {camera!a:.80} is not text of 1 to 64 visible characters (NFC), or begins with =+-@")
    if type(time) is not datetime or not isinstance(time.tzinfo, (ZoneInfo, timezone)) or time.astimezone(timezone.utc).microsecond:
        raise ValueError(f"{time!r:.160} is not a datetime of whole seconds with a ZoneInfo or timezone of Python's own library")
    for field, count in counts.items():
        if field not in FIELDS:
            raise ValueError(f"{field!r:.60} is not one of {', '.join(FIELDS)}")
        if count is not None and (type(count) is not int or not 0 <= count < 2**53):  # as in `load`. True is an int, too
            raise ValueError(f"{field} {count!r:.60} is not an int from 0 to 2**53 - 1; round it in read_rows")
    first, second = (time.replace(fold=fold).utcoffset() for fold in (0, 1))  # equal, unless the clocks change
    if first != second:
        return "at a time that the clocks repeat" if first > second else "at a time that the clocks skip"
    missing = [field for field in counts or FIELDS if counts.get(field) is None]
    return f"without a count of {', '.join(missing)}" if missing else None


def read_records(paths):
    records, left_out = {}, {}  # by time and camera: the place and the counts; by reason: the places
    for path in paths:
        place = path
        for place, camera, time, counts in read_rows(path):
            reason = find_reason(camera, time, counts)
            if reason is None:
                key = time.astimezone(timezone.utc).replace(tzinfo=None), sys.intern(str(camera))
                first = records.setdefault(key, record := (place, *(counts.get(field, 0) for field in FIELDS)))
                if first[1:] != record[1:]:
                    raise ValueError(f"{first[0]} has the same camera and time, and other counts")
                reason = None if first is record else "that repeat another"
            if reason:
                left_out.setdefault(reason, []).append(place)
            place = f"after {place}"
        if place == path:
            raise ValueError("the file has no row below its header")
    report = "".join(f"\nRows left out {why}: {len(places)}, first {places[0]}" for why, places in left_out.items())
    if not records:
        sys.exit(f"There is no record.{report}")
    return records, report


def write_records(out, records):
    place = out  # for messages
    camera_pks = {}
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:  # so that the output is complete or absent
        with open(Path(folder, out.name), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "camera_pk", "camera_ref", "timestamp", "camera_ok", *FIELDS, "model_name"))
            for number, (time, camera) in enumerate(sorted(records), 1):
                pk = camera_pks.setdefault(camera, len(camera_pks) + 1)
                writer.writerow((number, pk, camera, f"{time.isoformat()}Z", "True", *records[time, camera][1:], "tf1"))
        if out.exists():
            Path(file.name).chmod(out.stat().st_mode)
        Path(file.name).replace(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a table that read_rows reads")
    parser.add_argument("--out", metavar="FILE", type=Path, required=True)
    options = parser.parse_args()
    is_input = options.out.resolve() in [Path(file).resolve() for file in options.files]
    if is_input or options.out.is_symlink() or (options.out.exists() and not options.out.is_file()):
        parser.error(f"--out {options.out} is one of the tables to convert, or a link, or not a file")
    try:
        records, report = read_records(options.files)
        write_records(options.out, records)
    except Exception as error:  # in the place of the innermost function that has one
        places = [frame.f_locals["place"] for frame, _ in traceback.walk_tb(error.__traceback__) if "place" in frame.f_locals]
        sys.exit(f"{places[-1]}: {type(error).__name__}: {error!s:.300}")
    zeros = [field for index, field in enumerate(FIELDS, 1) if not any(record[index] for record in records.values())]
    report += f"\n0 in each record: {', '.join(zeros) or 'no field'}"
    print(f"Wrote {len(records)} records to {options.out}.{report}", file=sys.stderr)  # shows any character, unlike stdout
