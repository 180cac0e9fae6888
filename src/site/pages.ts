import type { RenderError } from "../http/errors.ts";
import type { RenderPage } from "../records/route.ts";

// The pages are evaluated when the first one is asked for: clients of the collection never pay for them.

/** Makes the web page of a page of the collection. */
export const renderPage: RenderPage = async (view) => (await import("./records/page.tsx")).renderPage(view);

/** Makes the web page of an error. */
export const renderError: RenderError = async (error) => (await import("./errors.tsx")).renderError(error);
