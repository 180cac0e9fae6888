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
  const kept = [...query].filter(([name]) => name !== "page" && name !== "date");
  return (
    <nav class="row" aria-label="Pages">
      <PageLink to={page > 1 ? toUrl(1) : null} name="« Newest" /> <NeighborLinks {...pagination} />{" "}
      <PageLink to={page < lastPage ? toUrl(lastPage) : null} name="Oldest »" />
      <JumpForm to="page" action={COLLECTION_PATH} kept={kept}>
        <label for="page">Page</label>
        <input id="page" name="page" type="number" min="1" max={lastPage} value={page} />
      </JumpForm>
      <JumpForm to="date" action={DATE_JUMP_PATH} kept={kept}>
        <label for="date">Date (UTC)</label>
        <input id="date" name="date" type="date" value={day} />
      </JumpForm>
    </nav>
  );
};

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

type JumpFormProps = PropsWithChildren<{ to: "page" | "date"; action: string; kept: [string, string][] }>;

/** A form that opens a page. Hidden inputs keep the other parameters of the request. */
const JumpForm: FC<JumpFormProps> = ({ to, action, kept, children }) => (
  <form class="row" action={action} autocomplete="off">
    {kept.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
    <button type="submit" class="button" aria-label={`Go to ${to}`}>
      Go
    </button>
  </form>
);
