import { ADVICE } from "./advice.ts";

/** What wrangler says without a token, or with one that the platform does not take. */
const NOT_LOGGED_IN =
  /CLOUDFLARE_API_TOKEN|wrangler login|not (logged in|authenticated)|code: (10000|9109)\b/i;

/** Steps on the way to a deployment, told as they are taken. */
export interface Journey {
  /**
   * Takes the next step.
   * @param title what it does, as in "load the seed"
   * @param advice what to do if it fails; that one has to log in is said before it, if that is why
   * @param take does it; what it tells appears beneath the title
   * @throws with the step, its error and the advice
   */
  step<T>(title: string, advice: string, take: (tell: (line: string) => void) => Promise<T>): Promise<T>;
  /** Says how far the journey came, for someone who stops it. */
  describe(): string;
}

/**
 * @param length how many steps there are
 * @param say told each line
 */
export function startJourney(length: number, say: (line: string) => void): Journey {
  const done: string[] = [];
  let current: string | undefined;
  const tell = (line: string) => say(`      ${line}`);
  return {
    async step(title, advice, take) {
      current = title;
      const number = done.length + 1;
      say(`[${number}/${length}] ${title}`);
      try {
        const outcome = await take(tell);
        done.push(title);
        current = undefined;
        return outcome;
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const unsaid = NOT_LOGGED_IN.test(reason) && !advice.includes(ADVICE.login);
        const help = unsaid ? `${ADVICE.login}\n${advice}` : advice;
        const message = `Step ${number} of ${length} failed: ${title}.\n${reason}\n\n${help}`;
        throw new Error(message, { cause });
      }
    },
    describe() {
      const at = current === undefined ? "Stopped between two steps." : `Stopped in the step: ${current}.`;
      const past = done.length === 0 ? "Nothing is done." : `Done: ${done.join("; ")}.`;
      return `${at} ${past} The same command goes on from there: nothing is created or loaded twice.`;
    },
  };
}
