import { COLLECTION_PATH } from "../records/page.ts";
import { GO_PATH } from "./about.ts";
import type { FC, PropsWithChildren } from "./jsx-runtime.ts";

/** A form that opens any page. The field accepts only whole numbers. An empty field means page 1. */
export const PageBox: FC<{ query: URLSearchParams; number: number; last: number }> = ({
  query,
  number,
  last,
}) => (
  <JumpForm action={COLLECTION_PATH} query={query}>
    <label for="page">Page</label>
    <input id="page" name="page" type="number" min="1" max={last} value={number} autocomplete="off" />
  </JumpForm>
);

/**
 * A form that opens the page with the newest records of a date.
 * @param date of the current page, `YYYY-MM-DD`
 */
export const DateBox: FC<{ query: URLSearchParams; date: string | undefined }> = ({ query, date }) => (
  <JumpForm action={GO_PATH} query={query}>
    <label for="date">Date</label>
    <input id="date" name="date" type="date" value={date} autocomplete="off" />
  </JumpForm>
);

const JumpForm: FC<PropsWithChildren<{ action: string; query: URLSearchParams }>> = (props) => (
  <form class="row" action={props.action}>
    {[...props.query].map(([name, value]) =>
      name === "page" ? null : <input type="hidden" name={name} value={value} />,
    )}
    {props.children}
    <button type="submit" class="button">
      Go
    </button>
  </form>
);
