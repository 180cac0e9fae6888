#!/usr/bin/env python3
"""Converts traffic counts to records for `npm run data -- load`. Change read_rows for your table: see docs/data.md."""

import argparse
import csv
import json  # for tables in JSON, as timedelta is for times that are ends
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

FIELDS = ("cars", "persons", "bicycles", "trucks", "motorcycles", "buses")
lines_read = {}  # by file: the line that read_csv has read last, for the message of an error


class Row(NamedTuple):
    place: str  # for messages, such as sensors.csv:2
    camera: str
    time: datetime  # when the interval starts, with a time zone
    counts: dict  # by field: an int, or None if it is missing. Other fields are 0


def read_rows(path):  # change this function for your table
    for place, cells in read_csv(path):  # of the columns site, time, cars and bikes
        time = datetime.strptime(cells["time"], "%Y-%m-%d %H:%M").replace(tzinfo=ZoneInfo("Europe/Berlin"))
        counts = {"cars": parse_count(cells["cars"]), "bicycles": parse_count(cells["bikes"])}
        yield Row(place, cells["site"], time, counts)


def read_csv(path, encoding="utf-8-sig", **options):
    """Yields the place of each row, and its cells by column. The options are those of csv.DictReader."""
    with open(path, "rb") as file:
        lines = (line.decode(encoding) for lines_read[path], line in enumerate(file, 1))
        reader = csv.DictReader(lines, restval="", strict=True, **options)
        names = list(filter(None, reader.fieldnames or ()))
        if len(set(names)) < len(names):
            raise ValueError(f"two columns have the same name: {names}")
        for cells in reader:
            if None in cells:
                raise ValueError(f"the row has more cells than the header: {cells[None]}")
            yield f"{path}:{lines_read[path]}", cells
    if lines_read.pop(path, 0) < 2:
        raise ValueError("the file has no row below its header")


def parse_count(text):
    """Reads a whole number in digits. An empty text is a missing count."""
    if text == "":
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not a whole number in digits")
    return int(text)


def find_reason(row):
    """Returns why a row is left out, or None. Raises a ValueError if a value is wrong."""
    if not isinstance(row.camera, str):
        raise ValueError(f"the camera {row.camera!r} is not text")
    if row.time.utcoffset() is None or row.time.microsecond:
        raise ValueError(f"the time {row.time} has no time zone, or a fraction of a second")
    for field, count in row.counts.items():
        if field not in FIELDS:
            raise ValueError(f"{field!r} is not one of {', '.join(FIELDS)}")
        is_whole = type(count) is int and 0 <= count < 2**53  # as in `load`. True is an int, too
        if count is not None and not is_whole:
            raise ValueError(f"{field} {count!r} is not an int from 0 to 2**53 - 1; round it in read_rows")
    first, second = (row.time.replace(fold=fold).utcoffset() for fold in (0, 1))  # equal, unless the clocks change
    if first != second:
        return "at a time that the clocks repeat" if first > second else "at a time that the clocks skip"
    return "without a count" if not row.counts or None in row.counts.values() else None


def read_records(paths):
    records, left_out = {}, {}  # by time and camera: the place and the counts; by reason: the places
    for path in paths:
        place = path
        try:
            for row in read_rows(path):
                place = row.place
                if reason := find_reason(row):
                    left_out.setdefault(reason, []).append(place)
                else:
                    key = row.time.astimezone(timezone.utc).replace(tzinfo=None), sys.intern(row.camera)
                    if key in records:
                        raise ValueError(f"{records[key][0]} has the same camera and time")
                    records[key] = place, *(row.counts.get(field, 0) for field in FIELDS)
                place = f"after {row.place}"
        except Exception as error:
            place = f"{path}:{lines_read.pop(path)}" if path in lines_read else place
            sys.exit(f"{place}: {type(error).__name__}: {error}")
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
    if options.out in [Path(file).resolve() for file in options.files]:
        parser.error(f"--out {options.out} is one of the tables to convert")
    if options.out.exists() and not options.out.is_file():
        parser.error(f"--out {options.out} is not a file")
    records, left_out = read_records(options.files)
    report = "".join(f"\nLeft out: {len(places)} {why}, first {places[0]}" for why, places in left_out.items())
    if not records:
        sys.exit(f"There is no record.{report}")
    try:
        write_records(options.out, records)
    except (OSError, UnicodeError) as error:
        sys.exit(f"{options.out}: {error}")
    print(f"Wrote {len(records)} records to {options.out}.{report}")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    main()
