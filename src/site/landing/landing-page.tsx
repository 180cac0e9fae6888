import { REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../../constants.ts";
import { COLLECTION_PATH } from "../../records/page.ts";
import { ROAD_USERS } from "../../records/record.ts";
import { CodeBlock, CurlBlock, JsonText } from "../code.tsx";
import type { FC } from "../jsx-runtime.ts";
import { EmptyCollection, Layout } from "../layout.tsx";
import { formatNumber, formatQuantity, formatShare } from "../text-format.ts";
import { createCodeSamples } from "./code-samples.ts";
import { HoursFigure } from "./hours-figure.tsx";
import { formatDates, PeriodTable } from "./period-table.tsx";
import type { Summary } from "./summary.ts";

/** A page of the collection with only its first record, as an example of a response. */
export interface Sample {
  number: number;
  envelope: object;
}

/** @param sample undefined if the collection is empty or cannot be read */
export function renderLanding(summary: Summary, sample: Sample | undefined): string {
  const { records_url: url, statistics } = summary;
  return (
    <Layout title={SITE_NAME} path="/" description={summary.description}>
      <div class="intro">
        <Introduction url={url} />
        {sample && <SampleResponse {...sample} url={url} />}
        <div>
          <h2>The collection</h2>
          {summary.count > 0 ? <Collection {...summary} /> : <EmptyCollection />}
        </div>
      </div>
      {summary.count > 0 && (
        <div class="chart">
          <HoursFigure {...statistics.hours} />
          <PeriodTable {...statistics} />
        </div>
      )}
      <h2>Read all records</h2>
      <p>
        Follow <code>next</code> until it is null. {describeLimit(summary.rate_limit_seconds)} These programs
        also wait if the service asks for it.
      </p>
      {createCodeSamples(url).map(({ language, code }) => (
        <details name="program">
          <summary>{language}</summary>
          <CodeBlock code={code} label={language} />
        </details>
      ))}
      {summary.faults && <Faults {...summary} />}
    </Layout>
  ).html;
}

const Introduction: FC<{ url: string }> = ({ url }) => (
  <div>
    <h1>{SITE_NAME}</h1>
    <p class="lead">
      Cars, persons, bicycles, trucks, motorcycles and buses, counted by roadside cameras: one paginated JSON
      collection that everyone may read. It is a {SERVICE_SUMMARY}.
    </p>
    <CodeBlock code={url} label="address of the collection" />
    <p class="row">
      <a class="button primary" href={COLLECTION_PATH}>
        Look at the records
      </a>{" "}
      <a class="button" href={REFERENCE_PATH}>
        Try the API
      </a>
    </p>
  </div>
);

/** The command, and its response with only one record. */
const SampleResponse: FC<Sample & { url: string }> = ({ number, envelope, url }) => (
  <div class="example">
    <CurlBlock options="-s" url={`${url}?page=${number}`} label="curl" />
    <pre class="panel">
      <JsonText value={envelope} />
    </pre>
  </div>
);

const Collection: FC<Summary> = ({ loaded_at, seed_url, ...summary }) => (
  <>
    <p>
      {writeSourceSentence(summary.statistics)} {seed_url && <a href={seed_url}>Download all as CSV.</a>}{" "}
      {loaded_at && (
        <>
          The collection was last changed at <time datetime={loaded_at}>{loaded_at.slice(0, 19)}Z</time>.
        </>
      )}
    </p>
    <dl class="facts">
      {listFacts(summary).map(([name, value, detail]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value && <strong>{value}</strong>} {detail}
          </dd>
        </div>
      ))}
    </dl>
  </>
);

type Fact = [name: string, value: string, detail: string];

function listFacts({ count, pages, statistics }: Pick<Summary, "count" | "pages" | "statistics">): Fact[] {
  const { first, last, cameras, days, camera_ok, totals } = statistics;
  const counted = ROAD_USERS.map((name) => `${name} ${formatNumber(totals[name])}`);
  const known = count - camera_ok.null;
  const health = `${formatShare(camera_ok.True, known)} True`;
  const ofKnown = `of ${formatQuantity(known, "record")} with a known status`;
  const dates = formatDates(String(first).slice(0, 10), String(last).slice(0, 10));
  return [
    ["Records", formatNumber(count), `on ${formatQuantity(pages, "page")}`],
    ["Cameras", formatNumber(cameras), ""],
    ["Dates", dates, `on ${formatQuantity(days, "day")}, until ${String(last).slice(11, 19)} UTC`],
    known === 0
      ? ["Camera health", "Not recorded", "camera_ok is null in all records"]
      : ["Camera health", health, ofKnown],
    ["Road users", "", counted.join(" · ")],
  ];
}

/** How many sources are named. */
const NAMED_SOURCES = 5;

function writeSourceSentence({ sources, source_count }: Summary["statistics"]): string {
  if (sources.join() === "generated") return "The records are made up: they are the seed of this project.";
  if (sources.length === 0) return "It is not recorded where the records come from.";
  const named = sources.slice(0, NAMED_SOURCES);
  const more = source_count - named.length;
  if (more > 0) named.push(`and ${more} more`);
  return `The records come from: ${named.join("; ")}.`;
}

const Faults: FC<Summary> = ({ records_url: url, prefer }) => (
  <>
    <h2>Test a client</h2>
    <p>Ask for an error, a delay, a broken body or wrong data, and the client gets it:</p>
    <CurlBlock options="-si" url={`${url}?prefer=code=503`} label="fault" />
    <p>
      The links keep the parameter. The API reference lists{" "}
      <a href={`${REFERENCE_PATH}#faults`}>all faults and their values</a>.
    </p>
    {prefer !== null && (
      <p>
        Requests of the collection that name no preference get that of this deployment: <code>{prefer}</code>.
        With <code>prefer=none</code>, the response is not changed.
      </p>
    )}
  </>
);

function describeLimit(seconds: number | null): string {
  if (seconds === null) return "This deployment does not limit the number of requests.";
  return `Clients that send too many requests within ${seconds} seconds get 429, with Retry-After.`;
}
