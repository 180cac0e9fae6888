import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Header, PathItem, Reference, ResponseObject, Schema } from "../src/http/openapi/types.ts";
import { describeService } from "../src/site/openapi/document.ts";

/** The request of a response. */
interface Sent {
  method: string;
  /** Absolute. */
  url: string;
  headers: Headers;
}

const { paths, components } = describeService("http://localhost");

/** The response to a preflight, which is the same for every path. */
const PREFLIGHT_RESPONSE = paths["/api/tf1/records/"]?.options?.responses[204];

// Strict: unknown keywords in a schema are mistakes in the document. Headers are checked as text.
const ajv = new Ajv2020({ strict: true, allErrors: true });
const headerAjv = new Ajv2020({ strict: true, allErrors: true, coerceTypes: true });
for (const validator of [ajv, headerAjv]) formats.default(validator);
ajv.addKeyword("components");

/** The names of all headers in the document, of every response. */
const HEADER_NAMES = new Set(
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ headers }) => Object.keys(headers).map((name) => name.toLowerCase())),
);

/**
 * Checks a response against the OpenAPI document: its status, headers, media type and body. Paths that are not in the
 * document pass, and so do responses whose body the mock broke.
 * @param response its body stays readable
 * @throws with a list of everything that is wrong
 */
export async function checkResponse(sent: Sent, response: Response): Promise<void> {
  const item = paths[new URL(sent.url).pathname];
  if (
    item === undefined ||
    /\b(?:body|rows|count|next|record)=/.test(response.headers.get("preference-applied") ?? "")
  )
    return;
  const documented = findDocumented(item, sent, response);
  const problems =
    documented === undefined
      ? [`status ${response.status} is not documented`]
      : [
          ...checkHeaders(documented, response.headers),
          ...(await checkBody(documented, sent.method, response.clone())),
        ];
  if (problems.length > 0) {
    throw new Error(
      `The response to ${sent.method} ${sent.url} contradicts the document:\n${[...new Set(problems)].join("\n")}`,
    );
  }
}

/**
 * Finds the documented response of a status. HEAD is documented by GET. An undocumented method may only fail, and only
 * such a method may get a 405. For a path with the same response to every method, only GET is documented.
 */
function findDocumented(
  { get, options }: PathItem,
  { method, headers }: Sent,
  { status, headers: received }: Response,
): ResponseObject | undefined {
  // The mock may send any error, but otherwise only documented errors occur.
  if (status >= 400 && received.has("preference-applied")) return get?.responses.default;
  if (method === "OPTIONS" && headers.has("access-control-request-method"))
    return status === 204 ? PREFLIGHT_RESPONSE : undefined;
  if (method === "OPTIONS" && options) return status === 204 ? undefined : options.responses[status];
  const isSameForAll = get?.responses[405] === undefined;
  const isKnown = method === "GET" || method === "HEAD";
  if (!isSameForAll && (isKnown ? status === 405 : status < 400)) return undefined;
  return get?.responses[status];
}

function checkHeaders(documented: ResponseObject, headers: Headers): string[] {
  const validate = compileOnce(documented.headers, () => {
    const entries = Object.entries(documented.headers).map(([name, reference]) => ({
      name: name.toLowerCase(),
      header: resolveHeader(reference),
    }));
    return headerAjv.compile({
      type: "object",
      properties: Object.fromEntries(entries.map(({ name, header }) => [name, header.schema])),
      required: entries.filter(({ header }) => header.required).map(({ name }) => name),
    });
  });
  const problems = validate(Object.fromEntries(headers)) ? [] : describeErrors("headers", validate);
  const named = Object.keys(documented.headers).map((name) => name.toLowerCase());
  const others = [...HEADER_NAMES].filter((name) => headers.has(name) && !named.includes(name));
  return [...problems, ...others.map((name) => `header ${name} is not documented here`)];
}

async function checkBody({ content }: ResponseObject, method: string, response: Response): Promise<string[]> {
  const text = await response.text();
  const type = response.headers.get("content-type");
  if (content === undefined) return text === "" ? [] : ["a body, although none is documented"];
  // JSON must have exactly this type; HTML may have a charset.
  const media = content[type?.startsWith("text/html") ? "text/html" : (type ?? "")];
  if (media === undefined) return [`content type ${type} is not documented`];
  if (method === "HEAD") return text === "" ? [] : ["a body in the response to HEAD"];
  return type === "application/json" ? checkJson(text, media.schema) : [];
}

function checkJson(text: string, schema: Schema): string[] {
  const validate = compileOnce(schema, () => ajv.compile({ ...schema, components }));
  return validate(JSON.parse(text)) ? [] : describeErrors("body", validate);
}

const compiled = new WeakMap<object, ValidateFunction>();

function compileOnce(key: object, compile: () => ValidateFunction): ValidateFunction {
  const validate = compiled.get(key) ?? compile();
  compiled.set(key, validate);
  return validate;
}

function describeErrors(where: string, { errors }: ValidateFunction): string[] {
  return (errors ?? []).map(
    ({ instancePath, message, params }) => `${where}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function resolveHeader({ $ref }: Reference): Header {
  const header = components.headers[$ref.slice("#/components/headers/".length)];
  if (header === undefined) throw new Error(`${$ref} is not in the document`);
  return header;
}
