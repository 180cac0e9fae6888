import { MOCK_OPTIONS } from "../../mock/options.ts";
import type { Operation as Described, Example, Parameter, ResponseObject } from "../../openapi.ts";
import { CodeBlock } from "../code-block.tsx";
import { layOutJson } from "../json-layout.ts";
import type { FC } from "../jsx-runtime.ts";
import { quoteForShell } from "../landing/client-examples.ts";
import { Inline, Markdown } from "./markdown.tsx";
import { describeSchema, Entry, nameSchema } from "./schema.tsx";

interface OperationProps extends Described {
  method: string;
  path: string;
  /** The scheme, host and port under which clients reach the service. */
  origin: string;
  /** The operations before this one, whose parameters are described already. */
  before: Described[];
}

/** An operation: what it does, how to send it, its parameters and its responses. */
export const Operation: FC<OperationProps> = ({ operationId, summary, description, responses, ...sent }) => (
  <section class="operation" aria-labelledby={operationId}>
    <h2 id={operationId}>{summary}</h2>
    <p class="signature">
      <b>{sent.method}</b> <code>{sent.path}</code>
    </p>
    <Markdown text={description} />
    <h3>Try it</h3>
    <TryIt {...sent} summary={summary} />
    <h3>Parameters</h3>
    <dl class="entries">
      {sent.parameters?.map((parameter) => (
        <ShownParameter {...parameter} known={findKnown(parameter, sent.before)} id={operationId} />
      ))}
    </dl>
    <h3>Responses</h3>
    {Object.entries(responses).map(([status, response]) => (
      <Response status={status} {...response} />
    ))}
  </section>
);

/** The first operation before that has the same parameter. */
function findKnown({ name, in: place }: Parameter, before: Described[]): Described | undefined {
  return before.find(({ parameters = [] }) =>
    parameters.some((parameter) => parameter.name === name && parameter.in === place),
  );
}

/** A parameter. It is described only at the first operation that has it. */
const ShownParameter: FC<Parameter & { known: Described | undefined; id: string }> = (parameter) => {
  const { name, in: place, description, schema, known, id } = parameter;
  const anchor = (operation: string) => `${operation}-${place}-${name}`;
  return (
    <Entry id={anchor(id)} name={name} detail={`${place}: ${describeSchema(schema)}`}>
      {known ? (
        <p>
          As in <a href={`#${anchor(known.operationId)}`}>{known.summary}</a>.
        </p>
      ) : (
        <Markdown text={description} />
      )}
    </Entry>
  );
};

type Sent = Omit<OperationProps, "operationId" | "description" | "responses" | "tags" | "before">;

const TryIt: FC<Sent> = ({ method, path, origin, parameters = [], summary }) => (
  <>
    {method === "GET" ? (
      <TryForm path={path} parameters={parameters} summary={summary} />
    ) : (
      <p>A form on a web page cannot send {method}. Use the command instead.</p>
    )}
    <CodeBlock code={writeCurl(method, origin + path)} label={`curl: ${summary}`} />
  </>
);

function writeCurl(method: string, url: string): string {
  return `curl -si ${method === "GET" ? "" : `-X ${method} `}${quoteForShell(url)}`;
}

/** A form that sends the request and opens its response. A parameter that is not filled in is not sent or is empty. */
const TryForm: FC<{ path: string; parameters: Parameter[]; summary: string }> = ({
  path,
  parameters,
  summary,
}) => {
  const has = (wanted: string) =>
    parameters.some(({ name, in: place }) => name === wanted && place === "query");
  return (
    <form class="try" action={path} method="get" aria-label={`Try it: ${summary}`}>
      {has("page") && (
        <label>
          <code>page</code>
          <input name="page" value="2" inputmode="numeric" autocomplete="off" pattern="[0-9]+|last" />
        </label>
      )}
      {has("as_of") && <Choice name="as_of" value="latest" title="Keep to the current state" />}
      {has("prefer") && (
        <fieldset>
          <legend>Faults</legend>
          {Object.values(MOCK_OPTIONS).map(({ example, description }) => (
            <Choice name="prefer" value={example} title={description} />
          ))}
        </fieldset>
      )}
      <p class="actions">
        {has("format") ? (
          <>
            <button type="submit" class="button primary" name="format" value="api">
              Open the web page
            </button>
            <button type="submit" class="button" name="format" value="json">
              Show the raw response
            </button>
          </>
        ) : (
          <button type="submit" class="button primary">
            Send the request
          </button>
        )}
      </p>
    </form>
  );
};

/** An option that is sent only if it is chosen. */
const Choice: FC<{ name: string; value: string; title: string }> = ({ name, value, title }) => (
  <label title={title}>
    <input type="checkbox" name={name} value={value} autocomplete="off" />{" "}
    <code>{name === "prefer" ? value : `${name}=${value}`}</code>
  </label>
);

/** A response, which is folded if it is not the usual one. */
const Response: FC<ResponseObject & { status: string }> = ({ status, description, headers, content }) => (
  <details class="answer" open={status === "200"}>
    <summary>
      <b>{status === "default" ? "Other" : status}</b> <Inline text={description} />
    </summary>
    <p>
      {describeContent(content)} Headers:{" "}
      {Object.entries(headers).map(([name, { $ref }], index) => (
        <>
          {index > 0 && ", "}
          <a href={`#${$ref.replace(/.*\//, "header-")}`}>{name}</a>
        </>
      ))}
      .
    </p>
    {Object.values(content?.["application/json"]?.examples ?? {}).map((example, index) => (
      <ShownExample {...example} open={index === 0} />
    ))}
  </details>
);

function describeContent(content: ResponseObject["content"]): unknown {
  const { $ref } = content?.["application/json"]?.schema ?? {};
  if (typeof $ref !== "string") return "Without a body.";
  const name = $ref.replace(/.*\//, "");
  return (
    <>
      Body: <a href={`#${name}`}>{nameSchema(name)}</a> as JSON
      {content?.["text/html"] && ", or a web page for browsers"}.
    </>
  );
}

/** How many records of a page an example shows. */
const SHOWN_RECORDS = 2;

const ShownExample: FC<Example & { open: boolean }> = ({ summary, value, open }) => {
  const { results } = Object(value);
  const isLong = Array.isArray(results) && results.length > SHOWN_RECORDS;
  const shown = isLong ? { ...Object(value), results: results.slice(0, SHOWN_RECORDS) } : value;
  return (
    <details class="example" open={open}>
      <summary>
        <code>{summary}</code>
        {isLong && ` (${SHOWN_RECORDS} of its ${results.length} records)`}
      </summary>
      <pre>
        <code>{layOutJson(shown)}</code>
      </pre>
    </details>
  );
};
