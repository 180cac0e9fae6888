import { describe, expect, test } from "vitest";
import { RULES } from "../../../tools/conformance/rules.ts";

/** Every sentence and every item of the specification, by its headings. */
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

/** What the specification itself calls "not shown". */
const NOT_SHOWN = [
  ...[
    "Page envelope 3",
    "Resources.others",
    "States 2",
    "Options.body",
    "Endpoints.others",
    "Authentication",
  ],
  ...["Events", "Errors", "Limits.others", "Versioning 2"],
];

/** `Record 1` is a number, `Record.id` an item. */
const places = SPECIFICATION.flatMap(([section, items]) =>
  items.map((item) => `${section}${/^\d*$/.test(item) ? ` ${item}` : `.${item}`}`.trim()),
);

describe("the rules", () => {
  test.each(places)("have %s", (place) => {
    const judged = RULES.filter((rule) => rule.place === place || rule.also?.includes(place));
    expect(judged.length).toBeGreaterThan(0);
  });

  test("have no place that the specification does not have, but for the fields beyond it", () => {
    const named = RULES.flatMap(({ place, also = [] }) => [place, ...also]);
    const others = [...new Set(named)].filter((place) => !places.includes(place));
    expect(others).toEqual(["Record.others", "Page envelope.others"]);
  });

  test("have one name each", () => {
    const names = RULES.map(({ place }) => place);
    expect(new Set(names).size).toBe(names.length);
  });

  test("say what the specification does not show, and can be judged for all the rest", () => {
    const silent = RULES.filter(({ notShown }) => notShown).map(({ place }) => place);
    expect(silent.filter((place) => !place.endsWith(".others") || places.includes(place))).toEqual(NOT_SHOWN);
    for (const { place, sentence, also: _, notShown, ...checks } of RULES) {
      expect(sentence).not.toBe("");
      if (!notShown) expect([place, Object.keys(checks)]).not.toEqual([place, []]);
    }
  });
});
