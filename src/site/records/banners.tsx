import { COLLECTION_PATH } from "../../records/page.ts";
import type { PageView } from "../../records/route.ts";
import type { FC } from "../jsx-runtime.ts";

/** A page of the collection, and what the deployment does to requests. */
export interface RecordsView extends PageView {
  /** The period of the rate limit in seconds; undefined if requests are not limited. */
  limitPeriod: string | undefined;
}

/** What is unusual about a page, with the way back to the usual one. */
export const Banners: FC<RecordsView & { count: number }> = ({ query, headers, count, limitPeriod }) => {
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {applied !== null && (
        <p class="banner">
          The request asked to change the response: <code>{applied}</code>.{" "}
          {query.has("prefer") && <a href={withoutPrefer(query)}>Show the unchanged page</a>}
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

/** The address of the page without its faults. */
function withoutPrefer(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  kept.delete("prefer");
  return `${COLLECTION_PATH}?${kept}`;
}
