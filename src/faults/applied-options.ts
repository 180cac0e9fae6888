import type { AppContext } from "../bindings.ts";
import { changesBody } from "./body-faults.ts";
import {
  CONDITION_NAMES,
  FAULT_NAMES,
  hasFault,
  type OptionName,
  type OptionValues,
  SHARED_NAMES,
} from "./option-table.ts";
import type { ChangedPage, PageChange } from "./page-faults.ts";

/** Where options come from: the client's header `Prefer` or parameter `prefer`, or the setting PREFER of the deployment. */
export type OptionSource = "header" | "query" | "setting";

/** What the options of a request did to its response. */
export interface AppliedOptions {
  source: OptionSource;
  /** The rule that applies, such as rule 2 of 3, if there are several. */
  rule?: { number: number; of: number } | undefined;
  /** The first condition that was not met, of each rule that did not apply. */
  unmet: { name: OptionName; value: string }[];
  /** Why some options are not in effect. */
  warnings: string[];
  /** The options that decided about the response. Before the wait, all options of the rule. */
  options: OptionValues;
  /** All options of the rule, but for a wait that would have been one too many. */
  granted?: OptionValues;
  /** How much longer the response takes, with its body. */
  waitMs?: number;
  /** What the options changed in the page. */
  changes: PageChange[];
  /** The page with these changes, before a fault breaks its body. Undefined without a page, or if no option can change its text. */
  page?: ChangedPage | undefined;
  /** Whether the connection closes before the response. */
  isClosed?: boolean | undefined;
}

declare module "hono" {
  interface ContextVariableMap {
    /** Read by the HTML view. Undefined if the request has no options. */
    applied?: AppliedOptions;
  }
}

/** Notes what the options of a request did, for the HTML view, and for the package, which gets no context back. */
export function noteApplied(c: AppContext, applied: AppliedOptions): void {
  c.set("applied", applied);
  c.executionCtx.props.onApplied?.(applied);
}

/** Whether a client sees faults in the status or the body of the response. */
export function isChanged({ options, changes }: Pick<AppliedOptions, "options" | "changes">): boolean {
  const { code, hang, body } = options;
  return code !== undefined || hang === true || changesBody(body) || changes.length > 0;
}

/**
 * Picks the options that decided about a response.
 * @param names Those that decided if they are set. `delay` and `none` always did, and beside a fault also the conditions and the seed
 */
export function pickDeciding(options: OptionValues, names: OptionName[]): OptionValues {
  const pick = (picked: OptionName[]) => Object.fromEntries(picked.map((name) => [name, options[name]]));
  const deciding: OptionValues = pick(["delay", "none", ...names]);
  return hasFault(deciding) ? { ...deciding, ...pick([...CONDITION_NAMES, "seed"]) } : deciding;
}

/** Picks the faults that had nothing to change in the response. */
export function pickIdle({ granted = {}, options }: AppliedOptions): OptionValues {
  const idle = [...FAULT_NAMES, ...SHARED_NAMES].filter((name) => options[name] === undefined);
  return Object.fromEntries(idle.map((name) => [name, granted[name]]));
}
