import { readFile } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { negotiate } from "../src/http/request.ts";
import { describeService, EXAMPLE_RECORDS, type Schema } from "../src/openapi.ts";
import { COLLECTION_PATH, MAX_PAGE, parsePageNumber } from "../src/records/page.ts";
import { TrafficRecord } from "../src/records/record.ts";
import { createMemoryService, ORIGIN } from "./memory-service.ts";
import { compareNewestFirst } from "./records/sample.ts";

const document = describeService(ORIGIN);
const { get, options } = document.paths[COLLECTION_PATH]!;

function compile(schema: Schema) {
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  ajv.addKeyword("components");
  return ajv.compile({ ...schema, components: document.components });
}

describe("the document", () => {
  test("is valid OpenAPI 3.1 for an independent validator, which finds mistakes", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    const broken = { ...structuredClone(document), servers: ORIGIN };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test("contains the version and the license of the package, and the origin", async () => {
    const { version, license } = JSON.parse(await readFile("package.json", "utf8"));
    expect(document.info).toMatchObject({ version, license: { identifier: license } });
    expect(document.servers.map(({ url }) => url)).toEqual([ORIGIN]);
  });

  test("has the methods of the specification, and the fields of a record in their order", () => {
    expect(Object.keys(document.paths[COLLECTION_PATH]!)).toEqual(["get", "options"]);
    const { properties, required } = document.components.schemas.TrafficRecord!;
    expect(Object.keys(Object(properties))).toEqual(Object.keys(TrafficRecord.shape));
    expect(required).toEqual(Object.keys(TrafficRecord.shape));
  });

  test("has a component for every reference, and uses every component", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(new Set(Array.from(references, ([, reference]) => reference))).toEqual(new Set(components));
  });
});

const examples = [get!, options!]
  .flatMap(({ responses }) => Object.entries(responses))
  .flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ schema, examples = {} }) =>
      Object.values(examples).map((example) => ({ ...example, status: Number(status), schema })),
    ),
  );

test("the records of the examples are in the order of the collection", () => {
  expect(EXAMPLE_RECORDS).toEqual(EXAMPLE_RECORDS.toSorted(compareNewestFirst));
});

test.each(examples)(
  "the example $summary is valid, and the response of a service with the records of the examples",
  async ({ summary, status, schema, value }) => {
    const service = await createMemoryService(EXAMPLE_RECORDS.toReversed());
    const [, method = "", target = "", accept = "*/*"] =
      /^([A-Z]+) ([^ ,]+)(?:, Accept: (.*))?(?: \(made-up records\))?$/.exec(summary) ?? [];
    const response = await service.fetch(target, { method, headers: { accept } });
    expect([response.status, await response.text()]).toEqual([status, JSON.stringify(value)]);
    const validate = compile(schema);
    expect(validate(value), validate.errors?.join()).toBe(true);
  },
);

describe("the parameters allow exactly the values that the service accepts", () => {
  const schemaOf = (name: string) =>
    compile(get!.parameters.find((parameter) => parameter.name === name)!.schema);

  /** Reads a value in a query as a number if it has the form of a number. */
  const toValue = (text: string) => (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text);

  test("page", () => {
    const validate = schemaOf("page");
    const anything = fc.oneof(
      fc.integer({ min: -3, max: 40 }).map(String),
      fc.constantFrom("last", "first", "LAST", "1.5", `${MAX_PAGE}`, `${MAX_PAGE + 1}`, "-1", "0"),
      fc.string({ minLength: 1 }).filter((text) => !/^0+\d/.test(text)),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(validate(toValue(text))).toBe(parsePageNumber(text) !== undefined);
      }),
    );
  });

  test("format", () => {
    const validate = schemaOf("format");
    const anything = fc.oneof(fc.constantFrom("api", "json", "html", "API"), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(anything, (text) => {
        if (validate(text)) expect(negotiate(text, undefined)).toBe("json");
        else expect(() => negotiate(text, undefined)).toThrow();
      }),
    );
  });

  test("every parameter can be empty, which means the default", () => {
    for (const { name, in: place, allowEmptyValue = false, schema } of get!.parameters) {
      if (place === "query") expect(allowEmptyValue, name).toBe(true);
      if (name === "page") expect(schema.default).toBe(parsePageNumber(""));
    }
  });
});
