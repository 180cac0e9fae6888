import http from "node:http";
import { getMessage } from "../messages.ts";

/** The addresses that need no proxy, also if NO_PROXY does not name them. */
const LOCAL_ADDRESSES = "localhost,127.0.0.1,[::1]";

/**
 * Sends all later requests of this process through the proxy in HTTPS_PROXY or HTTP_PROXY, as wrangler does. Node before 24.14 has no
 * such function, and follows these variables only with NODE_USE_ENV_PROXY=1.
 * @throws Error if the proxy has no valid URL
 */
export function useProxy(): void {
  const { NO_PROXY, no_proxy: exceptions = NO_PROXY } = process.env;
  try {
    http.setGlobalProxyFromEnv?.({
      ...process.env,
      no_proxy: [exceptions, LOCAL_ADDRESSES].filter(Boolean).join(","),
    });
  } catch (cause) {
    const message = "HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy, such as http://proxy.example:3128";
    throw new Error(message, { cause });
  }
}

/** Gets the message of the innermost cause of "fetch failed". If several addresses of a host failed, uses the first error. */
export function getInnermostMessage(error: unknown): string {
  if (error instanceof AggregateError) return getInnermostMessage(error.errors[0]);
  const isWrapped = error instanceof Error && error.cause instanceof Error;
  return isWrapped ? getInnermostMessage(error.cause) : getMessage(error);
}
