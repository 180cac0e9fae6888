/** How busy a kind of road user is, as a share of its busiest weekday hour (weekends may pass 1). */
export interface Rhythm {
  /** Cars and motorcycles. */
  traffic: number;
  trucks: number;
  buses: number;
  /** Persons and bicycles on their way to work, school and shops. */
  errands: number;
  /** Persons and bicycles on squares and paths. */
  leisure: number;
}

type Hours = Record<keyof Rhythm, readonly number[]>;

// Percent for each local hour of the day, 0 to 23.
// biome-ignore format: a day is a line
const WEEKDAY: Hours = {
  traffic: [12, 6, 4, 4, 4, 8, 25, 65, 90, 75, 68, 70, 75, 78, 72, 78, 92, 100, 80, 62, 52, 44, 34, 22],
  trucks: [12, 10, 10, 10, 14, 25, 50, 78, 95, 100, 96, 98, 95, 92, 88, 72, 52, 36, 26, 20, 18, 16, 14, 12],
  buses: [6, 2, 1, 1, 4, 20, 55, 90, 100, 80, 75, 80, 85, 88, 90, 90, 85, 75, 60, 45, 35, 28, 20, 12],
  errands: [8, 5, 4, 4, 4, 6, 12, 35, 65, 62, 62, 78, 92, 95, 72, 85, 100, 90, 72, 56, 42, 34, 30, 18],
  leisure: [6, 4, 2, 2, 2, 4, 8, 20, 36, 42, 50, 64, 80, 78, 60, 64, 70, 72, 64, 54, 42, 34, 24, 14],
};

// biome-ignore format: a day is a line
const WEEKEND: Hours = {
  traffic: [20, 14, 9, 6, 5, 5, 9, 16, 28, 42, 54, 62, 64, 60, 58, 60, 62, 60, 54, 46, 38, 32, 28, 24],
  trucks: [8, 6, 6, 6, 6, 8, 14, 20, 26, 30, 30, 30, 28, 26, 24, 20, 18, 16, 12, 10, 8, 8, 8, 8],
  buses: [8, 4, 1, 1, 1, 4, 14, 24, 34, 40, 44, 46, 46, 46, 46, 46, 44, 40, 34, 28, 22, 18, 14, 10],
  errands: [16, 12, 8, 6, 5, 5, 6, 10, 22, 40, 58, 68, 70, 68, 70, 72, 70, 62, 52, 46, 38, 32, 28, 22],
  leisure: [18, 12, 8, 4, 3, 3, 5, 10, 26, 52, 84, 104, 110, 106, 104, 100, 92, 78, 64, 54, 46, 38, 30, 24],
};

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The cameras keep Central European winter time (UTC+1) all year: the peaks do not move with the clocks. */
const UTC_OFFSET = HOUR;

/** 1970-01-01 was a Thursday, and the week here starts on Monday. */
const MONDAY_TO_THURSDAY = 3;
const SATURDAY = 5;

/** How busy the roads are at `time`, in whole seconds since 1970-01-01 UTC, 0 or more. */
export function rhythmAt(time: number): Rhythm {
  const local = time + UTC_OFFSET;
  const hour = Math.floor((local % DAY) / HOUR);
  const weekday = (Math.floor(local / DAY) + MONDAY_TO_THURSDAY) % 7;
  const { traffic, trucks, buses, errands, leisure } = weekday < SATURDAY ? WEEKDAY : WEEKEND;
  const share = (hours: readonly number[]) => (hours[hour] ?? 0) / 100;
  return {
    traffic: share(traffic),
    trucks: share(trucks),
    buses: share(buses),
    errands: share(errands),
    leisure: share(leisure),
  };
}
