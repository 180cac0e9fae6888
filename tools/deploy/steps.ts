const LOG_IN =
  "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID. The token needs the permissions Workers Scripts, Workers KV Storage and D1, each with Edit.";

const STILL_SERVED = "The previous version of the code is still served.";

/** What to do if a step fails. */
export const HINTS = {
  check:
    "Commit your changes and fix the errors above, or use --skip-checks to deploy without these checks. Nothing was deployed.",
  login: LOG_IN,
  resources: `${LOG_IN} Nothing was deployed.`,
  store: `If a migration failed, fix it and deploy again. The migrations before it stay applied. The loaded records are unchanged. ${STILL_SERVED}`,
  seed: `Deploy again: a load that fails changes nothing that is served. The free plan allows 100,000 written rows a day, and the seed takes fewer than 150 of them. ${STILL_SERVED}`,
  deploy: "The records are unchanged.",
  wait: "The worker is deployed. A new address can take some minutes to become reachable. If that may be the reason, wait and deploy again.",
  test: "The worker is deployed and in use.",
  undoProduction: "To return to the previous version, run `npm run rollback`.",
  undoPreview:
    "Production is not affected. Push a fix, or remove the preview with `npm run preview -- --delete`.",
  rollback:
    "To list the versions, run `npx wrangler versions list`. To serve one of them, run `npm run rollback -- ID`.",
  removal: "Run the command again. It skips what was already removed.",
} as const;

/** What wrangler prints if there is no token, or if Cloudflare rejects the token. */
const NOT_LOGGED_IN =
  /CLOUDFLARE_API_TOKEN|wrangler login|not (logged in|authenticated)|code: (10000|9109)\b/i;

/** The numbered steps of a command. */
export interface Steps {
  /**
   * Prints the title and runs the step.
   * @param title such as "deploy the worker"
   * @param hint what to do if the step fails
   * @param action does the work, and may print lines below the title
   * @throws an error with the title, the reason and the hint if the action fails
   */
  run<T>(title: string, hint: string, action: (print: (line: string) => void) => Promise<T>): Promise<T>;
  /** Describes for the user which steps were completed before an interruption. */
  describeInterruption(): string;
}

/** Where a command reports its steps. */
export interface StepOutput {
  print(line: string): void;
  /** Called before the first step, for a caller that has to describe an interruption. */
  onStart?(steps: Steps): void;
}

/**
 * @param total the number of steps
 * @param afterInterruption what the user can do after an interruption
 */
export function createSteps(
  total: number,
  { print, onStart }: StepOutput,
  afterInterruption = "Run the same command again to continue: nothing is created or loaded twice.",
): Steps {
  const completed: string[] = [];
  let current: string | undefined;
  const steps: Steps = {
    async run(title, hint, action) {
      current = title;
      const number = completed.length + 1;
      print(`[${number}/${total}] ${title}`);
      try {
        const result = await action((line) => print(`      ${line}`));
        completed.push(title);
        current = undefined;
        return result;
      } catch (cause) {
        throw new Error(`Step ${number} of ${total} failed: ${title}.\n${explain(cause, hint)}`, { cause });
      }
    },
    describeInterruption() {
      const position = current === undefined ? "between two steps" : `during the step "${current}"`;
      const list = completed.length === 0 ? "none" : completed.join("; ");
      return `Interrupted ${position}. Completed steps: ${list}. ${afterInterruption}`;
    },
  };
  onStart?.(steps);
  return steps;
}

/** The reason of a failure and the hint. If the user is not logged in, the hint begins with that. */
function explain(cause: unknown, hint: string): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const needsLogin = NOT_LOGGED_IN.test(reason) && !hint.includes(HINTS.login);
  return `${reason}\n\n${needsLogin ? `${HINTS.login}\n` : ""}${hint}`;
}
