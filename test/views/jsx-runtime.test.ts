import fc from "fast-check";
import { expect, test } from "vitest";
import { type FC, Fragment, jsx, Markup } from "../../src/views/jsx-runtime.ts";
import { extractText } from "./html-view.ts";

const Item: FC<{ name: string; children?: unknown }> = ({ name, children }) =>
  jsx("li", { children: [name, ": ", children] });
const imitation = { html: "<script>", isEscaped: true, toString: () => "<script>" };

test.each<[string | FC<never>, Record<string, unknown>, html: string]>([
  [
    "p",
    { class: "lead", tabindex: 0, children: ["Some ", 2, "."] },
    '<p class="lead" tabindex="0">Some 2.</p>',
  ],
  ["img", { src: "/icon.svg", alt: "" }, '<img src="/icon.svg" alt="">'],
  ["p", { children: [undefined, null, true, false, 0, "", []] }, "<p>0</p>"],
  ["a", { href: undefined, title: null, hidden: false }, "<a></a>"],
  ["button", { hidden: true }, '<button hidden=""></button>'],
  [() => null, {}, ""],
  [Item, { name: "cars", children: 3 }, "<li>cars: 3</li>"],
  [Fragment, { children: [jsx("dt", { children: 1 }), jsx("dd", {})] }, "<dt>1</dt><dd></dd>"],
  ["code", { children: new Markup("<i>1 & 2</i>") }, "<code><i>1 & 2</i></code>"],
  ["p", { children: imitation }, "<p>&lt;script&gt;</p>"],
])("%s with %j is rendered as %s", (type, props, html) => expect(jsx(type, props).html).toBe(html));

test("escapes any text, as a child and as an attribute", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."<>&\"'=/ amp;lt#39a\u2028") });
  fc.assert(
    fc.property(hostile, (text) => {
      const { html } = jsx("p", { title: text, children: [text] });
      const [, attribute = "", child = ""] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(html) ?? [];
      expect([extractText(attribute), extractText(child)]).toEqual([text, text]);
    }),
  );
});
