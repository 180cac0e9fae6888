import type { Api } from "./api.ts";

export interface Asked {
  method: string;
  /** Of the account. */
  path: string;
  body: string;
  api: Api;
}

/** An error of the API: a status, its code and its message. */
export class Refusal extends Error {
  status: number;
  code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Method and path of what is asked, and the answer's result. */
export type Route = [RegExp, (asked: Asked, ...parts: string[]) => unknown];

export function refuse(status: number, code: number, message: string): never {
  throw new Refusal(status, code, message);
}
