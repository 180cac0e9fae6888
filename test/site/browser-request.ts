import { CHROMIUM } from "../http-suite/exchange.ts";

/** A request as a browser sends it when a person opens an address. */
export const inBrowser = (method = "GET"): RequestInit => ({ method, headers: { accept: CHROMIUM } });
