import type { Api } from "./api.ts";

export interface ApiRequest {
  method: string;
  /** The path below that of the account, with the query. */
  path: string;
  body: string;
  api: Api;
}

/** An error response of the API. */
export class ApiError extends Error {
  status: number;
  code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Matches method and path, and returns the `result` of the response. */
export type Route = [RegExp, (request: ApiRequest, ...parts: string[]) => unknown];

export function throwApiError(status: number, code: number, message: string): never {
  throw new ApiError(status, code, message);
}
