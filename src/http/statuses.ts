/** Status text by status, as registered with IANA. */
// biome-ignore format: several names per line
const STATUS_TEXTS: Record<number, string> = {
  200: "OK", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
  405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
  409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
  414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
  418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
  425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
  431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
  501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  505: "HTTP Version Not Supported", 506: "Variant Also Negotiates", 507: "Insufficient Storage",
  508: "Loop Detected", 511: "Network Authentication Required",
};

/** @returns The name of the status class if the status is not registered */
export function getStatusText(status: number): string {
  return STATUS_TEXTS[status] ?? (status < 500 ? "Client Error" : "Server Error");
}

/** The messages of Django REST Framework that differ from the status text. */
const STATUS_DETAILS: Record<number, string> = {
  400: "Malformed request.",
  401: "Authentication credentials were not provided.",
  403: "You do not have permission to perform this action.",
  406: "Could not satisfy the request Accept header.",
  415: 'Unsupported media type "text/plain" in request.',
  429: "Request was throttled.",
  500: "A server error occurred.",
  503: "Service temporarily unavailable, try again later.",
};

/** Returns the message of an error without one of its own: by default the status text, such as `Not found.` */
export function getStatusDetail(status: number): string {
  const text = STATUS_TEXTS[status];
  if (text === undefined) return `The request failed with status ${status}.`;
  return STATUS_DETAILS[status] ?? `${text.replaceAll(/ [A-Z]/g, (letter) => letter.toLowerCase())}.`;
}
