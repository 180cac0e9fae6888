import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH, createPageUrlBuilder } from "../../http/links.ts";
import type { Page } from "../../records/schema.ts";
import { DATE_JUMP_PATH } from "../site.ts";
import { getDay } from "./record-table.tsx";

interface PageNavigationProps {
  page: Page;
  number: number;
  lastPage: number;
  /** The URL of the request, whose parameters the links and the forms keep. */
  url: URL;
}

export const PageNavigation: FC<PageNavigationProps> = ({ page, number, lastPage, url }) => {
  const toUrl = createPageUrlBuilder(url.origin, url.searchParams);
  const [newest] = page.results;
  const kept = [...url.searchParams].filter(([name]) => name !== "page" && name !== "date");
  return (
    <nav class="row" aria-label="Pages">
      <PageLink to={page.previous === null ? null : toUrl(1)} name="« Newest" />{" "}
      <NeighborLinks next={page.next} previous={page.previous} />{" "}
      <PageLink to={page.next === null ? null : toUrl(lastPage)} name="Oldest »" />
      <JumpForm target="page" action={COLLECTION_PATH} kept={kept}>
        <label for="page">Page</label>
        <input id="page" name="page" type="number" min="1" max={lastPage} value={number} />
      </JumpForm>
      <JumpForm target="date" action={DATE_JUMP_PATH} kept={kept}>
        <label for="date">Date (UTC)</label>
        <input id="date" name="date" type="date" value={newest && getDay(newest)} />
      </JumpForm>
    </nav>
  );
};

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

interface JumpFormProps {
  target: "page" | "date";
  action: string;
  /** The parameters of the request that hidden inputs keep. */
  kept: [name: string, value: string][];
}

/** A form that opens a page. */
const JumpForm: FC<PropsWithChildren<JumpFormProps>> = ({ target, action, kept, children }) => (
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
