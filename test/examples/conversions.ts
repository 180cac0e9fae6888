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

export const CONVERSIONS: Record<string, Conversion> = {
  "the example in docs/data.md": {
    files: { "sensors.csv": EXAMPLE },
    options: COMMAND.split(/sensors\.csv|--out/)[1] ?? "",
    records: [
      "1,1,0012,2025-10-26T00:00:00Z,True,14,0,3,0,0,0,tf1",
      "2,1,0012,2025-10-26T01:00:00Z,True,17,0,4,0,0,0,tf1",
    ],
    leftOut: "1 without a count",
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
  "a skipped hour, a repeated hour, and the empty cell of a failed counter": {
    files: {
      "2014.csv":
        "time;0012\nSun 30 Mar 2014 02:00;20\nSun 30 Mar 2014 03:00;0\nSun 30 Mar 2014 04:00;\nSun 26 Oct 2014 03:00;30\nSun 26 Oct 2014 03:00;40\n",
    },
    options: `--columns bicycles --time time --time-format '%a %d %b %Y %H:%M' --separator ';'
      --time-zone Europe/Helsinki --missing failed`,
    records: [
      "1,1,0012,2014-03-30T00:00:00Z,True,0,0,20,0,0,0,tf1",
      "2,1,0012,2014-03-30T01:00:00Z,False,0,0,0,0,0,0,tf1",
      "3,1,0012,2014-10-26T00:00:00Z,True,0,0,30,0,0,0,tf1",
      "4,1,0012,2014-10-26T01:00:00Z,True,0,0,40,0,0,0,tf1",
    ],
    leftOut: "1 at a time that the clocks skip",
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
      "4,1,0012,2013-11-03T08:00:00Z,True,0,11,7,0,0,0,tf1",
      "5,1,0012,2013-11-03T09:00:00Z,True,0,3,3,0,0,0,tf1",
    ],
    leftOut: "1 at a time that the clocks skip, 1 without a count",
  },
  "a file for each day, with the date and the hour in two columns": {
    files: {
      "2022-03-27.csv": `name;date;hour;pkw;lkw\n0012;27.03.2022;1;3;1\n0012;27.03.2022;2;0;0\n" TE 1, left ";27.03.2022;3;4;-1\nNA;27.03.2022;3;5;2\n`,
      "2022-10-30.csv": `name;date;hour;pkw;lkw\n0012;30.10.2022;2;6;1\n" TE 1, left ";30.10.2022;2;7;1\n0012;30.10.2022;2;8;1\n" TE 1, left ";30.10.2022;2;9;1\n`,
    },
    options: `--camera name --time date,hour --time-format '%d.%m.%Y %H' --separator ';' --time-zone Europe/Berlin
      --count cars=pkw --count trucks=lkw --missing-value -1`,
    records: [
      "1,1,0012,2022-03-27T00:00:00Z,True,3,0,0,1,0,0,tf1",
      "2,2,NA,2022-03-27T01:00:00Z,True,5,0,0,2,0,0,tf1",
      "3,1,0012,2022-10-30T00:00:00Z,True,6,0,0,1,0,0,tf1",
      '4,3,"TE 1, left",2022-10-30T00:00:00Z,True,7,0,0,1,0,0,tf1',
      "5,1,0012,2022-10-30T01:00:00Z,True,8,0,0,1,0,0,tf1",
      '6,3,"TE 1, left",2022-10-30T01:00:00Z,True,9,0,0,1,0,0,tf1',
    ],
    leftOut: "1 at a time that the clocks skip, 1 without a count",
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
        "site\ttime\tcars\nA\t202501020300\t1.234\nA\t202501020400\t12.345.678,50\nA\t202501020500\t999\n",
    },
    options: `${SIMPLE} --time-format %Y%m%d%H%M --time-zone UTC+01:00 --separator '\\t' --decimal , --thousands .`,
    records: listLines(
      "1 A 2025-01-02T02:00 1234",
      "1 A 2025-01-02T03:00 12345679",
      "1 A 2025-01-02T04:00 999",
    ),
  },
  "a repeated hour with unequal minutes, and cameras that alternate": {
    files: {
      "hour.csv":
        "site,time,cars\nA,2025-10-26 02:05,1\nB,2025-10-26 02:50,2\nA,2025-10-26 02:35,3\nA,2025-10-26 02:10,4\nB,2025-10-26 02:20,5\nA,2025-10-26 02:40,6\nA,2025-10-26 03:00,7\n",
    },
    options: BERLIN,
    records: listLines(
      "1 A 2025-10-26T00:05 1",
      "1 A 2025-10-26T00:35 3",
      "2 B 2025-10-26T00:50 2",
      "1 A 2025-10-26T01:10 4",
      "2 B 2025-10-26T01:20 5",
      "1 A 2025-10-26T01:40 6",
      "1 A 2025-10-26T02:00 7",
    ),
  },
  "a repeated half hour whose passes are in two files": {
    files: {
      "1.csv": "site,time,cars\nA,2025-04-06 01:30,1\nA,2025-04-06 01:45,2\n",
      "2.csv": "site,time,cars\nA,2025-04-06 01:30,3\nA,2025-04-06 01:45,4\nA,2025-04-06 02:00,5\n",
    },
    options: `${SIMPLE} --time-format '%Y-%m-%d %H:%M' --time-zone Australia/Lord_Howe`,
    records: listLines(
      "1 A 2025-04-05T14:30 1",
      "1 A 2025-04-05T14:45 2",
      "1 A 2025-04-05T15:00 3",
      "1 A 2025-04-05T15:15 4",
      "1 A 2025-04-05T15:30 5",
    ),
  },
  "lanes that are added up, also in the repeated hour": {
    files: {
      "lanes.csv":
        "site,time,lane,cars\nA,2025-10-26 01:00,1,0.25\nA,2025-10-26 01:00,2,0.25\nA,2025-10-26 02:00,1,1\nA,2025-10-26 02:00,2,2\nA,2025-10-26 02:00,1,10\nA,2025-10-26 02:00,2,20\nA,2025-10-26 03:00,1,\nA,2025-10-26 03:00,2,9\n",
    },
    options: `${BERLIN} --sum`,
    records: listLines("1 A 2025-10-25T23:00 1", "1 A 2025-10-26T00:00 3", "1 A 2025-10-26T01:00 30"),
    leftOut: "2 without a count",
  },
  "one lane after the other": {
    files: {
      "lanes.csv":
        "site,time,lane,cars\nA,2025-10-26 02:00,1,1\nA,2025-10-26 02:00,1,10\nA,2025-10-26 03:00,1,100\nA,2025-10-26 01:00,2,4\nA,2025-10-26 02:00,2,2\nA,2025-10-26 02:00,2,20\n",
    },
    options: `${BERLIN} --sum`,
    records: listLines(
      "1 A 2025-10-25T23:00 4",
      "1 A 2025-10-26T00:00 3",
      "1 A 2025-10-26T01:00 30",
      "1 A 2025-10-26T02:00 100",
    ),
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
