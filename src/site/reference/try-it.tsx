import { MOCK_OPTIONS } from "../../mock/options.ts";
import { CodeBlock } from "../code-block.tsx";
import type { FC } from "../jsx-runtime.ts";
import { quoteForShell } from "../landing/client-examples.ts";
import { Entries } from "./text.tsx";

interface TryProps {
  method: string;
  /** The absolute URL of the operation, and its path. */
  url: string;
  path: string;
  summary: string;
}

/** Sends a request of an operation, and shows the command that does the same. */
export const TryIt: FC<TryProps> = ({ method, url, path, summary }) => {
  const isForm = method === "GET";
  const command = isForm ? quoteForShell(`${url}?page=2`) : `-X ${method} ${quoteForShell(url)}`;
  return (
    <>
      {isForm ? (
        <TryForm url={url} path={path} summary={summary} />
      ) : (
        <SendButton method={method} url={path} />
      )}
      <CodeBlock code={`curl -si ${command}`} label={`curl: ${summary}`} />
      <section class="panel response" aria-label={`The response: ${summary}`} tabindex={0} hidden>
        <pre />
      </section>
    </>
  );
};

/** A form on a web page cannot send every method, so a script shows the button and sends the request (scripts/send.ts). */
const SendButton: FC<{ method: string; url: string }> = ({ method, url }) => (
  <p class="row">
    <button type="button" class="button primary" data-method={method} data-url={url} hidden>
      Send
    </button>
    <span role="status" />
  </p>
);

/**
 * A form that sends a request for a page. A script shows the response below it (scripts/send.ts); without scripts, the
 * browser opens the response. A parameter that is not filled in is not sent or is empty.
 */
const TryForm: FC<Omit<TryProps, "method">> = ({ url, path, summary }) => (
  <form class="try" action={path} data-url={url} aria-label={`Try it: ${summary}`}>
    <p>
      <label>
        <code>page</code> <input name="page" value="2" inputmode="numeric" autocomplete="off" />
      </label>
    </p>
    <h3 id="faults">Faults</h3>
    <p>
      Choose faults for the parameter <code>prefer</code>. They can be combined, and they can have other
      values than the examples.
    </p>
    <Entries
      entries={Object.entries(MOCK_OPTIONS).map(([name, { example, value, description }]) => ({
        id: `fault-${name}`,
        name: <Choice value={example} />,
        detail: value,
        text: `${description}.`,
      }))}
    />
    <p class="row">
      <button type="submit" class="button primary" name="format" value="json">
        Send
      </button>
      <button type="submit" class="button" name="format" value="api">
        Open the web page
      </button>
      <span role="status" />
    </p>
  </form>
);

/** An option that is sent only if it is chosen. */
const Choice: FC<{ value: string }> = ({ value }) => (
  <label>
    <input type="checkbox" name="prefer" value={value} autocomplete="off" /> {value}
  </label>
);
