import type { JSX as HonoJsx } from "hono/jsx/jsx-runtime";

// The functions that JSX is compiled to (`jsxImportSource` in tsconfig.json). They write HTML at once. Hono's own build a tree
// first, for asynchronous components, contexts and streams; with them, the first page of an instance took 4 ms more.

/** HTML in which everything that is not markup is escaped. */
export class Markup {
  readonly html: string;

  /** @param html as it is; nothing in it is escaped */
  constructor(html: string) {
    this.html = html;
  }
}

const NOTHING = new Markup("");

/** A component: a function from its properties to HTML, or to null for none. */
export type FC<Props = object> = (props: Props) => Markup | null;

export type PropsWithChildren<Props> = Props & { children?: unknown };

/** Elements that have no content and no end tag (HTML, 13.1.2). */
const VOID = new Set(["br", "hr", "img", "input", "link", "meta"]);

/**
 * Writes an element, or calls a component.
 * @param props the attributes of an element, and its children. Null, undefined and booleans are not written as children;
 * as attributes null, undefined and false are left out.
 */
export function jsx(type: string | FC<never>, props: Record<string, unknown>): Markup {
  if (typeof type === "function") return type(props as never) ?? NOTHING;
  let html = `<${type}`;
  for (const name in props) if (name !== "children") html += writeAttribute(name, props[name]);
  return new Markup(VOID.has(type) ? `${html}>` : `${html}>${writeChild(props.children)}</${type}>`);
}

export { jsx as jsxDEV, jsx as jsxs };

/** Children without an element around them. */
export const Fragment: FC<PropsWithChildren<object>> = ({ children }) => new Markup(writeChild(children));

function writeAttribute(name: string, value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  return ` ${name}="${value === true ? "" : escapeText(String(value))}"`;
}

function writeChild(child: unknown): string {
  if (typeof child === "string") return escapeText(child);
  if (child instanceof Markup) return child.html;
  if (Array.isArray(child)) return child.map(writeChild).join("");
  return child === undefined || child === null || typeof child === "boolean" ? "" : escapeText(String(child));
}

/** The characters that end a text or an attribute value, or begin a reference in it (HTML, 13.1.4). */
const REFERENCES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Most texts have nothing to escape. Finding that out first saves a tenth of the time of a web page. */
export function escapeText(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text.replaceAll(/[&<>"']/g, (character) => REFERENCES[character] ?? "");
}

/** The types that the compiler checks JSX with. The elements and their attributes are those of Hono. */
export declare namespace JSX {
  type Element = Markup;
  type ElementType = string | FC<never>;
  type IntrinsicElements = HonoJsx.IntrinsicElements;
  interface ElementChildrenAttribute {
    children: unknown;
  }
}
