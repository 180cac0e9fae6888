import type { FC, PropsWithChildren } from "hono/jsx";
import { type AppliedOptions, formatTyped } from "../faults/applied-options.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getLastValue } from "../http/request.ts";
import { getStatusText } from "../http/statuses.ts";
import type { PageNumber } from "../records/page.ts";
import { CurlBlock } from "./code-block.tsx";
import { formatCurlOptions, formatHead, formatNumber } from "./text-format.ts";

/** A request as the HTML view shows it. */
export interface ClientRequest {
  method: string;
  prefer: string | undefined;
  /** With the public origin of the service. */
  url: URL;
  number: PageNumber | undefined;
  /** The URL of the same page without faults. Undefined on other paths, and if neither PREFER nor the query sets options. */
  urlWithoutFaults: string | undefined;
  /** How many parameters of the request are not in `url`, because they are too many. */
  leftOut: number;
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

/** Shows the applied options with a link to the page without faults, and the warning. */
export const Banners: FC<{ response: ClientResponse }> = ({ response }) => {
  const { urlWithoutFaults, status, headers, applied, url } = response;
  const warning = headers.get("Mock-Warning");
  const options = formatTyped(applied.values);
  const asksForFaults = !["", "none"].includes(url.searchParams.get("prefer") ?? "");
  // After a 400, which an invalid option causes, its message says more.
  const hasNoEffect = asksForFaults && status !== 400 && options === "";
  const rule = applied.rule && `, by rule ${applied.rule.number} of ${applied.rule.of}`;
  return (
    <>
      {options !== "" && (
        <p class="banner">
          Applied to this response{rule}: <code>{options}</code>.{" "}
          {applied.changes.length > 0 && <a href="#change">Show what changed</a>}{" "}
          {urlWithoutFaults !== undefined && <a href={urlWithoutFaults}>Show the page without faults</a>}
        </p>
      )}
      {hasNoEffect && (
        <p class="banner">
          No option of <code>prefer</code> affected this response.
        </p>
      )}
      {warning !== null && <p class="banner">{warning}</p>}
      {response.leftOut > 0 && (
        <p class="banner">
          This URL has too many parameters. The links, forms and command of this page leave out{" "}
          {formatNumber(response.leftOut)} of them.
        </p>
      )}
    </>
  );
};

/** A response with the formatted body as children, and its request as a command and, if a link can repeat it, as a link to the JSON. */
export const RawResponse: FC<PropsWithChildren<{ response: ClientResponse; url: string }>> = (props) => {
  const { method, prefer, status, headers } = props.response;
  const options = formatCurlOptions(method, prefer === undefined ? [] : [["Prefer", prefer]]);
  const hasDefaultFormat = isDefaultFormat(getLastValue(props.response.url.searchParams, "format"));
  const canLink = method === "GET" && prefer === undefined && hasDefaultFormat;
  return (
    <>
      <CurlBlock options={options} url={props.url} label="curl" />
      {canLink && (
        <p>
          <a href={setParameter(new URL(props.url), "format", "json")}>Raw JSON</a>
        </p>
      )}
      <section class="panel response" aria-label="Status, headers and body" tabindex={0}>
        <pre>
          {formatHead(formatStatus(status), headers)}
          {props.children}
        </pre>
      </section>
    </>
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

export function removeParameter(url: URL, name: string): string {
  const changed = new URL(url);
  changed.searchParams.delete(name);
  return changed.href;
}
