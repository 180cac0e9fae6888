import type { FC } from "hono/jsx";
import { type AppliedOptions, pickIdle } from "../faults/applied-options.ts";
import { DESCRIPTIONS, formatOption, formatOptions } from "../faults/option-table.ts";
import { listChanges } from "./changes.ts";
import { MarkedCode } from "./code.tsx";
import type { ClientResponse } from "./shown-request.ts";
import { REFERENCE_PATH } from "./site.ts";
import { formatNumber, formatQuantity } from "./text-format.ts";

/** Explains a response to a request with options, and what of the request its page leaves out. */
export const Explanation: FC<{ response: ClientResponse }> = ({ response }) => {
  const { applied, error, isFault, urlWithoutFaults, leftOut } = response;
  const items = applied === undefined ? [] : listItems(applied);
  const sentences = listSentences(response, items);
  // Without options, the request would have the same error, unless `grow` hides its page.
  const helps = error === undefined || isFault || applied?.options.grow !== undefined;
  return (
    <>
      {(items.length > 0 || sentences.length > 0) && (
        <div class="banner">
          <ul>{items}</ul>
          {sentences.join(" ")}{" "}
          {helps && urlWithoutFaults !== undefined && (
            <a href={urlWithoutFaults}>Show the page without faults</a>
          )}
        </div>
      )}
      {applied?.warnings.map((warning) => (
        <p class="banner">{warning}</p>
      ))}
      {leftOut > 0 && (
        <p class="banner">
          This URL has too many parameters, or too long ones. The links, forms and command of this page leave
          out {formatNumber(leftOut)} of them.
        </p>
      )}
    </>
  );
};

/** Says what each option did, with links to the changes, and why others did nothing. */
function listItems(applied: AppliedOptions) {
  const { options, unmet, rule } = applied;
  const hasRules = rule !== undefined || unmet.length > 1;
  const skipped = unmet.map(({ name, value }, index) => (
    <li>
      {hasRules && `Rule ${index + 1}: `}
      <OptionLink option={formatOption(name, value)} /> is {name === "times" ? "used up" : "not met"}.
    </li>
  ));
  const idle = formatOptions(pickIdle(applied));
  const granted = [...formatOptions(options), ...idle].map((option) => (
    <li>
      <OptionLink option={option} />: <MarkedCode text={describeOption(option)} />.
      {idle.includes(option) && " It changed nothing here."}
      {listChanges(applied)
        .filter(({ option: name }) => name === getName(option))
        .map(({ id, text }) => [" ", <a href={`#${id}`}>{text}</a>, "."])}
    </li>
  ));
  return [...skipped, ...granted];
}

const OptionLink: FC<{ option: string }> = ({ option }) => (
  <a href={`${REFERENCE_PATH}#fault-${getName(option)}`}>
    <code>{option}</code>
  </a>
);

/** Returns the name of an option such as `code=503`. */
function getName(option: string): string {
  return option.replace(/=.*/, "");
}

/** Describes an option in the words of the API reference: those of the same value, or of its first example. */
function describeOption(option: string): string {
  const { examples = {} } = DESCRIPTIONS[getName(option)] ?? {};
  return examples[option] ?? Object.values(examples)[0] ?? "";
}

/** Says what is true of the response as a whole. */
function listSentences(response: ClientResponse, items: unknown[]): string[] {
  const { applied, served, url, preferHeader, areFaultsOff } = response;
  const isAsked = preferHeader !== undefined || Boolean(url.searchParams.get("prefer"));
  if (areFaultsOff && isAsked)
    return ["Faults are turned off in this deployment, so no option has an effect."];
  // Without any option left, the warnings say why.
  if (applied === undefined || items.length === 0) return [];
  const { source, rule, waitMs = 0 } = applied;
  const sentences: string[] = [];
  if (source === "setting") sentences.push("The setting PREFER of this deployment asks for this.");
  if (rule !== undefined) sentences.push(`Rule ${rule.number} of ${rule.of} applied.`);
  if (waitMs > 0) sentences.push(`The response took ${formatNumber(waitMs)} ms longer.`);
  const hidden = served?.hidden ?? 0;
  if (hidden > 0) sentences.push(`The collection lacks ${formatQuantity(hidden, "newer record")} for now.`);
  return sentences;
}
