import { COLLECTION_PATH } from "../records/page.ts";
import type { FC } from "./jsx-runtime.ts";

interface PageBoxProps {
  /** The query of the request. All of it is kept except the page. */
  query: URLSearchParams;
  /** The current page, or the number that the request has in its place. */
  number?: number | string | undefined;
  /** The number of the last page, if it is known. */
  last?: number;
}

/**
 * A form that opens any page. The field accepts only whole numbers, without spaces or separators, so the last page is
 * shown in the same way. An empty field means page 1.
 */
export const PageBox: FC<PageBoxProps> = ({ query, number, last }) => (
  <form class="page-box" action={COLLECTION_PATH} method="get">
    {[...query]
      .filter(([name]) => name !== "page")
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    <label for="page">Page</label>
    <input
      id="page"
      name="page"
      type="number"
      min="1"
      max={last}
      value={number}
      autocomplete="off"
      aria-describedby={last === undefined ? undefined : "last-page"}
    />
    {last !== undefined && <span id="last-page">of {last}</span>}
    <button type="submit" class="button">
      Go
    </button>
  </form>
);
