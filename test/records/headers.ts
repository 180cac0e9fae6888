/** The headers that the worker sets. The headers of the connection depend on whether there is a body. */
export function essential(headers: Headers) {
  const own = new Set([
    "content-length",
    "transfer-encoding",
    "content-encoding",
    "connection",
    "date",
    "keep-alive",
  ]);
  return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}
