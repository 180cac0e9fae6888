import type { FC } from "hono/jsx";

export type Link = readonly [href: string, name: string];

/** @param current The URL of the link to mark as current */
export const Links: FC<{ links: readonly Link[]; current?: string }> = ({ links, current }) => (
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
