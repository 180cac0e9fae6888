import { NO_COUNTS, ROAD_USERS, type TrafficRecord } from "../src/records/record.ts";
import type { Day, Hour, Statistics } from "../src/store/stored-statistics.ts";

/** The most cameras of a collection, because a load holds all of them in memory to compare them. */
export const MAX_CAMERAS = 100_000;

/** The most days that have records, because the statistics list all of them: 273 years. */
export const MAX_DAYS = 100_000;

/** Collects the statistics of records, which can be added in any order. */
export function createStatisticsCollector() {
  const totals = { ...NO_COUNTS };
  const calendar = createCalendar();
  let first: string | null = null;
  let last: string | null = null;
  return {
    add(record: TrafficRecord): void {
      const { timestamp } = record;
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
    getStatistics: (cameras: number): Statistics => ({
      first,
      last,
      cameras,
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
  const days = new Map<string, Day>();
  const hours = { weekdays: createHours(), weekends: createHours() };
  /** The day of the latest record, and the hours of such a day. Most records are of the same day as the one before. */
  let day: Day = ["", 0, 0, 0, 0];
  let hoursOfDay = hours.weekdays;
  const selectDay = (date: string) => {
    day = days.get(date) ?? [date, 0, 0, 0, 0];
    days.set(date, day);
    hoursOfDay = [0, 6].includes(new Date(date).getUTCDay()) ? hours.weekends : hours.weekdays;
  };
  return {
    hours,
    count: () => days.size,
    days: () => [...days.values()].sort(([one], [other]) => (one < other ? -1 : 1)),
    add({ timestamp, camera_ok }: TrafficRecord, roadUsers: number): void {
      // Such as `2025-10-29T07:30:00Z`.
      const date = timestamp.slice(0, 10);
      if (date !== day[0]) selectDay(date);
      day[1] += 1;
      if (camera_ok === "False") day[2] += 1;
      if (camera_ok === null) day[3] += 1;
      day[4] += roadUsers;
      // Its counts are 0 even if road users passed by, so it would make the mean of the hour smaller.
      if (camera_ok === "False") return;
      const hour = hoursOfDay[Number(timestamp.slice(11, 13))] as Hour;
      hour[0] += 1;
      hour[1] += roadUsers;
    },
  };
}

function createHours(): Hour[] {
  return Array.from({ length: 24 }, () => [0, 0]);
}
