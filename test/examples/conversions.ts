import { gzipSync } from "node:zlib";
import { listCodeBlocks } from "../documents/documentation.ts";

/** Files as cities publish them, the options that convert them, and the records, computed by hand. */
export interface Conversion {
  files: Record<string, string | Buffer>;
  /** As in a shell. */
  options: string;
  /** The lines of the records, oldest first. */
  records: string[];
  /** The end of what the program prints; none by default. */
  leftOut?: string;
}

/** The options for a table with the columns `site`, `time` and `cars`. */
export const SIMPLE = "--camera site --time time --count cars=cars";
export const BERLIN = `${SIMPLE} --time-format '%Y-%m-%d %H:%M' --time-zone Europe/Berlin`;

/** Lists records that count only cars: the `camera_pk`, the camera, the time and the cars of each. */
const listLines = (...records: string[]) =>
  records.map((record, index) => {
    const [pk, camera, time, cars] = record.split(" ");
    return `${index + 1},${pk},${camera},${time}:00Z,True,${cars},0,0,0,0,0,tf1`;
  });

const LONG = "Brébeuf (données non disponibles), piste cyclable de la rue Saint-Denis, direction sud";
const SHORTENED = '"Brébeuf (données non disponibles), piste…nt-Denis, direction sud"';

const [EXAMPLE = ""] = listCodeBlocks("docs/data.md", "");
const [COMMAND = ""] = listCodeBlocks("docs/data.md", "sh").filter((code) => code.includes("convert.py"));

/** What the program says of rows at a time that the clocks repeat or skip. @param first The first of them */
const atClocks = (change: "repeat" | "skip", rows: number, first: string) =>
  `${rows} at a time that the clocks ${change}, such as ${first}; with UTC or an offset (%z) they can be kept`;

export const CONVERSIONS: Record<string, Conversion> = {
  "the example in docs/data.md": {
    files: { "sensors.csv": EXAMPLE },
    options: COMMAND.split(/sensors\.csv|--out/)[1] ?? "",
    records: [
      "1,1,0012,2025-10-25T00:00:00Z,True,14,0,3,0,0,0,tf1",
      "2,2,North Gate,2025-10-25T00:00:00Z,True,7,0,0,0,0,0,tf1",
    ],
    leftOut: `${atClocks("repeat", 1, "sensors.csv:5 '2025-10-26 02:00'")}, 1 without a count`,
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
    leftOut: "1 empty, 2 without a count",
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
    leftOut: `${atClocks("skip", 1, "2014.csv:3 'Sun 30 Mar 2014 03:00'")}, ${atClocks("repeat", 2, "2014.csv:5 'Sun 26 Oct 2014 03:00'")}`,
  },
  "a file for each counter, newest row first, with a byte order mark, AM and PM, and blank hours": {
    files: {
      "0012.csv":
        "\ufeffDate,South,North,Bikes\r\n11/03/2013 01:00 AM,1,2,3\r\n11/03/2013 01:00 AM,5,6,7\r\n03/10/2013 03:00 AM,9,0,1\r\n03/10/2013 02:00 AM,5,5,5\r\n03/10/2013 12:00 AM,,,",
      "NA.csv": "\ufeffDate,South,North,Bikes\r\n07/01/2013 01:00 PM,2,3,4\r\n07/01/2013 12:00 AM,0,0,1\r\n",
    },
    options: `--camera-from-name --time Date --time-format '%m/%d/%Y %I:%M %p' --time-zone America/Los_Angeles
      --count 'persons=South + North' --count bicycles=Bikes`,
    records: [
      "1,1,0012,2013-03-10T10:00:00Z,True,0,9,1,0,0,0,tf1",
      "2,2,NA,2013-07-01T07:00:00Z,True,0,0,1,0,0,0,tf1",
      "3,2,NA,2013-07-01T20:00:00Z,True,0,5,4,0,0,0,tf1",
    ],
    leftOut: `${atClocks("repeat", 2, "0012.csv:2 '11/03/2013 01:00 AM'")}, ${atClocks("skip", 1, "0012.csv:5 '03/10/2013 02:00 AM'")}, 1 without a count`,
  },
  "a file for each day, with the date and the hour in two columns": {
    files: {
      "2022-03-27.csv": `name;date;hour;pkw;lkw\n0012;27.03.2022;1;3;1\n0012;27.03.2022;2;0;0\n" TE 1, left ";26.03.2022;3;9;1\n" TE 1, left ";27.03.2022;3;4;-1\nNA;27.03.2022;3;5;2\n`,
      "2022-10-30.csv": `name;date;hour;pkw;lkw\n0012;30.10.2022;2;6;1\n" TE 1, left ";30.10.2022;2;7;1\n0012;30.10.2022;2;8;1\n" TE 1, left ";30.10.2022;2;9;1\n`,
    },
    options: `--camera name --time date,hour --time-format '%d.%m.%Y %H' --separator ';' --time-zone Europe/Berlin
      --count cars=pkw --count trucks=lkw --missing-value -1`,
    records: [
      '1,1,"TE 1, left",2022-03-26T02:00:00Z,True,9,0,0,1,0,0,tf1',
      "2,2,0012,2022-03-27T00:00:00Z,True,3,0,0,1,0,0,tf1",
      "3,3,NA,2022-03-27T01:00:00Z,True,5,0,0,2,0,0,tf1",
    ],
    leftOut: `${atClocks("skip", 1, "2022-03-27.csv:3 '27.03.2022 2'")}, ${atClocks("repeat", 4, "2022-10-30.csv:2 '30.10.2022 2'")}, 1 without a count`,
  },
  "JSON with decimals, times in UTC, and numbers as names": {
    files: {
      "segments.json": `{"status": 200, "report": [
        {"id": 9000000012, "date": "2023-07-12T05:00:00.000Z", "car": 12.4, "van": 0.1, "lane": [1]},
        {"id": 9000000012, "date": "2023-07-12T06:00:00.000Z", "car": null, "van": 1},
        {"id": 0.10, "date": "2023-07-12T05:00:00.000Z", "car": 1003.5, "van": "0"}, {}]}`,
    },
    options: `--list report --camera id --time date --time-format %Y-%m-%dT%H:%M:%S.%f%z --count cars=car+van`,
    records: listLines("1 0.10 2023-07-12T05:00 1004", "2 9000000012 2023-07-12T05:00 13"),
    leftOut: "1 empty, 1 without a count",
  },
  "thousands with dots, decimal commas, tabs, and a fixed offset": {
    files: {
      "tab.csv":
        "site\ttime\tcars\nA\t202501020300\t1.234\nA\t202501020400\t12.345.678,50\nA\t202501020500\t999\nA\t202501020600\t1234\n",
    },
    options: `${SIMPLE} --time-format %Y%m%d%H%M --time-zone UTC+01:00 --separator '\\t' --decimal , --thousands .`,
    records: listLines(
      "1 A 2025-01-02T02:00 1234",
      "1 A 2025-01-02T03:00 12345679",
      "1 A 2025-01-02T04:00 999",
      "1 A 2025-01-02T05:00 1234",
    ),
  },
  "lanes with measurements in an unused column, not in the repeated hour": {
    files: {
      "lanes.csv":
        "site,time,lane,rain,cars\nA,2025-10-26 01:00,1,0.1,0.25\nA,2025-10-26 01:00,2,0.2,0.25\nA,2025-10-26 02:00,1,0.3,10\nA,2025-10-26 02:00,2,0.4,20\nA,2025-10-26 02:00,1,0.3,100\nA,2025-10-26 02:00,2,0.4,200\nA,2025-10-26 03:00,1,,\nA,2025-10-26 03:00,2,,9\n",
    },
    options: `${BERLIN} --sum`,
    records: listLines("1 A 2025-10-25T23:00 1"),
    leftOut: `${atClocks("repeat", 4, "lanes.csv:4 '2025-10-26 02:00'")}, 2 without a count`,
  },
  "days that begin at 01:00, and a midnight that is repeated": {
    files: { "days.csv": "site,time,cars\nA,2022-09-11,1\nA,2022-09-12,2\n" },
    options: `${SIMPLE} --time-format %Y-%m-%d --time-zone America/Santiago`,
    records: listLines("1 A 2022-09-11T04:00 1", "1 A 2022-09-12T03:00 2"),
  },
  "a day whose midnight the clocks repeat": {
    files: { "days.csv": "site,time,cars\nA,2025-10-26,1\n" },
    options: `${SIMPLE} --time-format %Y-%m-%d --time-zone Atlantic/Azores`,
    records: listLines("1 A 2025-10-26T00:00 1"),
  },
  "the ends of hours in October": {
    files: {
      "ends.csv":
        "site,time,cars\nA,2025-10-25 24:00,1\nA,2025-10-26 02:00,2\nA,2025-10-26 03:00,3\nA,2025-10-26 04:00,4\n",
    },
    options: `${BERLIN} --interval-end 60`,
    records: listLines("1 A 2025-10-25T21:00 1", "1 A 2025-10-25T23:00 2", "1 A 2025-10-26T02:00 4"),
    leftOut: atClocks("repeat", 1, "ends.csv:4 '2025-10-26 03:00'"),
  },
  "the ends of quarters of an hour in March": {
    files: {
      "ends.csv":
        "site,date,hour,cars\nA,2025-03-30,2:00,1\nA,2025-03-30,3:15,2\nA,2025-03-30,24:00,3\nA,2025-12-31,24:00,4\n",
    },
    options: `--camera site --time date,hour --count cars=cars --time-format '%Y-%m-%d %H:%M' --time-zone Europe/Berlin --interval-end 15`,
    records: listLines(
      "1 A 2025-03-30T00:45 1",
      "1 A 2025-03-30T01:00 2",
      "1 A 2025-03-30T21:45 3",
      "1 A 2025-12-31T22:45 4",
    ),
  },
  "columns whose names have a plus, for one field": {
    files: { "lengths.csv": "site,time,1160+ cm,520 - 1160 cm,a,b\nA,2025-01-02 03:00,1,2,4,8\n" },
    options: `--camera site --time time --time-format '%Y-%m-%d %H:%M' --time-zone UTC --count 'trucks=1160+ cm' --count 'trucks=520 - 1160 cm' --count cars=a+b`,
    records: ["1,1,A,2025-01-02T03:00:00Z,True,12,0,0,3,0,0,tf1"],
  },
  "stations of two kinds, and rows without their empty cells at the end": {
    files: {
      "kinds.csv":
        "site,time,walkers,bikes,note\nA,2025-01-02 03:00,,5\nB,2025-01-02 03:00,7\nA,2025-01-02 04:00\nA,2025-01-02 05:00,,6,x\nC,2025-01-02 03:00\n",
    },
    options: `--camera site --time time --time-format '%Y-%m-%d %H:%M' --time-zone UTC --count persons=walkers --count bicycles=bikes`,
    records: [
      "1,1,A,2025-01-02T03:00:00Z,True,0,0,5,0,0,0,tf1",
      "2,2,B,2025-01-02T03:00:00Z,True,0,7,0,0,0,0,tf1",
      "3,1,A,2025-01-02T05:00:00Z,True,0,0,6,0,0,0,tf1",
    ],
    leftOut: "2 without a count",
  },
  "gzipped files, offsets in hours, and seven decimals": {
    files: {
      "A.csv.gz": gzipSync("time,cars\n2025-01-02T03:00:00.1234567+01,1\n2025-01-02T03:00:00.9-08,2\n"),
    },
    options: "--camera-from-name --time time --time-format %Y-%m-%dT%H:%M:%S.%f%z --count cars=cars",
    records: listLines("1 A 2025-01-02T02:00 1", "1 A 2025-01-02T11:00 2"),
  },
  "a nested list of JSON": {
    files: { "a.json": `{"result": {"records": [{"site": "A", "time": "2025-01-02 03:00", "cars": 1}]}}` },
    options: `${SIMPLE} --list result.records --time-format '%Y-%m-%d %H:%M' --time-zone UTC`,
    records: listLines("1 A 2025-01-02T03:00 1"),
  },
  "JSON that is a list": {
    files: { "a.json": `[{"site": "A", "time": "2025-01-02 03:00", "cars": 1}]` },
    options: `${SIMPLE} --list . --time-format '%Y-%m-%d %H:%M' --time-zone UTC`,
    records: listLines("1 A 2025-01-02T03:00 1"),
  },
  "equal rows of one file, which are parts of one count": {
    files: {
      "a.csv": "site,time,cars\nA,2025-01-02 03:00,1\nA,2025-01-02 03:00,1\n",
      "b.csv": "site,time,cars\nA,2025-01-02 03:00,2\n",
    },
    options: `${BERLIN} --sum`,
    records: listLines("1 A 2025-01-02T02:00 4"),
  },
  "times with offsets in any order, quoted cells, and an empty line": {
    files: {
      "offsets.csv":
        'site, time, cars\nA, "2025-10-26T02:30:00+01:00", 2\nA, 2025-10-26T02:30:00+02:00, 1\n\n"North, Gate",2025-10-26T02:30:00Z,3\n',
    },
    options: `${SIMPLE} --time-format %Y-%m-%dT%H:%M:%S%z`,
    records: [
      "1,1,A,2025-10-26T00:30:00Z,True,1,0,0,0,0,0,tf1",
      "2,1,A,2025-10-26T01:30:00Z,True,2,0,0,0,0,0,tf1",
      '3,2,"North, Gate",2025-10-26T02:30:00Z,True,3,0,0,0,0,0,tf1',
    ],
    leftOut: "1 empty",
  },
};
