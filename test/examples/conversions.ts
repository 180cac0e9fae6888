import { gzipSync } from "node:zlib";
import { listCodeBlocks } from "../documents/documentation.ts";

/** Files as cities publish them, the options that convert them, and the records, computed by hand. */
interface Conversion {
  files: Record<string, string | Buffer>;
  /** As in a shell. */
  options: string;
  /** The lines of the records, oldest first. */
  records: string[];
  /** What the program says about the rows that it left out. */
  leftOut?: string[];
}

/** The options for a table with the columns `site`, `time` and `cars`. */
export const SIMPLE = "--camera site --time time --count cars=cars";
export const MINUTES = "--time-format '%Y-%m-%d %H:%M'";
export const BERLIN = `${SIMPLE} ${MINUTES} --time-zone Europe/Berlin`;

/** Lists records that count only cars: the `camera_pk`, the camera, the time and the cars of each. */
const listLines = (...records: string[]) =>
  records.map((record, index) => {
    const [pk, camera, time, cars] = record.split(" ");
    return `${index + 1},${pk},${camera},${time}:00Z,True,${cars},0,0,0,0,0,tf1`;
  });

const repeated = (number: number, first: string) =>
  `${number} at a time that the clocks repeat, such as ${first}; with UTC or an offset (%z) they can be kept`;
const skipped = (number: number, first: string) =>
  `${number} at a time that the clocks skip, such as ${first}; if the clocks never change, use an offset such as UTC+01:00`;

const SHORT = "Br\u00e9beuf (donn\u00e9es non disponibles), piste";
const LONG = `${SHORT} cyclable de la rue Saint-Denis, direction sud`;
const SHORTENED = `"${SHORT}\u2026nt-Denis, direction sud"`;

const [EXAMPLE = ""] = listCodeBlocks("docs/data.md", "");
const [COMMAND = ""] = listCodeBlocks("docs/data.md", "sh").filter((code) => code.includes("convert.py"));

const DAYS = `${SIMPLE} --time-format %Y-%m-%d --time-zone`;
const JSON_ROWS = `[{"site": "A", "time": "2025-01-02 03:00", "cars": 1}]`;
const HALF_DAYS = `${SIMPLE} --time-format '%m/%d/%Y %I:%M %p' --time-zone Europe/Berlin`;

/** Files that count only cars. A text has the rows of a.csv with the columns `site`, `time` and `cars`, or all its lines. */
// biome-ignore format: one case per line
const CARS: [what: string, files: string | Conversion["files"], options: string, records: string[], leftOut?: string[]][] = [
  ["a day that begins at 01:00", "A,2022-09-10,1\nA,2022-09-11,2\nA,2022-09-12,3", `${DAYS} America/Santiago`, ["1 A 2022-09-10T04:00 1", "1 A 2022-09-11T04:00 2", "1 A 2022-09-12T03:00 3"]],
  ["a day whose midnight is repeated", "A,2025-10-26,1", `${DAYS} Atlantic/Azores`, ["1 A 2025-10-26T00:00 1"]],
  ["a day that the clocks skip", "A,2011-12-29,1\nA,2011-12-30,2\nA,2011-12-31,3", `${DAYS} Pacific/Apia`, ["1 A 2011-12-29T10:00 1", "1 A 2011-12-30T10:00 3"], [skipped(1, "a.csv:3 '2011-12-30'")]],
  ["the ends of hours in October", "A,2025-10-25 24:00,1\nA,2025-10-26 02:00,2\nA,2025-10-26 03:00,3\nA,2025-10-26 03:00,4\nA,2025-10-26 04:00,5", `${BERLIN} --interval-end 60`, ["1 A 2025-10-25T21:00 1", "1 A 2025-10-25T23:00 2", "1 A 2025-10-26T02:00 5"], [repeated(2, "a.csv:4 '2025-10-26 03:00'")]],
  ["the ends of quarters of an hour in March", "A,2025-03-30 2:00,1\nA,2025-03-30 2:15,2\nA,2025-03-30 3:15,3\nA,2025-12-31 24:00,4", `${BERLIN} --interval-end 15`, ["1 A 2025-03-30T00:45 1", "1 A 2025-03-30T01:00 3", "1 A 2025-12-31T22:45 4"], [skipped(1, "a.csv:3 '2025-03-30 2:15'")]],
  ["two hours that end at 02:00, whose lanes are added up", "A,2025-10-26 01:00,1\nA,2025-10-26 02:00,2\nA,2025-10-26 02:00,3", `${BERLIN} --interval-end 60 --sum`, ["1 A 2025-10-25T22:00 1"], [repeated(2, "a.csv:3 '2025-10-26 02:00'")]],
  ["the ends of days, with AM", "A,01/02/2025 12:00 AM,1", `${HALF_DAYS} --interval-end 1440`, ["1 A 2024-12-31T23:00 1"]],
  ["lanes in the repeated hour, beside a column that is not used", "site,time,lane,rain,cars\nA,2025-10-26 01:00,1,0.1,0.25\nA,2025-10-26 01:00,2,0.2,0.25\nA,2025-10-26 02:00,1,0.3,10\nA,2025-10-26 02:00,2,0.4,20\nA,2025-10-26 02:00,1,0.3,100\nA,2025-10-26 02:00,2,0.4,200\nA,2025-10-26 03:00,1,,\nA,2025-10-26 03:00,2,,9", `${BERLIN} --sum`, ["1 A 2025-10-25T23:00 1"], [repeated(4, "a.csv:4 '2025-10-26 02:00'"), "2 without a count, such as a.csv:8"]],
  ["equal rows of one file, which are parts of one count", { "a.csv": "site,time,cars\nA,2025-01-02 03:00,1\nA,2025-01-02 03:00,1\n", "b.csv": "site,time,cars\nA,2025-01-02 03:00,2\n" }, `${BERLIN} --sum`, ["1 A 2025-01-02T02:00 4"]],
  ["thousands with and without dots, decimal commas, tabs, and a fixed offset", "site\ttime\tcars\nA\t202501020300\t1.234\nA\t202501020400\t12.345.678,50\nA\t202501020500\t999\nA\t202501020600\t1234", `${SIMPLE} --time-format %Y%m%d%H%M --time-zone UTC+01:00 --separator '\\t' --decimal , --thousands .`, ["1 A 2025-01-02T02:00 1234", "1 A 2025-01-02T03:00 12345679", "1 A 2025-01-02T04:00 999", "1 A 2025-01-02T05:00 1234"]],
  ["a gzipped file for each camera, offsets of hours, and seven decimals", { "A.csv.gz": gzipSync("time,cars\n2025-01-02T03:00:00.1234567+01,1\n2025-01-02T03:00:00.9-08,2\n") }, "--camera-from-name --time time --time-format %Y-%m-%dT%H:%M:%S.%f%z --count cars=cars", ["1 A 2025-01-02T02:00 1", "1 A 2025-01-02T11:00 2"]],
  ["nested JSON", { "a.json": `{"result": {"records": ${JSON_ROWS}}}` }, `${BERLIN} --list result.records`, ["1 A 2025-01-02T02:00 1"]],
  ["JSON that is a list", { "a.json": JSON_ROWS }, `${BERLIN} --list .`, ["1 A 2025-01-02T02:00 1"]],
  ["JSON with decimals, times in UTC, and numbers as names", { "a.json": `{"status": 200, "report": [{"id": 9000000012, "date": "2023-07-12T05:00:00.000Z", "car": 12.4, "van": 0.1, "lane": [1]}, {"id": 9000000012, "date": "2023-07-12T06:00:00.000Z", "car": null, "van": 1}, {"id": 0.10, "date": "2023-07-12T05:00:00.000Z", "car": 1003.5, "van": "0"}, {}]}`, "b.json": `{"report": []}` }, "--list report --camera id --time date --time-format %Y-%m-%dT%H:%M:%S.%f%z --count cars=car+van", ["1 0.10 2023-07-12T05:00 1004", "2 9000000012 2023-07-12T05:00 13"], ["1 empty, such as a.json: report[3]", "1 without a count, such as a.json: report[1]"]],
  ["offsets in any order, quoted cells, and an empty line", `site, time, cars\nA, "2025-10-26T02:30:00+01:00", 2\nA, 2025-10-26T02:30:00+02:00, 1\n\n"B",2025-10-26T02:30:00Z,3`, `${SIMPLE} --time-format %Y-%m-%dT%H:%M:%S%z`, ["1 A 2025-10-26T00:30 1", "1 A 2025-10-26T01:30 2", "2 B 2025-10-26T02:30 3"], ["1 empty, such as a.csv:4"]],
];

const createFiles = (rows: string) => ({
  "a.csv": rows.startsWith("site") ? rows : `site,time,cars\n${rows}\n`,
});

export const CONVERSIONS: Record<string, Conversion> = {
  ...Object.fromEntries(
    CARS.map(([what, content, options, records, leftOut]) => {
      const files = typeof content === "string" ? createFiles(content) : content;
      return [what, { files, options, records: listLines(...records), ...(leftOut && { leftOut }) }];
    }),
  ),
  "the example in docs/data.md": {
    files: { "sensors.csv": EXAMPLE },
    options: COMMAND.split(/sensors\.csv|--out/)[1] ?? "",
    records: [
      "1,1,0012,2025-10-25T00:00:00Z,True,14,0,3,0,0,0,tf1",
      "2,2,North Gate,2025-10-25T00:00:00Z,True,7,0,0,0,0,0,tf1",
    ],
    leftOut: [repeated(1, "sensors.csv:5 '2025-10-26 02:00'"), "1 without a count, such as sensors.csv:4"],
  },
  "daily sums in Latin-1: a column for each counter, decimal commas, and a separator at each end": {
    files: {
      "2012.csv": Buffer.from(
        `Date;Berri 1;0012;NA;${LONG} ;Rain;\r\n09/03/2012;200,5;;201,49;2;x;\r\n12/03/2012;3,5;4;-;7;;;\r\n;;;;;;`,
        "latin1",
      ),
    },
    options: `--columns bicycles --time Date --time-format %d/%m/%Y --skip Rain --separator ';' --encoding latin-1
      --time-zone America/Toronto --decimal , --missing-value -`,
    records: [
      "1,1,Berri 1,2012-03-09T05:00:00Z,True,0,0,201,0,0,0,tf1",
      `2,2,${SHORTENED},2012-03-09T05:00:00Z,True,0,0,2,0,0,0,tf1`,
      "3,3,NA,2012-03-09T05:00:00Z,True,0,0,201,0,0,0,tf1",
      "4,4,0012,2012-03-12T04:00:00Z,True,0,0,4,0,0,0,tf1",
      "5,1,Berri 1,2012-03-12T04:00:00Z,True,0,0,4,0,0,0,tf1",
      `6,2,${SHORTENED},2012-03-12T04:00:00Z,True,0,0,7,0,0,0,tf1`,
    ],
    leftOut: ["1 empty, such as 2012.csv:4", "2 without a count, such as 2012.csv:2"],
  },
  "hours that the clocks skip and repeat, and the empty cell of a failed counter": {
    files: {
      "2014.csv":
        "time;0012\nSun 30 Mar 2014 02:00;20\nSun 30 Mar 2014 03:00;0\nSun 30 Mar 2014 04:00;\nSun 26 Oct 2014 03:00;30\nSun 26 Oct 2014 03:00;40\n",
    },
    options: `--columns bicycles --time time --time-format '%a %d %b %Y %H:%M' --separator ';'
      --time-zone Europe/Helsinki --missing failed`,
    records: [
      "1,1,0012,2014-03-30T00:00:00Z,True,0,0,20,0,0,0,tf1",
      "2,1,0012,2014-03-30T01:00:00Z,False,0,0,0,0,0,0,tf1",
    ],
    leftOut: [
      skipped(1, "2014.csv:3 'Sun 30 Mar 2014 03:00'"),
      repeated(2, "2014.csv:5 'Sun 26 Oct 2014 03:00'"),
    ],
  },
  "a file for each counter, newest row first, with a byte order mark, AM and PM, and blank hours": {
    files: {
      "0012.csv":
        "\ufeffDate,South,North,Bikes\r\n11/03/2013 01:00 AM,1,2,3\r\n11/03/2013 12:00 AM,5,6,7\r\n03/10/2013 03:00 AM,9,0,1\r\n03/10/2013 12:00 AM,,,",
      "NA.csv": "\ufeffDate,South,North,Bikes\r\n07/01/2013 01:00 PM,2,3,4\r\n07/01/2013 12:00 AM,0,0,1\r\n",
    },
    options: `--camera-from-name --time Date --time-format '%m/%d/%Y %I:%M %p' --time-zone America/Los_Angeles
      --count 'persons=South + North' --count bicycles=Bikes`,
    records: [
      "1,1,0012,2013-03-10T10:00:00Z,True,0,9,1,0,0,0,tf1",
      "2,2,NA,2013-07-01T07:00:00Z,True,0,0,1,0,0,0,tf1",
      "3,2,NA,2013-07-01T20:00:00Z,True,0,5,4,0,0,0,tf1",
      "4,1,0012,2013-11-03T07:00:00Z,True,0,11,7,0,0,0,tf1",
    ],
    leftOut: [repeated(1, "0012.csv:2 '11/03/2013 01:00 AM'"), "1 without a count, such as 0012.csv:5"],
  },
  "the date and the hour in two columns, and names in quotes": {
    files: {
      "a.csv": `name;date;hour;pkw;lkw\n0012;27.03.2022;1;3;1\n" TE 1, left ";27.03.2022;3;4;-1\n" TE 1, left ";27.03.2022;4;5;2\n`,
    },
    options: `--camera name --time date,hour --time-format '%d.%m.%Y %H' --separator ';' --time-zone Europe/Berlin
      --count cars=pkw --count trucks=lkw --missing-value -1`,
    records: [
      "1,1,0012,2022-03-27T00:00:00Z,True,3,0,0,1,0,0,tf1",
      '2,2,"TE 1, left",2022-03-27T02:00:00Z,True,5,0,0,2,0,0,tf1',
    ],
    leftOut: ["1 without a count, such as a.csv:3"],
  },
  "columns whose names have a plus, for one field": {
    files: { "a.csv": "site,time,1160+ cm,520 - 1160 cm,a,b\nA,2025-01-02 03:00,1,2,4,8\n" },
    options: `--camera site --time time ${MINUTES} --time-zone UTC+01:00 --count 'trucks=1160+ cm'
      --count 'trucks=520 - 1160 cm' --count cars=a+b`,
    records: ["1,1,A,2025-01-02T02:00:00Z,True,12,0,0,3,0,0,tf1"],
  },
  "stations of two kinds, rows that end early, and a station without any count": {
    files: {
      "a.csv":
        "site,time,walkers,bikes,note\nA,2025-01-02 03:00,,5\nB,2025-01-02 03:00,7\nA,2025-01-02 04:00\nA,2025-01-02 05:00,,6,x\nC,2025-01-02 03:00\n",
    },
    options: `--camera site --time time ${MINUTES} --time-zone UTC+01:00 --count persons=walkers --count bicycles=bikes`,
    records: [
      "1,1,A,2025-01-02T02:00:00Z,True,0,0,5,0,0,0,tf1",
      "2,2,B,2025-01-02T02:00:00Z,True,0,7,0,0,0,0,tf1",
      "3,1,A,2025-01-02T04:00:00Z,True,0,0,6,0,0,0,tf1",
    ],
    leftOut: ["2 without a count, such as a.csv:6"],
  },
};
