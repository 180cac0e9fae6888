import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createOpenApiDocument, type PathItem, type ResponseObject, type Schema } from "../src/openapi.ts";

/** The request of a response. */
interface SentRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: Headers;
}

const { paths, components } = createOpenApiDocument("http://localhost");

// Strict: unknown keywords in a schema are mistakes in the document. Headers are checked as text.
const ajv = new Ajv2020({ strict: true, allErrors: true });
const headerAjv = new Ajv2020({ strict: true, allErrors: true, coerceTypes: true });
for (const validator of [ajv, headerAjv]) formats.default(validator);
ajv.addKeyword("components");

/** Faults after which the body is not as the document says. */
const BODY_OPTIONS = ["body", "rows", "count", "next", "record"];

/** The names of all headers in the document, of every response. */
const HEADER_NAMES = Object.keys(components.headers).map((name) => name.replace(/\..*/, "").toLowerCase());

/**
 * Checks a response against the OpenAPI document: its status, headers, media type and body. Paths that are not in the
 * document pass, and so do closed connections and bodies that the mock changed.
 * @param response its body stays readable
 * @throws with a list of everything that is wrong
 */
export async function requireDocumented(sent: SentRequest, response: Response): Promise<void> {
  const pathItem = paths[new URL(sent.url).pathname];
  const applied = response.headers.get("preference-applied")?.split(", ") ?? [];
  const isBodyReplaced = applied.some((option) => BODY_OPTIONS.includes(option.replace(/=.*/, "")));
  if (pathItem === undefined || applied.includes("close")) return;
  const documented = findDocumented(pathItem, sent, response);
  const problems = documented
    ? [
        ...checkHeaders(documented, response.headers),
        ...(isBodyReplaced ? [] : await checkBody(documented, sent, response.clone())),
      ]
    : [`status ${response.status} is not documented`];
  if (problems.length === 0) return;
  const list = [...new Set(problems)].join("\n");
  throw new Error(`The response to ${sent.method} ${sent.url} contradicts the document:\n${list}`);
}

/**
 * Finds the documented response of a status. HEAD is documented by GET. An undocumented method may only fail, and only
 * such a method may get a 405.
 */
function findDocumented(
  { get, options }: PathItem,
  { method, headers }: SentRequest,
  { status, headers: received }: Response,
): ResponseObject | undefined {
  // The mock may send any error, but otherwise only documented errors occur.
  if (status >= 400 && received.has("preference-applied"))
    return (method === "OPTIONS" ? options : get)?.responses[status] ?? get?.responses.default;
  if (method === "OPTIONS") {
    const isPreflight = headers.has("access-control-request-method");
    return isPreflight === (status === 204) ? options?.responses[status] : undefined;
  }
  const isKnown = method === "GET" || method === "HEAD";
  return (isKnown ? status === 405 : status < 400) ? undefined : get?.responses[status];
}

function checkHeaders(documented: ResponseObject, headers: Headers): string[] {
  const validate = compileOnce(documented, () => {
    const named = Object.entries(documented.headers).map(
      ([name, { $ref }]) => [name.toLowerCase(), components.headers[$ref.replace(/.*\//, "")]!] as const,
    );
    // A header that only other responses have is a mistake.
    const rejected = HEADER_NAMES.map((name) => [name, false] as const);
    const schemas = named.map(([name, { schema }]) => [name, schema] as const);
    return headerAjv.compile({
      type: "object",
      properties: Object.fromEntries([...rejected, ...schemas]),
      required: named.flatMap(([name, { required }]) => (required ? [name] : [])),
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
  // The document describes JSON alone, but browsers get web pages.
  if (!media && !type?.startsWith("text/html;")) return [`content type ${type} is not documented`];
  if (method === "HEAD") return text === "" ? [] : ["a body in the response to HEAD"];
  return media ? checkValue(media.schema, JSON.parse(text)) : [];
}

/** Checks a value against a schema of the document. Returns everything that is wrong. */
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
