/** The Accept header of a browser that opens a page. */
export const CHROMIUM =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/** A request as a browser sends it when a person opens an address. */
export const inBrowser = (method = "GET"): RequestInit => ({ method, headers: { accept: CHROMIUM } });
