import fc from "fast-check";
import { expect, test } from "vitest";
import { type FC, Fragment, jsx, Markup } from "../../src/site/jsx-runtime.ts";
import { extractText } from "./web-page.ts";

const write = (type: string | FC<never>, props: Record<string, unknown>) => jsx(type, props).html;

test("writes elements with attributes and children", () => {
  const child = jsx("b", { children: ["bold ", 2] });
  expect(write("p", { class: "lead", tabindex: 0, children: ["Some ", child, "."] })).toBe(
    '<p class="lead" tabindex="0">Some <b>bold 2</b>.</p>',
  );
  expect(write("td", {})).toBe("<td></td>");
  expect(write("br", {})).toBe("<br>");
  expect(write("img", { src: "/icon.svg", alt: "" })).toBe('<img src="/icon.svg" alt="">');
});

test("leaves out undefined, null and boolean children, and missing attributes", () => {
  expect(write("p", { children: [undefined, null, true, false, 0, "", []] })).toBe("<p>0</p>");
  expect(write("a", { href: undefined, title: null, hidden: false })).toBe("<a></a>");
  expect(write("button", { hidden: true })).toBe('<button hidden=""></button>');
  expect(write(() => null, {})).toBe("");
});

test("calls components with their properties", () => {
  const Item: FC<{ name: string; children?: unknown }> = ({ name, children }) =>
    jsx("li", { children: [name, ": ", children] });
  expect(write(Item, { name: "cars", children: 3 })).toBe("<li>cars: 3</li>");
  expect(write(Fragment, { children: [jsx("dt", { children: 1 }), jsx("dd", { children: 2 })] })).toBe(
    "<dt>1</dt><dd>2</dd>",
  );
});

test("writes Markup objects without escaping", () => {
  expect(write("code", { children: new Markup("<i>1 & 2</i>") })).toBe("<code><i>1 & 2</i></code>");
});

test("escapes objects that imitate Markup", () => {
  const imitation = { html: "<script>", isEscaped: true, toString: () => "<script>" };
  expect(write("p", { children: imitation })).toBe("<p>&lt;script&gt;</p>");
});

test("escapes any text, as a child and as an attribute", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."<>&\"'=/ amp;lt#39a\u2028") });
  fc.assert(
    fc.property(hostile, (text) => {
      const html = write("p", { title: text, children: [text] });
      const [, attribute = "", child = ""] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(html) ?? [];
      expect([extractText(attribute), extractText(child)]).toEqual([text, text]);
    }),
  );
});
