import { MOCK_OPTIONS } from "../../mock/options.ts";
import type { FC } from "../jsx-runtime.ts";

interface TryProps {
  /** The absolute URL of the operation, and its path. */
  url: string;
  path: string;
}

/**
 * A form that sends a request for a page. A script shows the response in place (scripts/send.ts); without scripts, the browser
 * opens the response.
 */
export const TryIt: FC<TryProps> = ({ url, path }) => (
  <form class="try row" action={path} data-url={url} aria-label="Try it">
    <label>
      <code>page</code> <input name="page" value="2" inputmode="numeric" autocomplete="off" />
    </label>
    <label>
      <code>prefer</code>{" "}
      <input name="prefer" list="examples" placeholder="code=503,fail=0.5" autocomplete="off" />
    </label>
    <datalist id="examples">
      {Object.values(MOCK_OPTIONS).map(({ example }) => (
        <option value={example} />
      ))}
    </datalist>
    <button type="submit" class="button primary" name="format" value="json">
      Send
    </button>
    <button type="submit" class="button" name="format" value="api">
      Open the web page
    </button>
    <span role="status" />
  </form>
);
