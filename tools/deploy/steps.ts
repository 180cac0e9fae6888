/** What to do about an error that wrangler prints, by its text or by Cloudflare's code for it. */
const ADVICE: [error: RegExp, advice: string][] = [
  // Without a token, if Cloudflare rejects it (1000, 9109, 10000), or without a permission for D1 (7403).
  [
    /CLOUDFLARE_API_TOKEN|wrangler login|not (logged in|authenticated)|code: (1000|7403|9109|10000)\b/i,
    "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a valid token with the permissions Workers Scripts, Workers KV Storage, D1 and, for your own domain, Workers Routes, each with Edit. The token also needs Account Settings: Read, unless you set `account_id` in wrangler.toml.",
  ],
  // Wrangler asks for the database of the deployed worker by its id, before it looks for the name in wrangler.toml.
  [
    /code: 7404\b/,
    "The D1 database with this id was deleted. Write the id of another one, which `npx wrangler d1 list` or `npx wrangler d1 create NAME` shows, as `database_id` below [[d1_databases]] in wrangler.toml. You can remove this line after a deployment.",
  ],
];

/** A different deployment has replaced this one, so the hint of the step is out of date. */
export class ReplacedError extends Error {}

/**
 * Prints the title of a step and runs it.
 * @param title such as "deploy the worker"
 * @param hint what exists if the step fails or is interrupted, and what the user can do
 * @throws an error with the title, the reason and the hint if the action fails
 */
export type RunStep = <T>(title: string, hint: string, action: () => Promise<T>) => Promise<T>;

/** Numbers the steps of a command. @param total the number of steps */
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

/** Prints what a step does, below its title. */
export function printDetail(text: string): void {
  console.log(`      ${text}`);
}
