import type { Observations } from "./observation.ts";

/** An observation that should have shown whether a rule holds, and why it does not. */
export interface Open {
  open: string;
}

/**
 * What an observation says about a rule: nothing, that it holds, a text why it does not, or that it stays open. Of what
 * the specification does not show, the text says what the service does.
 */
export type Finding = undefined | true | string | Open;

/** By kind of observation, what it says. */
export type Checks = { [K in keyof Observations]?: (seen: Observations[K]) => Finding };

/** A sentence of the specification and how it shows. */
export interface Rule extends Checks {
  /** Heading and number or item in the specification: `Record 4`, `List records.path`. */
  place: string;
  /** Other places of the specification that say the same. */
  also?: string[];
  sentence: string;
  /** The specification says nothing: whatever is found is told, and cannot be wrong. */
  notShown?: true;
}

/** Makes the rule of something that the specification does not show. */
export function notShown(place: string, sentence: string, checks: Checks = {}): Rule {
  return { place, sentence, notShown: true, ...checks };
}
