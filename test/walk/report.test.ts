import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { runData } from "../run-command.ts";
import { createFolder } from "../temporary-folder.ts";
import { startWorker } from "../worker.ts";
import { walk } from "./walk.ts";

interface Observation {
  processed: Date;
  captured: Date;
  ref: string;
  /** car, person, bicycle, motorcycle, bus, truck: the order of the report, which is not that of a record. */
  counts: number[];
  warnings: string;
}

const REFS = ["C94", "PD1P1", " Fast01P1", "T628 ", "A33"];
const WARNINGS = ["0", "0", "None", "", "1", "5"];
const BEGIN = Date.UTC(2025, 9, 28, 22, 30);

/** 48 half hours of five cameras: two capture at the same second, processing is slow and out of order. */
const observations: Observation[] = Array.from({ length: 48 * REFS.length }, (_, index) => {
  const camera = index % REFS.length;
  const captured =
    BEGIN + Math.floor(index / REFS.length) * 1_800_000 + [17, 17, 250, 3, 999][camera]! * 1_000;
  return {
    processed: new Date(captured + 400_000 + ((index * 7_919) % 600) * 1_000),
    captured: new Date(captured),
    ref: REFS[camera]!,
    counts: Array.from({ length: 6 }, (_, field) => (index * (field + 3)) % (9 - field)),
    warnings: WARNINGS[(index * 5) % WARNINGS.length]!,
  };
});

const HEADER = "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** The engine writes local times with their offset; half of the lines here are in UTC+2. */
function writeReport(observations: Observation[]): string {
  const lines = observations.map(({ processed, captured, ref, counts, warnings }, index) => {
    const hours = index % 2 === 0 ? 0 : 2;
    const time = (date: Date) =>
      `${new Date(date.getTime() + hours * 3_600_000).toISOString().slice(0, 19).replace("T", " ")}+0${hours}:00`;
    return [time(processed), time(captured), ref, "tf2", ...counts, warnings].join(",");
  });
  return `${[HEADER, ...lines].join("\n")}\n`;
}

/** The records that the report must become, computed from the whole report in memory. */
function expectRecords(): TrafficRecord[] {
  const normalised = observations.map((observation) => ({
    ...observation,
    ref: observation.ref.trim().toLowerCase(),
  }));
  const byCapture = normalised.toSorted((a, b) => +a.captured - +b.captured || (a.ref < b.ref ? -1 : 1));
  const refs = [...new Set(byCapture.map(({ ref }) => ref))];
  const byProcessing = byCapture.toSorted((a, b) => +a.processed - +b.processed);
  return byProcessing
    .map(({ captured, ref, counts, warnings }, index) => {
      const camera_ok = warnings === "" || warnings === "None" ? null : warnings === "0" ? "True" : "False";
      const [cars, persons, bicycles, motorcycles, buses, trucks] =
        camera_ok === "False" ? Array(6).fill(0) : counts;
      return {
        id: index + 1,
        camera_pk: refs.indexOf(ref) + 1,
        camera_ref: ref,
        timestamp: captured.toISOString().replace(".000", ""),
        camera_ok,
        cars,
        persons,
        bicycles,
        trucks,
        motorcycles,
        buses,
        model_name: "tf1" as const,
      } satisfies TrafficRecord;
    })
    .sort((a, b) =>
      a.timestamp === b.timestamp
        ? a.camera_ref < b.camera_ref
          ? -1
          : 1
        : a.timestamp < b.timestamp
          ? 1
          : -1,
    );
}

const folder = createFolder();

test.each(STORE_NAMES)(
  "a walk over two reports in %s returns every observation once, in order, with all twelve fields",
  async (store) => {
    const files = [join(folder, "late"), join(folder, "early")];
    await writeFile(files[0]!, writeReport(observations.slice(100)));
    await writeFile(files[1]!, gzipSync(writeReport(observations.slice(0, 100))));
    const loaded = await runData([
      "load",
      "--store",
      store,
      "--model-name",
      "tf1",
      "--persist-to",
      folder,
      ...files,
    ]);
    expect(loaded.stderr).not.toContain("problem");
    expect(loaded.status).toBe(0);

    const served = await startWorker({ folder, vars: { STORE: store } });
    try {
      expect(await walk(served.origin)).toEqual(expectRecords());
    } finally {
      await served.close();
    }
  },
);
