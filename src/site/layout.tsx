import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../records/envelope.ts";
import { DESCRIPTION } from "../records/route.ts";
import { STAND_IN } from "./about.ts";
import { DOCUMENT_PATH } from "./openapi/route.ts";
import { REFERENCE_PATH } from "./reference/route.ts";

/** The site is called as the collection is. */
export const SITE_NAME = DESCRIPTION.name;

/** The pages of the site, as its navigation names them. */
const PAGES = [
  ["/", "Overview"],
  [COLLECTION_PATH, "Records"],
  [REFERENCE_PATH, "API reference"],
] as const;

interface LayoutProps {
  /** Of the page; the site's name is added. */
  title: string;
  /** The path of the page, if the navigation has it. */
  path?: string;
  /** What search engines and link previews show. */
  description?: string;
  /** Names of scripts of src/site/assets/scripts/, without ending. */
  scripts?: string[];
  /** Names of further style sheets of src/site/assets/styles/. */
  styles?: string[];
}

/** What stands around every page: head, navigation and footer. */
export const Layout: FC<PropsWithChildren<LayoutProps>> = ({ children, path, ...head }) => (
  <html lang="en">
    <Head {...head} />
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="site">
        <nav aria-label="Site">
          <a class="brand" href="/">
            <img src="/assets/icon.svg" alt="" width="28" height="28" />
            {SITE_NAME}
          </a>
          <ul>
            {PAGES.map(([href, name]) => (
              <li>
                <a href={href} aria-current={href === path ? "page" : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main">{children}</main>
      <footer>
        <p>A {STAND_IN}. Read-only, no key, any origin.</p>
        <p>
          <a href={DOCUMENT_PATH}>OpenAPI document</a>
        </p>
      </footer>
    </body>
  </html>
);

const Head: FC<Omit<LayoutProps, "path">> = ({ title, description, scripts = [], styles = [] }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title === SITE_NAME ? title : `${title} · ${SITE_NAME}`}</title>
    {description && <meta name="description" content={description} />}
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    {["site", ...styles].map((name) => (
      <link rel="stylesheet" href={`/assets/${name}.css`} />
    ))}
    {scripts.map((name) => (
      <script type="module" src={`/assets/${name}.js`} />
    ))}
  </head>
);
