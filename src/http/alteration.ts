/** What the answer to a request is altered by on its way out, for the pages that speak of it. Hardly any request has one. */
export interface Alteration {
  /** Writes into the headers of an answer what the client will find there. */
  amendHeaders(headers: Headers): void;
  /** Whether the request asked for the error that it is answered with. */
  errorAsked: boolean;
}

declare module "hono" {
  interface ContextVariableMap {
    alteration?: Alteration;
  }
}
