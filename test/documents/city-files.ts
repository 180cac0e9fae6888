/** Files as cities publish them, the edits of the script in docs/data.md that they need, and the records, computed by hand. */
export interface CityFiles {
  /** In the order of their names. */
  files: Record<string, string | Buffer>;
  /** The assignments that the reader edits. */
  settings: Record<string, string>;
  /** The arguments of `read_csv` that the reader edits. */
  arguments?: Record<string, string>;
  /** The beginnings of the comments in docs/data.md whose lines the reader adds. */
  added: string[];
  /** The lines of an export, in the order of their ids. */
  records: string[];
  /** The number of rows without a record. */
  leftOut: number;
}

/** The comment of the lines that replace `read_csv`. */
export const JSON_LIST = "JSON with a list";

const LATIN = { sep: '";"', encoding: '"latin-1"' };
const CAMERA_COLUMNS = { COUNTS: '{"bicycles": ["count"]}' };

/** Daily sums in Latin-1, with semicolons, decimal commas, and a column for each counter. Half numbers are rounded to even numbers. */
const montreal: CityFiles = {
  files: {
    "2012.csv": Buffer.from(
      [
        "Date;Berri 1;0012;NA;Brébeuf (données non disponibles), piste cyclable de la rue Saint-Denis, direction sud ",
        "09/03/2012;200,5;;201,5;2",
        "12/03/2012;3,5;4;-;7",
      ].join("\r\n"),
      "latin1",
    ),
  },
  settings: {
    "CAMERA, TIME": '"site", "Date"',
    "TIME_FORMAT, TIME_ZONE": '"%d/%m/%Y", "America/Toronto"',
    ...CAMERA_COLUMNS,
  },
  arguments: { ...LATIN, decimal: '","' },
  added: ["A column for each camera"],
  records: [
    "1,1,Berri 1,2012-03-09T05:00:00Z,True,0,0,200,0,0,0,tf1",
    "2,1,Berri 1,2012-03-12T04:00:00Z,True,0,0,4,0,0,0,tf1",
    "3,2,0012,2012-03-12T04:00:00Z,True,0,0,4,0,0,0,tf1",
    "4,3,NA,2012-03-09T05:00:00Z,True,0,0,202,0,0,0,tf1",
    '5,4,"Brébeuf (données non disponibles), piste…nt-Denis, direction sud",2012-03-09T05:00:00Z,True,0,0,2,0,0,0,tf1',
    '6,4,"Brébeuf (données non disponibles), piste…nt-Denis, direction sud",2012-03-12T04:00:00Z,True,0,0,7,0,0,0,tf1',
  ],
  leftOut: 2,
};

const FINNISH_MONTHS = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu".split(" ");
/** The hour in UTC of 12:00 in Helsinki on the third day of each month. */
const HOURS = [10, 10, 10, "09", "09", "09", "09", "09", "09", "09", 10, 10];

/** Finnish days and months. One hour is skipped, and one is repeated. An empty cell means that the counter failed. */
const helsinki: CityFiles = {
  files: {
    "2014.csv": Buffer.from(
      [
        "Päivämäärä;0012",
        ...FINNISH_MONTHS.map((month, index) => `ke 3 ${month} 2014 12:00;${index}`),
        "su 30 maalis 2014 02:00;20",
        "su 30 maalis 2014 03:00;0",
        "su 30 maalis 2014 04:00;",
        "su 26 loka 2014 03:00;30",
        "su 26 loka 2014 03:00;40",
      ].join("\n"),
      "latin1",
    ),
  },
  settings: {
    "CAMERA, TIME": '"site", "Päivämäärä"',
    "TIME_FORMAT, TIME_ZONE": '"%d %m %Y %H:%M", "Europe/Helsinki"',
    MISSING: '"failed"',
    ...CAMERA_COLUMNS,
  },
  arguments: LATIN,
  added: ["A column for each camera", "Finnish days and months"],
  records: [
    ...HOURS.map((hour, index) => {
      const month = String(index + 1).padStart(2, "0");
      return `${index + 1},1,0012,2014-${month}-03T${hour}:00:00Z,True,0,0,${index},0,0,0,tf1`;
    }),
    "13,1,0012,2014-03-30T00:00:00Z,True,0,0,20,0,0,0,tf1",
    "14,1,0012,2014-03-30T01:00:00Z,False,0,0,0,0,0,0,tf1",
    "15,1,0012,2014-10-26T00:00:00Z,True,0,0,30,0,0,0,tf1",
    "16,1,0012,2014-10-26T01:00:00Z,True,0,0,40,0,0,0,tf1",
  ],
  leftOut: 1,
};

const SEATTLE_HEADER = "\ufeffDate,Ped South,Ped North,Bike North,Bike South";

/** A file for each counter, newest row first, with a byte order mark, AM and PM, and blank hours. */
const seattle: CityFiles = {
  files: {
    "0012.csv": [
      SEATTLE_HEADER,
      "11/03/2013 01:00:00 AM,1,2,3,4",
      "11/03/2013 01:00:00 AM,5,6,7,8",
      "03/10/2013 03:00:00 AM,9,0,1,1",
      "03/10/2013 02:00:00 AM,5,5,5,5",
      "03/10/2013 12:00:00 AM,,,,",
    ].join("\r\n"),
    "Fremont Bridge Sidewalks, south of N 34th St, both sidewalks and all directions.csv": `${SEATTLE_HEADER}\r\n07/01/2013 12:00:00 PM,1,1,1,1\r\n`,
    "NA.csv": `${SEATTLE_HEADER}\r\n07/01/2013 01:00:00 PM,2,3,4,5\r\n`,
  },
  settings: {
    "CAMERA, TIME": '"site", "Date"',
    "TIME_FORMAT, TIME_ZONE": '"%m/%d/%Y %I:%M:%S %p", "America/Los_Angeles"',
    COUNTS: '{"persons": ["Ped South", "Ped North"], "bicycles": ["Bike North", "Bike South"]}',
  },
  added: ["A file for each camera", "The newest row first"],
  records: [
    "1,1,0012,2013-03-10T10:00:00Z,True,0,9,2,0,0,0,tf1",
    "2,1,0012,2013-11-03T08:00:00Z,True,0,11,15,0,0,0,tf1",
    "3,1,0012,2013-11-03T09:00:00Z,True,0,3,7,0,0,0,tf1",
    '4,2,"Fremont Bridge Sidewalks, south of N 34t…alks and all directions",2013-07-01T19:00:00Z,True,0,2,2,0,0,0,tf1',
    "5,3,NA,2013-07-01T20:00:00Z,True,0,5,9,0,0,0,tf1",
  ],
  leftOut: 2,
};

/** A file for each day, with the date and the hour in two columns. The clocks change on both days. */
const berlin: CityFiles = {
  files: {
    "2022-03-27.csv": `name;date;hour;pkw;lkw
0012;27.03.2022;1;3;1
0012;27.03.2022;2;0;0
" TE 001, left lane ";27.03.2022;3;4;-1
NA;27.03.2022;3;5;2
`,
    "2022-10-30.csv": `name;date;hour;pkw;lkw
0012;30.10.2022;2;6;1
" TE 001, left lane ";30.10.2022;2;7;1
0012;30.10.2022;2;8;1
" TE 001, left lane ";30.10.2022;2;9;1
NA;30.10.2022;23;0;0
`,
  },
  settings: {
    "CAMERA, TIME": '"name", "time"',
    "TIME_FORMAT, TIME_ZONE": '"%d.%m.%Y %H", "Europe/Berlin"',
    COUNTS: '{"cars": ["pkw"], "trucks": ["lkw"]}',
  },
  arguments: { sep: '";"', na_values: '["-1"]' },
  added: ["The date and the hour in two columns"],
  records: [
    "1,1,0012,2022-03-27T00:00:00Z,True,3,0,0,1,0,0,tf1",
    "2,2,NA,2022-03-27T01:00:00Z,True,5,0,0,2,0,0,tf1",
    "3,1,0012,2022-10-30T00:00:00Z,True,6,0,0,1,0,0,tf1",
    '4,3,"TE 001, left lane",2022-10-30T00:00:00Z,True,7,0,0,1,0,0,tf1',
    "5,1,0012,2022-10-30T01:00:00Z,True,8,0,0,1,0,0,tf1",
    '6,3,"TE 001, left lane",2022-10-30T01:00:00Z,True,9,0,0,1,0,0,tf1',
    "7,2,NA,2022-10-30T22:00:00Z,True,0,0,0,0,0,0,tf1",
  ],
  leftOut: 2,
};

/** JSON with decimals and times in UTC. */
const telraam: CityFiles = {
  files: {
    "segment-1.json": `{"status_code": 200, "report": [
      {"segment_id": 9000000012, "date": "2023-07-12T05:00:00.000Z", "car": 12.5, "heavy": 1, "bike": 0.4, "pedestrian": 1.5},
      {"segment_id": 9000000012, "date": "2023-07-12T06:00:00.000Z", "car": null, "heavy": 1, "bike": 2, "pedestrian": 3}]}`,
    "segment-2.json": `{"status_code": 200, "report": [
      {"segment_id": 348917, "date": "2023-07-12T05:00:00.000Z", "car": 1003.51, "heavy": 0, "bike": 7, "pedestrian": 0}]}`,
  },
  settings: {
    "CAMERA, TIME": '"segment_id", "date"',
    "TIME_FORMAT, TIME_ZONE": '"%Y-%m-%dT%H:%M:%S.%f%z", None',
    COUNTS: '{"cars": ["car"], "trucks": ["heavy"], "bicycles": ["bike"], "persons": ["pedestrian"]}',
  },
  added: [JSON_LIST],
  records: [
    "1,1,9000000012,2023-07-12T05:00:00Z,True,12,2,0,1,0,0,tf1",
    "2,2,348917,2023-07-12T05:00:00Z,True,1004,0,7,0,0,0,tf1",
  ],
  leftOut: 1,
};

export const CITY_FILES = { montreal, helsinki, seattle, berlin, telraam };
