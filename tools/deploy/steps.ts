const LOG_IN =
  "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token with the permissions Workers Scripts, Workers KV Storage, D1 and, for your own domain, Workers Routes, each with Edit.";

/** What wrangler prints without a token, if Cloudflare rejects it (9109, 10000), or without a permission for D1 (7403). */
const NO_PERMISSION =
  /CLOUDFLARE_API_TOKEN|wrangler login|not (logged in|authenticated)|code: (7403|9109|10000)\b/i;

/**
 * Prints the title of a step and runs it.
 * @param title such as "deploy the worker"
 * @param hint what exists if the step fails, and what the user can do
 * @throws an error with the title, the reason and the hint if the action fails
 */
export type RunStep = <T>(title: string, hint: string, action: () => Promise<T>) => Promise<T>;

/** Numbers the steps of a command. @param total the number of steps */
export function createSteps(total: number): RunStep {
  let number = 0;
  return async (title, hint, action) => {
    number++;
    console.log(`[${number}/${total}] ${title}`);
    const warn = () =>
      console.error(`\nInterrupted during the step "${title}". Run the same command again to continue.`);
    process.once("exit", warn);
    try {
      return await action();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const advice = NO_PERMISSION.test(reason) ? `${LOG_IN} ${hint}` : hint;
      throw new Error(`Step ${number} of ${total} failed: ${title}.\n${reason}\n\n${advice}`, { cause });
    } finally {
      process.off("exit", warn);
    }
  };
}

/** Prints what a step does, below its title. */
export function printDetail(text: string): void {
  console.log(`      ${text}`);
}
