import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../../http/links.ts";
import { DATE_JUMP_PATH } from "../site.ts";

/** Where a page is in the collection, and how links and forms lead to others. */
export interface Position {
  number: number;
  lastPage: number;
  /** The parameters that the forms keep. */
  query: URLSearchParams;
  toUrl: (page: number) => string;
}

/** @param day The day in the form that jumps to a date */
export const PageNavigation: FC<{ position: Position; day: string }> = ({ position, day }) => {
  const { number, lastPage, query, toUrl } = position;
  const kept = [...query].filter(([name]) => name !== "page" && name !== "date");
  return (
    <nav class="row" aria-label="Pages">
      <PageLink to={number > 1 ? toUrl(1) : null} name="« Newest" /> <NeighborLinks position={position} />{" "}
      <PageLink to={number < lastPage ? toUrl(lastPage) : null} name="Oldest »" />
      <JumpForm target="page" action={COLLECTION_PATH} kept={kept}>
        <label for="page">Page</label>
        <input id="page" name="page" type="number" min="1" max={lastPage} value={number} />
      </JumpForm>
      <JumpForm target="date" action={DATE_JUMP_PATH} kept={kept}>
        <label for="date">Date (UTC)</label>
        <input id="date" name="date" type="date" value={day} />
      </JumpForm>
    </nav>
  );
};

export const NeighborLinks: FC<{ position: Position }> = ({ position: { number, lastPage, toUrl } }) => (
  <>
    <PageLink to={number > 1 ? toUrl(number - 1) : null} name="‹ Previous" rel="prev" />{" "}
    <PageLink to={number < lastPage ? toUrl(number + 1) : null} name="Next ›" rel="next" />
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

type JumpFormProps = PropsWithChildren<{ target: "page" | "date"; action: string; kept: [string, string][] }>;

/** A form that opens a page. Hidden inputs keep the other parameters of the request. */
const JumpForm: FC<JumpFormProps> = ({ target, action, kept, children }) => (
  <form class="row" action={action} autocomplete="off">
    {kept.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
    <button type="submit" class="button" aria-label={`Go to ${target}`}>
      Go
    </button>
  </form>
);
