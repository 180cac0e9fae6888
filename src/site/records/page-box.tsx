import type { FC } from "hono/jsx";
import { COLLECTION_PATH } from "../../records/envelope.ts";

interface PageBoxProps {
  /** The query of the request, which is kept but for the page. */
  query: URLSearchParams;
  /** The page shown, or what was asked for in place of one. */
  number?: number | string | undefined;
  /** The number of the last page, if it is known. */
  last?: number;
}

/**
 * Goes to any page. The field takes whole numbers only, without spaces and separators, and the browser says which; an
 * empty one is page 1. So the last page stands beside it as it is typed.
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
