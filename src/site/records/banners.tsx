import type { FC } from "hono/jsx";
import { lastValue } from "../../http/request.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import type { PageView } from "../../records/route.ts";
import { formatNumber } from "../number-format.ts";

/** What is unusual about a page, with the way back to the usual one. */
export const Banners: FC<PageView> = ({ query, headers, count }) => {
  const asOf = lastValue(query, "as_of");
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {asOf !== null && (
        <p class="banner">
          <code>as_of</code> keeps all pages to one state of the collection, which has {formatNumber(count)}{" "}
          records. <a href={without(query, "as_of")}>Show the current state</a>
        </p>
      )}
      {applied !== null && (
        <p class="banner">
          The request asked to change the response: <code>{applied}</code>.{" "}
          {query.has("prefer") && <a href={without(query, "prefer")}>Show the unchanged page</a>}
        </p>
      )}
      {warning !== null && <p class="banner">{warning}.</p>}
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
