import {
  type Day,
  type Hour,
  NO_COUNTS,
  ROAD_USERS,
  type Statistics,
  type TrafficRecord,
} from "../src/records/record.ts";

/** The most cameras of a collection: the statistics list all of them, and commands hold them in memory. */
export const MOST_CAMERAS = 100_000;

/** The most days that have records, for the same reason: 273 years. */
export const MOST_DAYS = 100_000;

/** Collects the statistics of records, which can be added in any order. */
export function gatherStatistics() {
  const cameras = new Map<number, string>();
  const totals = { ...NO_COUNTS };
  const calendar = createCalendar();
  let first: string | null = null;
  let last: string | null = null;
  return {
    add(record: TrafficRecord): void {
      const { timestamp } = record;
      cameras.set(record.camera_pk, record.camera_ref);
      if (first === null || timestamp < first) first = timestamp;
      if (last === null || timestamp > last) last = timestamp;
      let roadUsers = 0;
      for (const name of ROAD_USERS) {
        totals[name] += record[name];
        roadUsers += record[name];
      }
      calendar.add(record, roadUsers);
    },
    countDays: calendar.count,
    /** The statistics of the records so far, without their sources. */
    statistics: (): Statistics => ({
      first,
      last,
      cameras: [...cameras].sort(([one], [other]) => one - other),
      totals,
      days: calendar.days(),
      hours: calendar.hours,
      sources: [],
      source_count: 0,
    }),
  };
}

/** Counts records by their day, and by the hour of the day. */
function createCalendar() {
  const days = new Map<string, { day: Day; hours: Hour[] }>();
  const hours = { weekdays: createHours(), weekends: createHours() };
  const openDay = (date: string) => {
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
    const day: Day = [date, 0, 0, 0, 0];
    const opened = { day, hours: isWeekend ? hours.weekends : hours.weekdays };
    days.set(date, opened);
    return opened;
  };
  return {
    hours,
    count: () => days.size,
    days: () => Array.from(days.values(), ({ day }) => day).sort(([one], [other]) => (one < other ? -1 : 1)),
    add({ timestamp, camera_ok }: TrafficRecord, roadUsers: number): void {
      // Such as `2025-10-29T07:30:00Z`.
      const date = timestamp.slice(0, 10);
      const hourOfDay = Number(timestamp.slice(11, 13));
      const { day, hours } = days.get(date) ?? openDay(date);
      day[1] += 1;
      if (camera_ok === "False") day[2] += 1;
      if (camera_ok === null) day[3] += 1;
      day[4] += roadUsers;
      // Its counts are 0 even if road users passed by, so it would make the mean of the hour smaller.
      if (camera_ok === "False") return;
      const hour = hours[hourOfDay] as Hour;
      hour[0] += 1;
      hour[1] += roadUsers;
    },
  };
}

function createHours(): Hour[] {
  return Array.from({ length: 24 }, () => [0, 0]);
}
