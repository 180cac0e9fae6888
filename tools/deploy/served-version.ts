import { z } from "zod";
import { runWrangler } from "../../data/stores/wrangler.ts";
import type { Programs } from "./run-command.ts";

const Deployments = z.array(
  z.object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })).min(1) }),
);

const Versions = z.array(
  z.object({ id: z.string(), annotations: z.record(z.string(), z.string()).nullish() }).loose(),
);

/** What wrangler reports about a worker that was never deployed. */
const NO_WORKER = /\[code: (10007|10090)\]/;

/**
 * Reads which versions of the code were in production, up to the last ten deployments.
 * @returns their ids, the current one last; empty if the worker does not exist
 * @throws an error with wrangler's output if the command fails
 */
export async function readHistory({ wrangler }: Programs): Promise<string[]> {
  try {
    const printed = await runWrangler(["deployments", "list", "--json"], { program: wrangler });
    return Deployments.parse(JSON.parse(printed)).map(
      ({ versions }) =>
        versions.reduce((most, one) => (one.percentage > most.percentage ? one : most)).version_id,
    );
  } catch (error) {
    if (NO_WORKER.test(String(error))) return [];
    throw error;
  }
}

/**
 * Finds the version that was in production before the current one was first deployed. So after a rollback, this is never
 * the version that was rolled back.
 * @param history the ids of the deployed versions, the current one last
 * @returns undefined if the history does not contain an earlier version
 */
export function findEarlierVersion(history: string[]): string | undefined {
  return history[history.indexOf(history.at(-1) ?? "") - 1];
}

/** Reads the commits of the versions: the tag and the message of each, by its id. */
export async function readCommits({ wrangler }: Programs): Promise<Map<string, string>> {
  const printed = await runWrangler(["versions", "list", "--json"], { program: wrangler });
  return new Map(
    Versions.parse(JSON.parse(printed)).map(({ id, annotations }) => [
      id,
      [annotations?.["workers/tag"], annotations?.["workers/message"]].filter((text) => text).join(" "),
    ]),
  );
}

/** Failures of `wrangler deploy`, and what to do about them. */
const KNOWN_FAILURES: [pattern: RegExp, advice: string][] = [
  [
    /\[code: 10072\]/,
    'The account has no cron trigger left. The free plan has 5 for all workers together. Remove one from another worker, or set GROW = "off" in wrangler.toml, and deploy again.',
  ],
  [
    /register a workers\.dev subdomain/,
    "The account has no subdomain of workers.dev. Choose one in the dashboard, under Workers & Pages, and deploy again.",
  ],
];

/**
 * Explains a failure of `wrangler deploy`: how to fix it, if the reason is known, and which version is served now. Wrangler
 * may fail when the new code is live already.
 * @param before the history before the command
 */
export async function explainFailedUpload(
  cause: unknown,
  before: string[],
  programs: Programs,
): Promise<Error> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const known = KNOWN_FAILURES.filter(([pattern]) => pattern.test(reason)).map(([, advice]) => advice);
  const served = await readHistory(programs).then(
    (after) => describeServed(before, after),
    () => "Run `npx wrangler deployments status` to see which version of the code is served.",
  );
  return new Error([reason, "", ...known, served].join("\n"), { cause });
}

function describeServed(before: string[], after: string[]): string {
  const current = after.at(-1);
  if (current === undefined) return "Nothing was deployed.";
  // Deploying the same code again makes a new version.
  if (current === before.at(-1)) return `The previous version of the code, ${current}, is still served.`;
  const undo = before.length === 0 ? "" : " To return to the version before it, run `npm run rollback`.";
  return `The new version of the code, ${current}, is served already.${undo}`;
}
