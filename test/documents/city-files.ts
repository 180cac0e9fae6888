import { NO_COUNTS, type TrafficRecord } from "../../src/records/record.ts";
import { createTimeFormatter, listHours, MONTHS } from "./local-time.ts";

/** Files as cities publish them, and what the program of docs/data.md must make of them. */
export interface CityFiles {
  /** In the order of their names. */
  files: Record<string, string | Buffer>;
  /** The assignments that the reader edits, and the arguments of `read_csv`. */
  settings: Record<string, string>;
  arguments?: Record<string, string>;
  /** The beginnings of the comments in docs/data.md whose lines the reader adds. */
  added?: string[];
  expected: TrafficRecord[];
  /** How many rows have no record. */
  leftOut: number;
}

/** A camera at a moment. The files are made from these, so the program must find the time and the counts again. */
interface Observation {
  /** The numbers of the camera and of the moment. */
  camera: number;
  moment: number;
  name: string;
  time: number;
  isMissing: boolean;
}

/** The comment of the lines that replace `read_csv`. */
export const JSON_LIST = "JSON with a list";

/** All cameras at all moments, ordered by the camera. Some counts are missing. */
const createObservations = (names: string[], times: number[]): Observation[] =>
  names.flatMap((name, camera) =>
    times.map((time, moment) => ({ camera, moment, name, time, isMissing: (2 * camera + moment) % 7 === 3 })),
  );

/** Cells that are joined to lines, a line for each moment. */
const toLines = (observations: Observation[], format: (one: Observation) => string, separator: string) =>
  Object.values(Object.groupBy(observations, ({ moment }) => moment)).map((line = []) =>
    line.map(format).join(separator),
  );

/** A name that is too long for a `camera_ref` loses its middle. */
const toRef = (name: string) => {
  const trimmed = name.trim();
  return trimmed.length <= 64 ? trimmed : `${trimmed.slice(0, 40)}…${trimmed.slice(-23)}`;
};

/** Makes the expected records. Records and cameras are numbered in the order of the rows. */
function toRecords(
  observations: Observation[],
  count: (one: Observation) => Partial<TrafficRecord>,
  { includeMissing = false } = {},
): TrafficRecord[] {
  const recorded = observations.filter(({ isMissing }) => includeMissing || !isMissing);
  const refs = [...new Set(recorded.map(({ name }) => toRef(name)))];
  return recorded.map((one, index) => ({
    id: index + 1,
    camera_pk: refs.indexOf(toRef(one.name)) + 1,
    camera_ref: toRef(one.name),
    timestamp: new Date(one.time).toISOString().replace(".000", ""),
    camera_ok: one.isMissing ? "False" : "True",
    ...NO_COUNTS,
    ...(one.isMissing ? {} : count(one)),
    model_name: "tf1",
  }));
}

const countMissing = (observations: Observation[]) =>
  observations.filter(({ isMissing }) => isMissing).length;

/** Rounds tenths, and halves to the even number. */
function roundTenths(tenths: number): number {
  const [whole, rest] = [Math.floor(tenths / 10), tenths % 10];
  return rest > 5 || (rest === 5 && whole % 2 === 1) ? whole + 1 : whole;
}

const LATIN = { sep: '";"', encoding: '"latin-1"' };
const COLUMN_OF_CAMERA = { COUNTS: '{"bicycles": ["count"]}' };

/** Daily sums in Latin-1, with semicolons, decimal commas and a column for each counter. */
function createMontreal(): CityFiles {
  const formatTime = createTimeFormatter("America/Toronto");
  const long = "Brébeuf (données non disponibles), piste cyclable de la rue Saint-Denis, direction sud";
  const names = ["Berri 1", "0012", "NA", "Côte-Sainte-Catherine ", long];
  const days = listHours("2012-03-09T00:00Z", 120).filter((time) => formatTime(time, "%H") === "00");
  const observations = createObservations(names, days);
  const tenths = ({ camera, moment }: Observation) => 2005 + 15 * camera + 30 * moment;
  const formatCell = (one: Observation) =>
    one.isMissing ? "" : (tenths(one) / 10).toFixed(1).replace(".", ",");
  const lines = toLines(observations, formatCell, ";");
  const text = [
    `Date;${names.join(";")}`,
    ...lines.map((line, day) => `${formatTime(days[day]!, "%d/%m/%Y")};${line}`),
  ];
  return {
    files: { "2012.csv": Buffer.from(text.join("\r\n"), "latin1") },
    settings: {
      "CAMERA, TIME": '"site", "Date"',
      "TIME_FORMAT, TIME_ZONE": '"%d/%m/%Y", "America/Toronto"',
      ...COLUMN_OF_CAMERA,
    },
    arguments: { ...LATIN, decimal: '","' },
    added: ["A column for each camera"],
    expected: toRecords(observations, (one) => ({ bicycles: roundTenths(tenths(one)) })),
    leftOut: countMissing(observations),
  };
}

/** Finnish days and months in a table with a column for each counter. An empty cell means that the counter failed. */
function createHelsinki(): CityFiles {
  const formatTime = createTimeFormatter("Europe/Helsinki");
  const names = ["Auroransilta", "Eteläesplanadi", "0012"];
  const months = MONTHS.map((_, month) => Date.UTC(2014, month, 3, 12));
  const times = [...months, ...listHours("2014-03-29T23:00Z", 4), ...listHours("2014-10-25T22:00Z", 5)];
  const observations = createObservations(names, times);
  const count = ({ camera, moment }: Observation) => 10 * moment + camera;
  const cells = toLines(observations, (one) => (one.isMissing ? "" : String(count(one))), ";");
  const lines = cells.map((line, moment) => `${formatTime(times[moment]!, "%a %e %b %Y %H:00")};${line}`);
  const skipped = "su 30 maalis 2014 03:00;0;0;0";
  return {
    files: {
      "2014.csv": Buffer.from([`Päivämäärä;${names.join(";")}`, ...lines, skipped].join("\n"), "latin1"),
    },
    settings: {
      "CAMERA, TIME": '"site", "Päivämäärä"',
      "TIME_FORMAT, TIME_ZONE": '"%d %m %Y %H:%M", "Europe/Helsinki"',
      MISSING: '"failed"',
      ...COLUMN_OF_CAMERA,
    },
    arguments: LATIN,
    added: ["A column for each camera", "Finnish days and months"],
    expected: toRecords(observations, (one) => ({ bicycles: count(one) }), { includeMissing: true }),
    leftOut: names.length,
  };
}

/** A file for each counter, newest row first, with a byte order mark, AM and PM, and blank hours. */
function createSeattle(): CityFiles {
  const formatTime = createTimeFormatter("America/Los_Angeles");
  const long = "Fremont Bridge Sidewalks, south of N 34th St, both sidewalks and all directions";
  const names = ["0012", long, "NA"];
  const times = [...listHours("2013-03-10T08:00Z", 14), ...listHours("2013-11-03T07:00Z", 5)];
  const observations = createObservations(names, times);
  const cells = ({ camera, moment }: Observation) => [moment, camera, 2 * moment, 3 * camera];
  const header = "Date,Ped South,Ped North,Bike North,Bike South";
  const files = names.map((name, camera) => {
    const lines = observations
      .filter((one) => one.camera === camera)
      .map((one) => [
        formatTime(one.time, "%m/%d/%Y %I:00:00 %p"),
        ...(one.isMissing ? ["", "", "", ""] : cells(one)),
      ]);
    const text = [...lines, ["03/10/2013 02:00:00 AM,5,5,5,5"], [header]].toReversed();
    return [`${name}.csv`, `\ufeff${text.join("\r\n")}\r\n`];
  });
  return {
    files: Object.fromEntries(files),
    settings: {
      "CAMERA, TIME": '"site", "Date"',
      "TIME_FORMAT, TIME_ZONE": '"%m/%d/%Y %I:%M:%S %p", "America/Los_Angeles"',
      COUNTS: '{"persons": ["Ped South", "Ped North"], "bicycles": ["Bike North", "Bike South"]}',
    },
    added: ["A file for each camera", "The newest row first"],
    expected: toRecords(observations, ({ camera, moment }) => ({
      persons: moment + camera,
      bicycles: 2 * moment + 3 * camera,
    })),
    leftOut: countMissing(observations) + names.length,
  };
}

/** A file for each day on which the clocks change, ordered by the time, with the date and the hour in two columns. */
function createBerlin(): CityFiles {
  const formatTime = createTimeFormatter("Europe/Berlin");
  const days = ["2022-03-26", "2022-03-27", "2022-10-29", "2022-10-30"];
  const times = listHours("2022-03-25T22:00Z", 50).concat(listHours("2022-10-28T21:00Z", 51));
  const byTime = createObservations(["0012", " TE 001, left lane ", "NA"], times).sort(
    (a, b) => a.time - b.time,
  );
  const observations = byTime.filter(({ time }) => days.includes(formatTime(time, "%Y-%m-%d")));
  const count = ({ camera, moment }: Observation) => ({ cars: 10 * moment + camera, trucks: moment % 4 });
  const files = days.map((day) => {
    const lines = observations
      .filter(({ time }) => formatTime(time, "%Y-%m-%d") === day)
      .map((one) => {
        const { cars, trucks } = count(one);
        return [`"${one.name}"`, formatTime(one.time, "%d.%m.%Y;%k"), cars, one.isMissing ? -1 : trucks].join(
          ";",
        );
      });
    const skipped = day === "2022-03-27" ? ["0012;27.03.2022;2;0;0"] : [];
    return [`${day}.csv`, ["name;date;hour;pkw;lkw", ...lines, ...skipped, ""].join("\n")];
  });
  return {
    files: Object.fromEntries(files),
    settings: {
      "CAMERA, TIME": '"name", "time"',
      "TIME_FORMAT, TIME_ZONE": '"%d.%m.%Y %H", "Europe/Berlin"',
      COUNTS: '{"cars": ["pkw"], "trucks": ["lkw"]}',
    },
    arguments: { sep: '";"', na_values: '["-1"]' },
    added: ["The date and the hour in two columns"],
    expected: toRecords(observations, count),
    leftOut: countMissing(observations) + 1,
  };
}

/** JSON with decimals and times in UTC. */
function createTelraam(): CityFiles {
  const names = ["9000000012", "348917"];
  const observations = createObservations(names, listHours("2023-07-12T05:00Z", 12));
  const tenths = ({ camera, moment }: Observation) => 5 * moment + 1003 * camera;
  const files = names.map((name, camera) => {
    const report = observations
      .filter((one) => one.camera === camera)
      .map((one) => ({
        segment_id: Number(name),
        date: new Date(one.time).toISOString(),
        car: one.isMissing ? null : tenths(one) / 10,
        heavy: one.camera,
        bike: one.moment,
        pedestrian: 0.5,
      }));
    return [`segment-${camera}.json`, JSON.stringify({ status_code: 200, report })];
  });
  const count = (one: Observation) => ({
    cars: roundTenths(tenths(one)),
    trucks: one.camera,
    bicycles: one.moment,
  });
  return {
    files: Object.fromEntries(files),
    settings: {
      "CAMERA, TIME": '"segment_id", "date"',
      "TIME_FORMAT, TIME_ZONE": '"%Y-%m-%dT%H:%M:%S.%f%z", None',
      COUNTS: '{"cars": ["car"], "trucks": ["heavy"], "bicycles": ["bike"], "persons": ["pedestrian"]}',
    },
    added: [JSON_LIST],
    expected: toRecords(observations, count),
    leftOut: countMissing(observations),
  };
}

export const CITY_FILES: [city: string, CityFiles][] = [
  ["Montreal", createMontreal()],
  ["Helsinki", createHelsinki()],
  ["Seattle", createSeattle()],
  ["Berlin", createBerlin()],
  ["Telraam", createTelraam()],
];
