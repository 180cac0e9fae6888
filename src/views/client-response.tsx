import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import type { AppliedOptions } from "../faults/applied-options.ts";
import { formatOption, formatOptions } from "../faults/option-table.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getLastValue } from "../http/request.ts";
import { getStatusText } from "../http/statuses.ts";
import type { PageNumber } from "../records/page.ts";
import { describeBodyChange, getPlace, nameChange } from "./changes.ts";
import { CurlBlock, ResponsePanel } from "./code-block.tsx";
import { type Link, LinkList } from "./layout.tsx";
import { REFERENCE_PATH } from "./site.ts";
import { formatCurlOptions, formatHead, formatNumber } from "./text-format.ts";

/** A request and its response as the HTML view shows them. */
export interface ClientResponse {
  method: string;
  /** The header `Prefer`; undefined if it is empty or too long to repeat. */
  preferHeader: string | undefined;
  /** With the public origin of the service. */
  url: URL;
  /** The requested page; undefined if no collection can have it. */
  requestedPage: PageNumber | undefined;
  /** Whether the setting FAULTS turns off what the query asks for. */
  areFaultsOff: boolean;
  /** The URL of the same page without faults; undefined where neither PREFER nor the query can have an effect. */
  urlWithoutFaults: string | undefined;
  /** How many parameters of the request are not in `url`, because they are too many. */
  leftOut: number;
  status: number;
  headers: Headers;
  /** The received part of the body, which a fault may have cut. */
  body: string;
  applied: AppliedOptions;
}

/** Formats a status as in a response: `404 Not Found`. */
export function formatStatus(status: number): string {
  return `${status} ${getStatusText(status)}`;
}

/** Says what faults have changed in a body, from its top to its end, with links to the places. */
export function listChanges({ changes, options }: AppliedOptions): Link[] {
  const links = changes.map((change): Link => [`#${getPlace(change)}`, nameChange(change)]);
  // The members of a page are in alphabetical order, and its records are numbered.
  links.sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  const ofBody = describeBodyChange(options);
  return ofBody === undefined ? links : [...links, ["#body", `body: ${ofBody}`]];
}

/** Shows what the applied options changed, or why none of the query applied, and the warnings. */
export const Banners: FC<{ response: ClientResponse }> = ({ response }) => {
  const { status, applied, url, urlWithoutFaults, areFaultsOff } = response;
  const { source, rule } = applied;
  const origin = source === "setting" ? " by the setting PREFER of this deployment" : "";
  const ofRule = rule === undefined ? "" : `, by rule ${rule.number} of ${rule.of}`;
  const options = formatOptions(applied.options).join(", ");
  const isApplied = !["", "none"].includes(options);
  const asksForFaults = !["", "none"].includes(url.searchParams.get("prefer") ?? "");
  // After a 400, which an invalid option causes, its message says more.
  const hasNoEffect = asksForFaults && status !== 400 && !isApplied;
  const cause = areFaultsOff ? ": faults are turned off" : "";
  const unmet = applied.unmet.map(
    ({ name, value }): Link => [`${REFERENCE_PATH}#fault-${name}`, `${formatOption(name, value)} is not met`],
  );
  return (
    <>
      {(isApplied || hasNoEffect) && (
        <div class="banner">
          <LinkList links={isApplied ? listChanges(applied) : unmet} />
          {isApplied
            ? `Applied to this response${origin}${ofRule}:`
            : `No option affected this response${cause}.`}{" "}
          {isApplied && <code>{options}</code>}{" "}
          {urlWithoutFaults !== undefined && <a href={urlWithoutFaults}>Show the page without faults</a>}
        </div>
      )}
      {applied.warnings.length > 0 && <p class="banner">{applied.warnings.join(" ")}</p>}
      {response.leftOut > 0 && (
        <p class="banner">
          This URL has too many parameters. The links, forms and command of this page leave out{" "}
          {formatNumber(response.leftOut)} of them.
        </p>
      )}
    </>
  );
};

/** A response with its body as HTML, and its request as a command and, if a link can send it, as a link to the JSON. */
export const RawResponse: FC<{ response: ClientResponse; html: string }> = ({ response, html }) => {
  const { method, preferHeader, status, headers, url } = response;
  const options = formatCurlOptions(method, preferHeader === undefined ? [] : [["Prefer", preferHeader]]);
  const hasDefaultFormat = isDefaultFormat(getLastValue(url.searchParams, "format"));
  const canLink = method === "GET" && preferHeader === undefined && hasDefaultFormat;
  return (
    <section class="client" aria-labelledby="response">
      <h2 id="response">The API response</h2>
      <ResponsePanel head={formatHead(formatStatus(status), headers)} isOpen={status >= 400}>
        <code class="json">{raw(html)}</code>
      </ResponsePanel>
      <CurlBlock options={options} url={url.href} />
      {canLink && (
        <p>
          <a href={setParameter(url, "format", "json")}>Request again as JSON</a>
        </p>
      )}
    </section>
  );
};

/**
 * Returns a URL with another value of a query parameter. Links are absolute, because a path that begins with two slashes would name a
 * host.
 */
export function setParameter(url: URL, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
}
