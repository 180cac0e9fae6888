import { lastValue } from "../../http/request.ts";
import { COLLECTION_PATH } from "../../records/page.ts";
import type { PageView } from "../../records/route.ts";
import type { FC } from "../jsx-runtime.ts";
import { formatCount } from "../number-format.ts";

/** A page of the collection, and what the deployment does to requests. */
export interface RecordsView extends PageView {
  /** The period of the rate limit in seconds; undefined if requests are not limited. */
  limitPeriod: string | undefined;
}

/** What is unusual about a page, with the way back to the usual one. */
export const Banners: FC<RecordsView & { count: number }> = ({ query, headers, count, limitPeriod }) => {
  const asOf = lastValue(query, "as_of");
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {asOf !== null && (
        <p class="banner">
          <code>as_of</code> keeps all pages to one state of the collection, which has{" "}
          {formatCount(count, "record")}. <a href={without(query, "as_of")}>Show the current state</a>
        </p>
      )}
      {applied !== null && (
        <p class="banner">
          The request asked to change the response: <code>{applied}</code>.{" "}
          {query.has("prefer") && <a href={without(query, "prefer")}>Show the unchanged page</a>}
        </p>
      )}
      {warning !== null && <p class="banner">{warning}</p>}
      {limitPeriod !== undefined && (
        <p class="banner">
          This deployment limits how many requests a client may send within {limitPeriod} seconds. How many
          are left is not known until the response is 429.
        </p>
      )}
      {count === 0 && (
        <p class="banner">
          The collection is empty. Load records with <code>npm run data -- load FILE</code>.
        </p>
      )}
    </>
  );
};

/** The address of the page without a parameter. A page of another state has other records, so its number is left out. */
function without(query: URLSearchParams, name: string): string {
  const kept = new URLSearchParams(query);
  kept.delete(name);
  if (name === "as_of") kept.delete("page");
  return `${COLLECTION_PATH}?${kept}`;
}
