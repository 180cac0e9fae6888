import { NO_COUNTS, ROAD_USERS } from "../../../src/records/road-users.ts";
import type { Observation } from "../../../src/store/block.ts";
import type { Day, Hour, RecordStatistics } from "../../../src/store/stored-statistics.ts";

/** The maximum number of cameras in a collection, because a load compares all of them in memory. */
export const MAX_CAMERAS = 100_000;

/** The maximum number of days with records, because the statistics list all of them. */
export const MAX_DAYS = 100_000;

/** Collects the statistics of records, which can be added in any order. */
export function createStatisticsCollector() {
  const totals = { ...NO_COUNTS };
  const calendar = createCalendar();
  let first: string | null = null;
  let last: string | null = null;
  return {
    /** Returns false if the record exceeds `MAX_DAYS`. */
    add(record: Observation): boolean {
      const { timestamp } = record;
      if (first === null || timestamp < first) first = timestamp;
      if (last === null || timestamp > last) last = timestamp;
      let roadUsers = 0;
      for (const name of ROAD_USERS) {
        totals[name] += record[name];
        roadUsers += record[name];
      }
      return calendar.add(record, roadUsers);
    },
    getStatistics(cameras: number): RecordStatistics {
      return { first, last, cameras, totals, days: calendar.listDays(), hours: calendar.hours };
    },
  };
}

/** Counts records by their day, and by the hour of the day. */
function createCalendar() {
  const createHours = () => Array.from({ length: 24 }, (): Hour => [0, 0]);
  const hours = { weekdays: createHours(), weekends: createHours() };
  const days = new Map<string, { day: Day; hoursOfDay: Hour[] }>();
  const addDay = (date: string) => {
    const day: Day = [date, 0, 0, 0, 0];
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
    const added = { day, hoursOfDay: isWeekend ? hours.weekends : hours.weekdays };
    days.set(date, added);
    return added;
  };
  return {
    hours,
    listDays: () =>
      Array.from(days.values(), ({ day }) => day).sort(([one], [other]) => (one < other ? -1 : 1)),
    add({ timestamp, camera_ok }: Observation, roadUsers: number): boolean {
      const date = timestamp.slice(0, 10);
      if (days.size === MAX_DAYS && !days.has(date)) return false;
      const { day, hoursOfDay } = days.get(date) ?? addDay(date);
      day[1] += 1;
      if (camera_ok === "False") day[2] += 1;
      if (camera_ok === null) day[3] += 1;
      day[4] += roadUsers;
      // The counts are 0 even if road users passed by, so they would lower the mean of the hour.
      if (camera_ok === "False") return true;
      const hour = Number(timestamp.slice(11, 13));
      const [records, sum] = hoursOfDay[hour] ?? [0, 0];
      hoursOfDay[hour] = [records + 1, sum + roadUsers];
      return true;
    },
  };
}
