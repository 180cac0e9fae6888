import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { OPENAPI_DOCUMENT } from "../../tools/reference/openapi.ts";
import type { ResponseObject, Schema } from "../../tools/reference/openapi-types.ts";

type SentRequest = Pick<Request, "method" | "url" | "headers">;

const { paths, components } = OPENAPI_DOCUMENT;

// Strict: unknown keywords in a schema are mistakes in the document.
const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
ajv.addKeyword("components");

/** Options that change the body, so the schemas do not apply. */
const BODY_OPTIONS = ["body", "rows", "count", "next", "record"];

const HEADER_NAMES = Object.keys(components.headers).map((name) => name.toLowerCase());

/**
 * Checks the status, the headers, the media type and the body of a response against the OpenAPI document. Ignores undocumented paths and
 * methods, preflights, closed connections, and bodies that a fault changed.
 * @param response The body stays readable
 * @throws Error with a list of all contradictions
 */
export async function requireDocumented(sent: SentRequest, response: Response): Promise<void> {
  if (new URL(sent.url).pathname !== COLLECTION_PATH) return;
  const { get, options } = paths[COLLECTION_PATH];
  const operation = { GET: get, HEAD: get, OPTIONS: options }[sent.method];
  const applied = response.headers.get("preference-applied")?.split(", ") ?? [];
  const isPreflight = sent.headers.has("access-control-request-method") && sent.method === "OPTIONS";
  if (operation === undefined || isPreflight || applied.includes("close")) return;
  const { status } = response;
  // Faults can send any error, but otherwise only documented errors occur.
  const fault = applied.length > 0 ? operation.responses.default : undefined;
  const expected = operation.responses[status] ?? fault;
  const request = `${sent.method} ${sent.url}`;
  if (!expected) throw new Error(`${request}: status ${status} is not documented`);
  const isBodyChanged = applied.some((option) => BODY_OPTIONS.includes(option.replace(/=.*/, "")));
  const problems = checkHeaders(expected, response.headers);
  if (!isBodyChanged) problems.push(...(await checkBody(expected, sent, response.clone())));
  if (problems.length === 0) return;
  throw new Error(`The response to ${request} contradicts the document:\n${problems.join("\n")}`);
}

function checkHeaders(expected: ResponseObject, headers: Headers): string[] {
  const validate = compileOnce(expected, () => {
    const names = Object.keys(expected.headers);
    // A header that only other responses have is a mistake.
    const rejected = HEADER_NAMES.map((name) => [name, false]);
    const schemas = names.map((name) => [name.toLowerCase(), components.headers[name]!.schema]);
    const required = ["allow", "vary"];
    return ajv.compile({
      type: "object",
      properties: Object.fromEntries([...rejected, ...schemas]),
      required,
    });
  });
  return formatErrors("headers", validate, Object.fromEntries(headers));
}

async function checkBody(
  { content }: ResponseObject,
  { method }: SentRequest,
  response: Response,
): Promise<string[]> {
  const text = await response.text();
  const type = response.headers.get("content-type");
  if (content === undefined) return text === "" ? [] : ["a body, although none is documented"];
  const media = content[type ?? ""];
  // The document describes only JSON, but browsers get HTML.
  if (!media && !type?.startsWith("text/html;")) return [`content type ${type} is not documented`];
  if (method === "HEAD") return text === "" ? [] : ["a body in the response to HEAD"];
  return media ? checkValue(media.schema, JSON.parse(text)) : [];
}

/** Checks a value against a schema of the document. Returns all problems. */
export function checkValue(schema: Schema, value: unknown): string[] {
  const validate = compileOnce(schema, () => ajv.compile({ ...schema, components }));
  return formatErrors("body", validate, value);
}

const compiled = new WeakMap<object, ValidateFunction>();

function compileOnce(key: object, compile: () => ValidateFunction): ValidateFunction {
  const validate = compiled.get(key) ?? compile();
  compiled.set(key, validate);
  return validate;
}

function formatErrors(where: string, validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${where}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
