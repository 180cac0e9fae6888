import type { JSX as HonoJsx } from "hono/jsx/jsx-runtime";

// The functions that JSX compiles to (`jsxImportSource` in tsconfig.json), with the syntax of HTML (HTML standard, 13.1). These
// functions build a string, because Hono's functions build a tree first, and that slows down the first response of an instance.

/** HTML in which all text is escaped. */
export class Markup {
  readonly html: string;

  /** @param html Escaped HTML */
  constructor(html: string) {
    this.html = html;
  }
}

const NOTHING = new Markup("");

/** A component: a function from properties to HTML, or to null. */
export type FC<Props = object> = (props: Props) => Markup | null;

export type PropsWithChildren<Props> = Props & { children?: unknown };

/** Elements without content and end tag. */
const VOID_ELEMENTS = new Set(["br", "hr", "img", "input", "link", "meta"]);

/**
 * Renders an element, or calls a component.
 * @param props The attributes and children. Null, undefined and booleans are not rendered as children. Null, undefined and false are not
 *   rendered as attributes
 */
export function jsx(type: string | FC<never>, props: Record<string, unknown>): Markup {
  if (typeof type === "function") return type(props as never) ?? NOTHING;
  let html = `<${type}`;
  for (const name in props) if (name !== "children") html += renderAttribute(name, props[name]);
  return new Markup(
    VOID_ELEMENTS.has(type) ? `${html}>` : `${html}>${renderChild(props.children)}</${type}>`,
  );
}

export { jsx as jsxDEV, jsx as jsxs };

/** Children without an element around them. */
export const Fragment: FC<PropsWithChildren<object>> = ({ children }) => new Markup(renderChild(children));

function renderAttribute(name: string, value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  return ` ${name}="${value === true ? "" : escapeText(String(value))}"`;
}

function renderChild(child: unknown): string {
  if (typeof child === "string") return escapeText(child);
  if (child instanceof Markup) return child.html;
  if (Array.isArray(child)) return child.map(renderChild).join("");
  return child === undefined || child === null || typeof child === "boolean" ? "" : escapeText(String(child));
}

/** The characters that end text or an attribute value, or begin a character reference. */
const CHARACTER_REFERENCES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a string for HTML. Most strings have nothing to escape, so test first. */
export function escapeText(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text.replaceAll(/[&<>"']/g, (character) => CHARACTER_REFERENCES[character] ?? "");
}

/** The types for JSX. Elements and attributes have the types of Hono. */
export declare namespace JSX {
  type Element = Markup;
  type ElementType = string | FC<never>;
  type IntrinsicElements = HonoJsx.IntrinsicElements;
  interface ElementChildrenAttribute {
    children: unknown;
  }
}
