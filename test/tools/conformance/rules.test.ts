import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { RULES } from "../../../tools/conformance/check.ts";

/** Every sentence and every item of the specification, by heading. */
const SPECIFICATION: [section: string, items: string[]][] = [
  ["Service", ["1", "2", "3", "4"]],
  [
    "Record",
    [
      ..."id camera_pk camera_ref timestamp camera_ok cars persons".split(" "),
      ..."bicycles trucks motorcycles buses model_name".split(" "),
      ...["1", "2", "3", "4", "5"],
    ],
  ],
  ["Page envelope", ["count", "next", "previous", "results", "1", "2", "3"]],
  ["Resources", ["others"]],
  ["States", ["1", "2"]],
  [
    "List records",
    [
      ...["method", "path", "page", "page default", "format", "request body", "status"],
      ...["Allow", "Content-Type", "Vary", "body", "1", "2", "3", "4", "5"],
    ],
  ],
  ["Options", ["method", "path", "Allow", "body"]],
  ["Endpoints", ["others", "methods"]],
  ["Authentication", [""]],
  ["Events", [""]],
  ["Errors", [""]],
  ["Limits", ["page", "others"]],
  ["Versioning", ["1", "2"]],
];

/** Fields that the specification does not mention, which the check reports. */
const ADDITIONAL_FIELDS = ["Record.others", "Page envelope.others"];

/** The rules that the specification itself calls "not shown". */
const NOT_SHOWN = [
  "Page envelope 3",
  "Resources.others",
  "States 2",
  "Options.body",
  "Endpoints.others",
  "Authentication",
  "Events",
  "Errors",
  "Limits.others",
  "Versioning 2",
];

/** The rules that the specification does not mention at all. */
const REFERENCE = RULES.map(({ reference }) => reference).filter((one) => one.startsWith("Reference."));

/** `Record 1` refers to a numbered sentence, `Record.id` to an item. */
const references = SPECIFICATION.flatMap(([section, items]) =>
  items.map((item) => `${section}${/^\d*$/.test(item) ? ` ${item}` : `.${item}`}`.trim()),
);

describe("the rules", () => {
  test.each(references)("include %s", (reference) => {
    const matching = RULES.filter((rule) => rule.reference === reference || rule.also?.includes(reference));
    expect(matching.length).toBeGreaterThan(0);
  });

  test("refer to nothing else, except for additional fields and the reference", () => {
    const named = RULES.flatMap(({ reference, also = [] }) => [reference, ...also]);
    const others = [...new Set(named)].filter((reference) => !references.includes(reference));
    expect(others).toEqual([...ADDITIONAL_FIELDS, ...REFERENCE]);
  });

  test("each have a unique reference", () => {
    const names = RULES.map(({ reference }) => reference);
    expect(new Set(names).size).toBe(names.length);
  });

  test("mark the rules that the specification does not show, and have checks for all others", () => {
    const marked = RULES.filter(({ notShown }) => notShown).map(({ reference }) => reference);
    expect(marked.toSorted()).toEqual([...ADDITIONAL_FIELDS, ...NOT_SHOWN, ...REFERENCE].toSorted());
    for (const { reference, sentence, also: _, notShown, ...checks } of RULES) {
      expect(sentence).not.toBe("");
      if (!notShown) expect([reference, Object.keys(checks)]).not.toEqual([reference, []]);
    }
  });
});

describe("the documentation", () => {
  test("explains each rule in docs/specification.md, and the reference in docs/conformance.md", async () => {
    const [specification, conformance] = await Promise.all(
      ["specification", "conformance"].map((name) => readFile(`docs/${name}.md`, "utf8")),
    );
    const isExplained = ({ reference, sentence }: (typeof RULES)[number]) =>
      reference.startsWith("Reference.")
        ? conformance?.includes(`| **${reference}** | ${sentence} |`)
        : specification?.includes(`**${reference}**`);
    expect(RULES.filter((rule) => !isExplained(rule))).toEqual([]);
    const named = [...(specification ?? "").matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name);
    const known = [...RULES.map(({ reference }) => reference), "Reference"];
    expect(named.filter((name) => !known.includes(name!))).toEqual([]);
  });
});
