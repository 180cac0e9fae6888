import type { FC, PropsWithChildren } from "hono/jsx";
import type { AppliedOptions } from "../faults/applied-options.ts";
import { formatOptionValue } from "../faults/option-syntax.ts";
import { OPTION_NAMES, OPTIONS, type OptionName, type OptionValues } from "../faults/option-table.ts";
import { getStatusText } from "../http/statuses.ts";
import type { PageNumber } from "../records/page.ts";
import { formatHead } from "./text-format.ts";

/** A request as the HTML view shows it. */
export interface ClientRequest {
  method: string;
  prefer: string | undefined;
  /** With the public origin of the service, and without the date of a jump. */
  url: URL;
  number: PageNumber | undefined;
  /** The URL of the same page without faults. Undefined on other paths, and if neither PREFER nor the query sets options. */
  urlWithoutFaults: string | undefined;
  /** The date of the jump that led to the page, if there was one. */
  jumpDate: string | undefined;
}

export interface ClientResponse extends ClientRequest {
  status: number;
  headers: Headers;
  /** The received part of the body, which a fault may have cut. */
  body: string;
  applied: AppliedOptions;
}

/** Formats a status as in a response: `404 Not Found`. */
export function formatStatus(status: number): string {
  return status === 200 ? "200 OK" : `${status} ${getStatusText(status)}`;
}

/** Formats the options that changed a response, such as `count=+1, next=null`. */
export function formatFaults(applied: OptionValues): string {
  return formatTyped(
    applied,
    OPTION_NAMES.filter((name) => OPTIONS[name].kind === "change"),
  );
}

/** Formats options as users type them into the parameter `prefer`: without the quotes of a header, and with the sign of `count`. */
function formatTyped(values: OptionValues, names: OptionName[]): string {
  const options = names.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    if (value === true) return [name];
    const sign = name === "count" && Number(value) > 0 ? "+" : "";
    return [`${name}=${sign}${formatOptionValue(value)}`];
  });
  return options.join(", ");
}

/** Shows the applied options with a link to the page without faults, and the warning. */
export const Banners: FC<{ response: ClientResponse }> = ({ response }) => {
  const { urlWithoutFaults, headers, applied } = response;
  const warning = headers.get("Mock-Warning");
  const options = formatTyped(applied.values, OPTION_NAMES);
  const rule = applied.rule && `, by rule ${applied.rule.number} of ${applied.rule.of}`;
  return (
    <>
      {options !== "" && (
        <p class="banner">
          Applied to this response{rule}: <code>{options}</code>.{" "}
          {urlWithoutFaults !== undefined && <a href={urlWithoutFaults}>Show the page without faults</a>}
        </p>
      )}
      {warning !== null && <p class="banner">{warning}</p>}
    </>
  );
};

/** @param children The formatted body */
export const RawResponse: FC<PropsWithChildren<{ response: ClientResponse }>> = ({ response, children }) => (
  <section class="panel response" aria-label="Status, headers and body" tabindex={0}>
    <pre>
      {formatHead(formatStatus(response.status), response.headers)}
      {children}
    </pre>
  </section>
);

/**
 * Returns a URL with another value of a query parameter. Links are absolute, because a path that begins with two slashes would name a
 * host.
 */
export function setParameter(url: URL, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
}

export function removeParameter(url: URL, name: string): string {
  const changed = new URL(url);
  changed.searchParams.delete(name);
  return changed.href;
}
