export interface HttpRequest {
  url: string;
  /** GET by default. */
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** How many redirects to follow, 5 by default. If it is 0, a redirect is returned like any other response. */
  maxRedirects?: number;
}

export interface HttpResponse {
  /** The URL of the response, after redirects. */
  url: string;
  status: number;
  headers: Headers;
  body: Uint8Array;
}
