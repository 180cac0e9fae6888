import type { FC } from "hono/jsx";
import { COLLECTION_PATH } from "../../records/page.ts";
import { ROAD_USERS } from "../../records/record.ts";
import { CodeBlock, CurlBlock, JsonText } from "../code-block.tsx";
import { EmptyCollection } from "../empty-collection.tsx";
import { Layout } from "../layout.tsx";
import { REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";
import { formatNumber, formatQuantity, formatShare } from "../text-format.ts";
import { createCodeSamples } from "./code-samples.ts";
import { HoursChart } from "./hours-chart.tsx";
import { formatDates, PeriodTable } from "./period-table.tsx";
import type { Summary } from "./summary.ts";

/** An example response: a page of the collection with only its first record. */
export interface SamplePage {
  number: number;
  envelope: object;
}

/** @param sample undefined if the collection is empty or cannot be read */
export function renderHome(summary: Summary, sample: SamplePage | undefined): string {
  const { records_url: url, statistics } = summary;
  return String(
    <Layout path="/" description={summary.description}>
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
          <HoursChart {...statistics.hours} />
          <PeriodTable {...statistics} />
        </div>
      )}
      <h2>Read all records</h2>
      <p>
        Follow <code>next</code> until it is null. {formatRateLimit(summary.rate_limit_seconds)} These scripts
        wait after the statuses 429 and 503.
      </p>
      {createCodeSamples(url).map(({ language, code }) => (
        <details name="script">
          <summary>{language}</summary>
          <CodeBlock code={code} label={language} />
        </details>
      ))}
      {summary.faults && <Faults {...summary} />}
    </Layout>,
  );
}

const Introduction: FC<{ url: string }> = ({ url }) => (
  <div>
    <h1>{SITE_NAME}</h1>
    <p class="lead">
      A public, paginated JSON collection of cars, persons, bicycles, trucks, motorcycles and buses, counted
      by roadside cameras. It is a {SERVICE_SUMMARY}.
    </p>
    <CodeBlock code={url} label="URL of the collection" />
    <p class="row">
      <a class="button primary" href={COLLECTION_PATH}>
        Browse the records
      </a>{" "}
      <a class="button" href={REFERENCE_PATH}>
        Try the API
      </a>
    </p>
  </div>
);

/** A curl command and its response, shortened to one record. */
const SampleResponse: FC<SamplePage & { url: string }> = ({ number, envelope, url }) => (
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
      {formatSources(summary.statistics)} {seed_url && <a href={seed_url}>Download all records as CSV.</a>}{" "}
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

const MAX_SHOWN_SOURCES = 5;

function formatSources({ sources, source_count }: Summary["statistics"]): string {
  if (sources.join() === "generated") return "The records are generated: they are the seed of this project.";
  if (sources.length === 0) return "The source of these records was not recorded.";
  const named = sources.slice(0, MAX_SHOWN_SOURCES);
  const more = source_count - named.length;
  if (more > 0) named.push(`and ${more} more`);
  return `Sources: ${named.join("; ")}.`;
}

const Faults: FC<Summary> = ({ records_url: url, prefer }) => (
  <>
    <h2>Test your client</h2>
    <p>Request an error, a delay, a broken body or invalid data:</p>
    <CurlBlock options="-si" url={`${url}?prefer=code=503`} label="fault" />
    <p>
      The links in the response keep the parameter. The API reference lists{" "}
      <a href={`${REFERENCE_PATH}#faults`}>all faults and their values</a>.
    </p>
    {prefer !== null && (
      <p>
        This deployment applies <code>{prefer}</code> to every request for the collection that sets no options
        of its own. Add <code>prefer=none</code> to get the unchanged response.
      </p>
    )}
  </>
);

function formatRateLimit(seconds: number | null): string {
  if (seconds === null) return "This deployment has no rate limit.";
  return `A client that sends too many requests within ${seconds} seconds gets status 429.`;
}
