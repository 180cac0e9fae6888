import { readFile } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseObject, Schema } from "../../../src/http/openapi/types.ts";
import { negotiate } from "../../../src/http/request.ts";
import { MAX_PAGE, parsePageNumber } from "../../../src/records/page.ts";
import { describeService } from "../../../src/site/openapi/document.ts";

const document = describeService("https://counts.example");
const list = document.paths["/api/tf1/records/"]!.get!;
const responses: [string, ResponseObject][] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { responses }]) =>
    Object.entries(responses).map(([status, response]): [string, ResponseObject] => [
      `${method} ${path} ${status}`,
      response,
    ]),
  ),
);

function compile(schema: Schema) {
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  ajv.addKeyword("components");
  return ajv.compile({ ...schema, components: document.components });
}

describe("the document", () => {
  test("is valid OpenAPI 3.1 for an independent validator", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone({ ...document }));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("is checked by a validator that finds mistakes", async () => {
    const broken = { ...structuredClone(document), servers: "https://counts.example" };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test("contains the version and the license of the package, and the origin", async () => {
    const { version, license } = JSON.parse(await readFile("package.json", "utf8"));
    expect(document.info).toMatchObject({ version, license: { identifier: license } });
    expect(document.servers.map(({ url }) => url)).toEqual(["https://counts.example"]);
  });

  test("has the methods of the specification: GET and OPTIONS", () => {
    expect(Object.keys(document.paths["/api/tf1/records/"]!)).toEqual(["get", "options"]);
  });

  test("has the twelve fields of a record in their order, and all are required", () => {
    const { properties, required } = document.components.schemas.TrafficRecord!;
    const fields = [
      ...["id", "camera_pk", "camera_ref", "timestamp", "camera_ok", "cars", "persons", "bicycles", "trucks"],
      ...["motorcycles", "buses", "model_name"],
    ];
    expect(Object.keys(Object(properties))).toEqual(fields);
    expect(required).toEqual(fields);
    for (const { description } of Object.values<Schema>(Object(properties)))
      expect(description).toMatch(/^[A-Z].*\.$/);
  });

  test("has a component for every reference, and uses every component", () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(new Set(references)).toEqual(new Set(components));
  });

  test.each(responses)("has valid examples for %s", (_, { content = {} }) => {
    for (const { schema, examples = {} } of Object.values(content)) {
      const validate = compile(schema);
      for (const { value } of Object.values(examples))
        expect(validate(value), validate.errors?.join()).toBe(true);
    }
  });
});

describe("the parameters allow exactly the values that the worker accepts", () => {
  const schemaOf = (name: string) =>
    compile(list.parameters!.find((parameter) => parameter.name === name)!.schema);

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
    const isAccepted = (format: string) => {
      try {
        return negotiate(format, undefined) !== undefined;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(anything, (text) => {
        expect(validate(text)).toBe(isAccepted(text));
      }),
    );
  });

  test("every parameter except as_of can be empty, which means the default", () => {
    for (const { name, in: place, allowEmptyValue = false, schema } of list.parameters!) {
      if (place === "query") expect([name, allowEmptyValue]).toEqual([name, name !== "as_of"]);
      if (name === "page") expect(schema.default).toBe(parsePageNumber(""));
    }
  });
});
