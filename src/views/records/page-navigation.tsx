import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../../http/links.ts";
import type { PageNumber } from "../../records/page.ts";
import type { Page } from "../../records/schema.ts";
import { DATE_JUMP_PATH } from "../site.ts";

interface PageNavigationProps {
  page: Page;
  number: number;
  lastPage: number;
  /** The day in the form that jumps to a date. */
  date: string;
  query: URLSearchParams;
  /** Returns the absolute URL of a page, with the parameters of the request. */
  toUrl: (page: PageNumber) => string;
}

export const PageNavigation: FC<PageNavigationProps> = ({ page, number, lastPage, date, query, toUrl }) => (
  <nav class="row" aria-label="Pages">
    <PageLink to={page.previous === null ? null : toUrl(1)} name="« Newest" />{" "}
    <NeighborLinks next={page.next} previous={page.previous} />{" "}
    <PageLink to={page.next === null ? null : toUrl(lastPage)} name="Oldest »" />
    <JumpForm action={COLLECTION_PATH} query={query}>
      <label for="page">Page</label>
      <input id="page" name="page" type="number" min="1" max={lastPage} value={number} />
    </JumpForm>
    <JumpForm action={DATE_JUMP_PATH} query={query}>
      <label for="date">Date (UTC)</label>
      <input id="date" name="date" type="date" value={date} />
    </JumpForm>
  </nav>
);

export const NeighborLinks: FC<Pick<Page, "next" | "previous">> = ({ next, previous }) => (
  <>
    <PageLink to={previous} name="‹ Previous" rel="prev" /> <PageLink to={next} name="Next ›" rel="next" />
  </>
);

/** A link to a page. If there is no page, a disabled button fills the same space, so that the next links do not move. */
const PageLink: FC<{ to: string | null; name: string; rel?: string }> = ({ to, name, rel }) =>
  to === null ? (
    <span class="button off">{name}</span>
  ) : (
    <a class="button" rel={rel} href={to}>
      {name}
    </a>
  );

/** A form that opens a page. Hidden inputs keep the parameters of the request, except those of the two forms. */
const JumpForm: FC<PropsWithChildren<{ action: string; query: URLSearchParams }>> = (props) => (
  <form class="row" action={props.action} autocomplete="off">
    {Array.from(props.query, ([name, value]) =>
      name === "page" || name === "date" ? null : <input type="hidden" name={name} value={value} />,
    )}
    {props.children}
    <button type="submit" class="button">
      Go
    </button>
  </form>
);
