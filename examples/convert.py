"""Converts traffic counts to records for `npm run data -- load`. Change read_rows for your table: see docs/data.md."""

import argparse
import csv
import gzip
import io
import json  # for tables in JSON, as timedelta is for times that are ends
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
open_tables, columns = {}, {}  # by file, for messages: the line that read_csv has read last, and the names in the header


def read_rows(path):  # change this function for your table
    """Yields for each row its place, for messages; the camera; when the interval starts, with a time zone; and the counts.
    A count is an int, or None if it is missing. Fields without a count are 0."""
    for place, cells in read_csv(path):  # of the columns site, time, cars and bikes
        time = datetime.strptime(cells["time"], "%Y-%m-%d %H:%M").replace(tzinfo=ZoneInfo("Europe/Berlin"))
        yield place, cells["site"], time, {"cars": parse_count(cells["cars"]), "bicycles": parse_count(cells["bikes"])}


def read_text(path, encoding="utf-8-sig"):
    """Reads a text file, which is compressed if its name ends with .gz."""
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode(encoding)


def read_csv(path, encoding="utf-8-sig", **options):
    """Yields the place of each row, and its cells by column. The options are those of csv.DictReader."""
    text = io.StringIO(read_text(path, encoding), newline="")
    reader = csv.DictReader((line for open_tables[path], line in enumerate(text, 1)), restval="", strict=True, **options)
    columns[path] = names = list(filter(None, reader.fieldnames or ()))
    if len(set(names)) < len(names):
        raise ValueError(f"two columns have the same name: {names}")
    for cells in reader:
        if None in cells:
            raise ValueError(f"the row has more cells than the header: {cells[None]}")
        yield f"{path}:{open_tables[path]}", cells
    open_tables.pop(path, None)


def parse_count(text):
    """Reads a whole number in digits. An empty text is a missing count."""
    if text and not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r:.60} is not a whole number in digits")
    return int(text) if text else None


def find_reason(camera, time, counts):
    """Returns why a row is left out, or None. Raises a ValueError if a value is wrong."""
    if not isinstance(camera, str) or camera != camera.strip() or not 1 <= len(camera) <= 64 or camera[0] in "=+-@":
        raise ValueError(f"the camera {camera!r:.80} is not text of 1 to 64 characters, or has =+-@ or a space at an end")
    if not isinstance(time.tzinfo, (ZoneInfo, timezone)):  # other classes hide which times the clocks skip or repeat
        raise ValueError(f"the zone of {time} is {time.tzinfo!r:.80}, not a ZoneInfo or timezone of Python's own library")
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
        try:
            for place, camera, time, counts in read_rows(path):
                reason = find_reason(camera, time, counts)
                if reason is None:
                    key = time.astimezone(timezone.utc).replace(tzinfo=None), sys.intern(camera)
                    first = records.setdefault(key, record := (place, *(counts.get(field, 0) for field in FIELDS)))
                    if first[1:] != record[1:]:
                        raise ValueError(f"{first[0]} has the same camera and time, and other counts")
                    reason = None if first is record else "that repeat another"
                if reason:
                    left_out.setdefault(reason, []).append(place)
                place = f"after {place}"
            if place == path:
                raise ValueError("the file has no row below its header")
        except Exception as error:
            place = ", ".join(f"{file}:{line}" for file, line in open_tables.items()) or place
            hint = f", not one of {columns}" if isinstance(error, KeyError) else ""
            sys.exit(f"{place}: {type(error).__name__}: {error!s:.300}{hint:.300}")
    return records, left_out


def write_records(out, records):
    camera_pks = {}
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:  # so that the output is complete or absent
        with open(Path(folder, out.name), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "camera_pk", "camera_ref", "timestamp", "camera_ok", *FIELDS, "model_name"))
            for number, (time, camera) in enumerate(sorted(records), 1):
                pk = camera_pks.setdefault(camera, len(camera_pks) + 1)
                writer.writerow((number, pk, camera, f"{time.isoformat()}Z", "True", *records[time, camera][1:], "tf1"))
        Path(file.name).replace(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a table that read_rows reads")
    parser.add_argument("--out", metavar="FILE", type=lambda name: Path(name).resolve(), required=True)
    options = parser.parse_args()
    inputs = [Path(file).resolve() for file in options.files]
    if options.out in inputs or (options.out.exists() and not options.out.is_file()):
        parser.error(f"--out {options.out} is one of the tables to convert, or not a file")
    records, left_out = read_records(options.files)
    report = "".join(f"\nRows left out {why}: {len(places)}, first {places[0]}" for why, places in left_out.items())
    if not records:
        sys.exit(f"There is no record.{report}")
    zero = [field for index, field in enumerate(FIELDS, 1) if not any(record[index] for record in records.values())]
    report += f"\n0 in each record: {', '.join(zero) or 'no field'}"
    try:
        write_records(options.out, records)
    except (OSError, UnicodeError) as error:
        sys.exit(f"{options.out}: {error}")
    print(f"Wrote {len(records)} records to {options.out}.{report}", file=sys.stderr)  # shows any character, unlike stdout


if __name__ == "__main__":
    main()
