import { createHash } from "node:crypto";

/** The part of a configuration that defines the rate limit. */
interface Limited {
  ratelimits?: { name: string; simple: { period: number } }[];
}

/** The name of the binding in wrangler.toml. */
const LIMITER = "RATE_LIMITER";

/**
 * Checks that `RATE_LIMIT`, which is sent to clients, is the period in which the platform counts: the worker cannot see it.
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

/** The largest `namespace_id` that is used, which surely fits every integer of the platform. */
const MAX_NAMESPACE_ID = 2 ** 31 - 1;

/**
 * Gives each rate limit of a worker a `namespace_id` of its own. Limits of one account share their counters if they have the
 * same id, so the id depends on the name of the worker and of the binding, and is always the same for these.
 */
export function assignNamespaceIds<T extends { name: string }>(
  worker: string,
  limits: T[],
): (T & { namespace_id: string })[] {
  return limits.map((limit) => {
    const hash = createHash("sha256").update(`${worker} ${limit.name}`).digest();
    return { ...limit, namespace_id: String(1 + (hash.readUInt32BE() % MAX_NAMESPACE_ID)) };
  });
}
