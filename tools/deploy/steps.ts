/** Advice for wrangler errors. The patterns match the text of an error or Cloudflare's error code. */
const ADVICE: [error: RegExp, advice: string][] = [
  // The token is missing, was rejected (1000, 9109, 10000), or has no permission for D1 (7403).
  [
    /CLOUDFLARE_API_TOKEN|wrangler login|not (logged in|authenticated)|code: (1000|7403|9109|10000)\b/i,
    "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a valid token with the permissions Workers Scripts, Workers KV Storage, D1 and, for your own domain, Workers Routes, each with Edit. The token also needs Account Settings: Read, unless you set `account_id` in wrangler.toml.",
  ],
  // The database of the deployed worker was deleted. Wrangler prefers its id to the database name in wrangler.toml.
  [
    /code: 7404\b/,
    "The D1 database with this id was deleted. Find the id of a different database with `npx wrangler d1 list`, or create a database with `npx wrangler d1 create NAME`. Set its id as `database_id` below [[d1_databases]] in wrangler.toml. You can remove this line after a deployment.",
  ],
];

/** Thrown if a later deployment has replaced this deployment. Then the hint of the step does not apply. */
export class ReplacedError extends Error {}

/**
 * Prints the title of a step and runs it.
 * @param title The title, such as "deploy the worker"
 * @param hint Printed if the step fails or is interrupted: what was created until then, and what the user can do
 * @throws Error with the title, the reason and the hint if the action fails
 */
export type RunStep = <T>(title: string, hint: string, action: () => Promise<T>) => Promise<T>;

/** Creates a function that runs and numbers the steps of a command. */
export function createSteps(total: number): RunStep {
  let number = 0;
  return async (title, hint, action) => {
    number++;
    console.log(`[${number}/${total}] ${title}`);
    const warn = () => console.error(`\nInterrupted during the step "${title}". ${hint}`);
    process.once("exit", warn);
    try {
      return await action();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const advice = ADVICE.filter(([error]) => error.test(reason)).map(([, text]) => `${text} `);
      if (!(cause instanceof ReplacedError)) advice.push(hint);
      const message =
        `Step ${number} of ${total} failed: ${title}.\n${reason}\n\n${advice.join("")}`.trimEnd();
      throw new Error(message, { cause });
    } finally {
      process.off("exit", warn);
    }
  };
}

/** Prints a line below the title of a step. */
export function printDetail(line: string): void {
  console.log(`      ${line}`);
}
