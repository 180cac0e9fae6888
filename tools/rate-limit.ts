/** The part of a configuration that defines the rate limit. */
interface Limited {
  ratelimits?: { name: string; simple: { period: number } }[];
}

/** The name of the binding in wrangler.toml. */
const LIMITER = "RATE_LIMITER";

/**
 * Checks that `RATE_LIMIT`, which clients are told, is the period in which the platform counts: the worker cannot see it.
 * @param setting the variable; the worker checks whether it is a period at all
 * @param configuration wrangler.toml as a whole, or its `[previews]`
 * @throws Error if the two differ
 */
export function requirePeriod(setting: unknown, { ratelimits = [] }: Limited): void {
  const limiter = ratelimits.find(({ name }) => name === LIMITER);
  if (!limiter || !["10", "60"].includes(String(setting))) return;
  const { period } = limiter.simple;
  if (Number(setting) === period) return;
  throw new Error(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s: the two must agree.`,
  );
}
