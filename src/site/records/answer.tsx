import type { FC } from "hono/jsx";

/** What a client gets: the status, the headers and the body, indented, with links that work. */
export const Answer: FC<{ headers: Headers; envelope: string }> = ({ headers, envelope }) => (
  <section class="answer scroll" aria-label="The answer as a client gets it" tabindex={0}>
    <pre class="headers">
      <b>HTTP 200 OK</b>
      {[...headers].map(([name, value]) => (
        <>
          {"\n"}
          <b>{capitalise(name)}:</b> {value}
        </>
      ))}
    </pre>
    <pre>
      <code>
        {JSON.stringify(JSON.parse(envelope), null, 2)
          .split(LINK)
          .map((part, index) => (index % 2 === 1 ? <a href={JSON.parse(part)}>{part}</a> : part))}
      </code>
    </pre>
  </section>
);

/** The links of an envelope, which stand before its records, as JSON strings. */
const LINK = /(?<=^ {2}"(?:next|previous)": )("[^\n]*")(?=,$)/m;

/** As headers are usually written; their case means nothing (RFC 9110, 5.1). */
function capitalise(name: string): string {
  return name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
