/** The Finnish months, which are abbreviated in tables. */
export const MONTHS = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu".split(" ");

/**
 * Makes a function that writes a moment as local time, in a pattern of `%d` and the like. The time zones are those of
 * JavaScript, not those of Python.
 */
export function createTimeFormatter(timeZone: string): (time: number, pattern: string) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const finnish = new Intl.DateTimeFormat("fi-FI", { timeZone, weekday: "short" });
  return (time, pattern) => {
    const [year = "", month = "", day = "", hour = ""] = format.format(time).split(/\D/);
    const parts: Record<string, string> = {
      Y: year,
      m: month,
      b: MONTHS[Number(month) - 1] ?? "",
      d: day,
      e: String(Number(day)),
      a: finnish.format(time),
      H: hour,
      k: String(Number(hour)),
      I: String(Number(hour) % 12 || 12).padStart(2, "0"),
      p: Number(hour) < 12 ? "AM" : "PM",
    };
    return pattern.replaceAll(/%(\w)/g, (_, name) => parts[name] ?? "");
  };
}

/** The given number of hours, one after the other. */
export const listHours = (from: string, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Date.parse(from) + index * 3_600_000);
