import type { FC } from "hono/jsx";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { formatNumber } from "../number.ts";

interface PageBoxProps {
  /** The query of the request, which is kept but for the page. */
  query: URLSearchParams;
  /** The page shown, if there is one. */
  number?: number;
  /** The number of the last page, if it is known. */
  last?: number;
}

/** Goes to any page. What is typed is for the collection to judge, as what a client sends is. */
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
      value={number}
      inputmode="numeric"
      autocomplete="off"
      size={8}
      aria-describedby={last === undefined ? undefined : "last-page"}
    />
    {last !== undefined && <span id="last-page">of {formatNumber(last)}</span>}
    <button type="submit" class="button">
      Go
    </button>
  </form>
);
