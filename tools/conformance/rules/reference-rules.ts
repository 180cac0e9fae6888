import type { ReferenceEvent } from "../events.ts";
import { REFERENCE } from "../reference.ts";
import type { Rule } from "../rule.ts";

/**
 * What the specification leaves open, row by row of the reference.
 * @param isJudged whether a service must do as the reference says; otherwise only what it does is reported
 */
export function createReferenceRules(isJudged: boolean): Rule[] {
  return REFERENCE.map(({ name, sentence }): Rule => {
    const rule = { reference: `Reference.${name}`, sentence };
    const judge = ({ name: of, deviation }: ReferenceEvent) =>
      of === name ? (deviation ?? true) : undefined;
    const observe = ({ name: of, deviation, observed }: ReferenceEvent) =>
      of === name ? (deviation ?? `as in the reference: ${observed}`) : undefined;
    return isJudged ? { ...rule, openCase: judge } : { ...rule, notShown: true, openCase: observe };
  });
}
