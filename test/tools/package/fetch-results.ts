// What a program sees of a call of `fetch`, as plain values.

/**
 * @param fetch the global one, or another one that does the same
 * @param url of the collection
 */
export type Call = (fetch: typeof globalThis.fetch, url: string, origin: string) => unknown;

/** Of the connection, or of the moment. */
const IGNORED = ["connection", "date", "keep-alive", "transfer-encoding"];

/** The response before its body is read. */
export const describe = (response: Response, origin: string) => ({
  url: response.url.replace(origin, ""),
  status: [response.status, response.statusText, response.ok],
  kind: [response.type, response.redirected],
  body: [response.body !== null, response.bodyUsed],
  headers: [...response.headers].filter(([name]) => !IGNORED.includes(name)),
});

/** The response and its body. */
export const read = async (response: Response, origin: string) => ({
  ...describe(response, origin),
  text: await response.text(),
});

/** The result of an action, or the class of its error and the code of the cause. */
export const attempt = async (action: () => unknown): Promise<unknown> => {
  try {
    return await action();
  } catch (error) {
    const { name, cause } = Object(error);
    return { thrown: error instanceof Error ? [error.constructor.name, name, cause?.code] : error };
  }
};
