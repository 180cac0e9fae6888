import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { PREFLIGHT_ANSWER } from "../src/site/openapi/answers.ts";
import { describeService } from "../src/site/openapi/document.ts";
import { answerHeaders } from "../src/site/openapi/headers.ts";
import type { Answer, Header, PathItem, Reference, Schema } from "../src/site/openapi/types.ts";

/** What an answer is checked against. */
interface Sent {
  method: string;
  /** Absolute. */
  url: string;
  headers: Headers;
}

const { paths, components } = describeService("http://localhost");

// Strict: a schema that says something that is no JSON Schema is a mistake in the document. Headers arrive as text.
const ajv = new Ajv2020({ strict: true, allErrors: true });
const headerAjv = new Ajv2020({ strict: true, allErrors: true, coerceTypes: true });
for (const validator of [ajv, headerAjv]) formats.default(validator);
ajv.addKeyword("components");

/** The names of all headers that the document has, with whichever answer. */
const HEADER_NAMES = [
  ...new Set(
    Object.values(answerHeaders).flatMap((headers) => Object.keys(headers).map((name) => name.toLowerCase())),
  ),
];

/**
 * Holds an answer against the OpenAPI document: is its status documented for the request, and has it the headers, the
 * media type and the body that the document says? Paths that the document does not have pass; of an answer whose body
 * was broken on request, nothing can be said.
 * @param response whose body stays readable
 * @throws saying everything that is wrong
 */
export async function checkAnswer(sent: Sent, response: Response): Promise<void> {
  const item = paths[new URL(sent.url).pathname];
  if (item === undefined || response.headers.get("preference-applied")?.includes("body=")) return;
  const answer = findAnswer(item, sent, response);
  const problems =
    answer === undefined
      ? [`status ${response.status} is not documented`]
      : [
          ...checkHeaders(answer, response.headers),
          ...(await checkBody(answer, sent.method, response.clone())),
        ];
  if (problems.length > 0) {
    throw new Error(
      `${sent.method} ${sent.url} answered against the document:\n${[...new Set(problems)].join("\n")}`,
    );
  }
}

/**
 * Finds what the document says of a status. HEAD answers as GET. A method that is not documented may only fail, and
 * only such a method may get a 405; where all methods are answered alike, the document says so with GET alone.
 */
function findAnswer(
  { get, options }: PathItem,
  { method, headers }: Sent,
  { status, headers: answered }: Response,
): Answer | undefined {
  // Any error may be asked for, but no other than a documented one comes by itself.
  if (status >= 400 && answered.has("preference-applied")) return get?.responses.default;
  if (method === "OPTIONS" && headers.has("access-control-request-method"))
    return status === 204 ? PREFLIGHT_ANSWER : undefined;
  if (method === "OPTIONS" && options) return status === 204 ? undefined : options.responses[status];
  const alike = get?.responses[405] === undefined;
  const known = method === "GET" || method === "HEAD";
  if (!alike && (known ? status === 405 : status < 400)) return undefined;
  return get?.responses[status];
}

function checkHeaders(answer: Answer, headers: Headers): string[] {
  const validate = compileOnce(answer.headers, () => {
    const documented = Object.entries(answer.headers).map(([name, reference]) => ({
      name: name.toLowerCase(),
      header: resolveHeader(reference),
    }));
    return headerAjv.compile({
      type: "object",
      properties: Object.fromEntries(documented.map(({ name, header }) => [name, header.schema])),
      required: documented.filter(({ header }) => header.required).map(({ name }) => name),
    });
  });
  const problems = validate(Object.fromEntries(headers)) ? [] : describeErrors("headers", validate);
  const named = Object.keys(answer.headers).map((name) => name.toLowerCase());
  const others = HEADER_NAMES.filter((name) => headers.has(name) && !named.includes(name));
  return [...problems, ...others.map((name) => `header ${name} is not documented here`)];
}

async function checkBody({ content }: Answer, method: string, response: Response): Promise<string[]> {
  const text = await response.text();
  const type = response.headers.get("content-type");
  if (content === undefined) return text === "" ? [] : ["a body where none is documented"];
  // JSON is answered exactly so; HTML may say its charset.
  const media = content[type?.startsWith("text/html") ? "text/html" : (type ?? "")];
  if (media === undefined) return [`content type ${type} is not documented`];
  if (method === "HEAD") return text === "" ? [] : ["a body in answer to HEAD"];
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
