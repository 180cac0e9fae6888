import { raw } from "hono/html";
import type { FC, PropsWithChildren } from "hono/jsx";
import { ASSETS_PATH } from "#assets-path";
import { COLLECTION_PATH } from "../http/links.ts";
import { OPENAPI_PATH, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "./site.ts";

export type Link = readonly [href: string, name: string];

const SITE_LINKS: Link[] = [
  ["/", "Overview"],
  [COLLECTION_PATH, "Records"],
  [REFERENCE_PATH, "API reference"],
];

const FOOTER_LINKS: Link[] = [
  [OPENAPI_PATH, "OpenAPI document"],
  ["/LICENSE", "License"],
];

interface LayoutProps {
  /** Stands before the name of the site in the title of the document. The home page has none. */
  title?: string;
  /** The path of the page, to mark its link in the navigation. */
  path: string;
  /** A sentence for search engines. */
  description?: string;
  /** The file name of a script that other pages do not need. */
  script?: string;
}

/** The frame of every HTML document. It needs no `og:` tags: programs that preview links accept any type, so they get JSON. */
export const Layout: FC<PropsWithChildren<LayoutProps>> = (props) => (
  <>
    {raw("<!doctype html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{props.title === undefined ? SITE_NAME : `${props.title} · ${SITE_NAME}`}</title>
        {props.description && <meta name="description" content={props.description} />}
        <link rel="icon" href={`${ASSETS_PATH}/icon.svg`} type="image/svg+xml" />
        <link rel="stylesheet" href={`${ASSETS_PATH}/site.css`} />
        <script type="module" src={`${ASSETS_PATH}/page.js`} />
        {props.script && <script type="module" src={`${ASSETS_PATH}/${props.script}`} />}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header>
          <nav aria-label="Site">
            <a class="brand" href="/">
              <img src={`${ASSETS_PATH}/icon.svg`} alt="" width="28" height="28" />
              {SITE_NAME}
            </a>
            <LinkList links={SITE_LINKS} current={props.path} />
          </nav>
        </header>
        <main id="main">{props.children}</main>
        <footer>
          <p>A {SERVICE_SUMMARY}. It is read-only, needs no key, and accepts requests from any origin.</p>
          <LinkList links={FOOTER_LINKS} />
        </footer>
      </body>
    </html>
  </>
);

/** @param current The `href` of the link to the page that contains this list */
export const LinkList: FC<{ links: readonly Link[]; current?: string }> = ({ links, current }) => (
  <ul class="links">
    {links.map(([href, name]) => (
      <li>
        <a href={href} aria-current={href === current ? "page" : undefined}>
          {name}
        </a>
      </li>
    ))}
  </ul>
);
