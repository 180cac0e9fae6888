import { openTarget } from "./target.ts";

/** `BASE_URL` is missing or is not an origin. */
export class UsageError extends Error {}

/**
 * Finds out what to test, before any request that another service might take for an order.
 * @returns its origin
 * @throws if the URL is no origin, or if there is no such service
 */
export async function findDeployment(baseUrl: string | undefined): Promise<string> {
  const origin = readOrigin(baseUrl);
  const title = await readTitle(origin).catch((cause: Error) => {
    throw new Error(`BASE_URL ${origin} does not answer as this service does: ${explain(cause)}`);
  });
  if (title !== "Traffic Count Records")
    throw new Error(
      `BASE_URL ${origin} is another service: its /openapi.json is of ${JSON.stringify(title)}`,
    );
  return origin;
}

function readOrigin(text = ""): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  const problem =
    text === ""
      ? "npm run test:live needs a deployment to test"
      : `BASE_URL is ${JSON.stringify(text)}; it must be an address without a path`;
  throw new UsageError(`${problem}: BASE_URL=https://counts.example npm run test:live`);
}

async function readTitle(origin: string): Promise<unknown> {
  const response = await openTarget(origin).fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
  return Object(await response.json()).info?.title;
}

function explain({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}, ${cause.message || String(Object(cause).code)}` : message;
}
