import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../../http/links.ts";
import { DATE_JUMP_PATH } from "../site.ts";

/** Where a page is in the collection, and how links and forms lead to others. */
export interface Pagination {
  page: number;
  lastPage: number;
  /** The parameters of the request. */
  query: URLSearchParams;
  toUrl: (page: number) => string;
}

/** @param day The day that the date field shows */
export const PageNavigation: FC<{ pagination: Pagination; day: string }> = ({ pagination, day }) => {
  const { page, lastPage, query, toUrl } = pagination;
  return (
    <nav class="row" aria-label="Pages">
      <PageLink to={page > 1 ? toUrl(1) : null} name="« Newest" /> <NeighborLinks {...pagination} />{" "}
      <PageLink to={page < lastPage ? toUrl(lastPage) : null} name="Oldest »" />
      <JumpForm to="page" action={COLLECTION_PATH} query={query}>
        <label for="page">Page</label>
        <input id="page" name="page" type="number" min="1" max={lastPage} value={page} />
      </JumpForm>
      <DateForm query={query} day={day} />
    </nav>
  );
};

/** A form that opens the records of a day. After a jump, a script writes the day into the field (scripts/page.ts). */
export const DateForm: FC<{ query: URLSearchParams; day: string }> = ({ query, day }) => (
  <JumpForm to="date" action={DATE_JUMP_PATH} query={query}>
    <label for="date">Date (UTC)</label>
    <input id="date" name="date" type="date" value={day} />
  </JumpForm>
);

export const NeighborLinks: FC<Pagination> = ({ page, lastPage, toUrl }) => (
  <>
    <PageLink to={page > 1 ? toUrl(page - 1) : null} name="‹ Previous" rel="prev" />{" "}
    <PageLink to={page < lastPage ? toUrl(page + 1) : null} name="Next ›" rel="next" />
  </>
);

/** A link to a page. Without a page, its name fills the same space, so that the other links do not move. */
const PageLink: FC<{ to: string | null; name: string; rel?: string }> = ({ to, name, rel }) =>
  to === null ? (
    <span class="button off">{name}</span>
  ) : (
    <a class="button" rel={rel} href={to}>
      {name}
    </a>
  );

type JumpFormProps = PropsWithChildren<{ to: "page" | "date"; action: string; query: URLSearchParams }>;

/** A form that opens a page. Hidden inputs keep the other parameters of the request. */
const JumpForm: FC<JumpFormProps> = ({ to, action, query, children }) => (
  <form class="row" action={action} autocomplete="off">
    {[...query].map(([name, value]) => {
      const isReplaced = name === "page" || name === "date";
      return !isReplaced && <input type="hidden" name={name} value={value} />;
    })}
    {children}
    <button type="submit" class="button" aria-label={`Go to ${to}`}>
      Go
    </button>
  </form>
);
