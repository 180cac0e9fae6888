import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../../http/links.ts";
import { ROAD_USERS } from "../../records/road-users.ts";
import type { Page } from "../../records/schema.ts";
import { CodeBlock, CurlBlock, JsonText } from "../code-block.tsx";
import { Layout } from "../layout.tsx";
import { EMPTY_COLLECTION, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";
import { formatNumber, formatQuantity, formatShare } from "../text-format.ts";
import { createCodeSamples } from "./code-samples.ts";
import { HoursChart } from "./hours-chart.tsx";
import { formatDates, PeriodTable } from "./period-table.tsx";
import type { Summary } from "./summary.ts";

/** A page of the collection, of which the home page shows only the first record. */
export interface SamplePage {
  number: number;
  page: Page;
}

/** @param sample undefined if the collection is empty, or if the page cannot be read */
export function renderHome(summary: Summary, sample: SamplePage | undefined): string {
  const { records_url: url, statistics } = summary;
  return String(
    <Layout path="/" description={summary.description}>
      <div class="intro">
        <Introduction url={url} />
        {sample && <SampleResponse {...sample} url={url} />}
        <div>
          <h2>The collection</h2>
          {summary.count > 0 ? <Collection {...summary} /> : <p class="banner">{EMPTY_COLLECTION}</p>}
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
      <a class="button" href={`${REFERENCE_PATH}#try`}>
        Try the API
      </a>
    </p>
  </div>
);

const SampleResponse: FC<SamplePage & { url: string }> = ({ number, page, url }) => (
  <div class="example">
    <CurlBlock options="-s" url={`${url}?page=${number}`} label="curl" />
    <p>{describeSample(page.results.length)}</p>
    <pre class="panel">
      <JsonText value={{ ...page, results: page.results.slice(0, 1) }} />
    </pre>
  </div>
);

function describeSample(records: number): string {
  if (records === 1) return "The response, formatted:";
  return `The response, formatted and shortened to one of its ${records} records:`;
}

const Collection: FC<Summary> = ({ count, pages, loaded_at, sample_data_url, statistics }) => {
  const { cameras, totals } = statistics;
  return (
    <>
      <p>
        {formatSources(statistics)}{" "}
        {sample_data_url !== null && <a href={sample_data_url}>Download all records as CSV.</a>}{" "}
        {loaded_at !== null && (
          <>
            The collection was last changed at <time datetime={loaded_at}>{loaded_at.slice(0, 19)}Z</time>.
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="Records" value={formatNumber(count)}>
          on {formatQuantity(pages, "page")}
        </Fact>
        <Fact name="Cameras" value={formatNumber(cameras)} />
        <Dates {...statistics} />
        <CameraHealth {...statistics.camera_ok} />
        <Fact name="Road users">
          {ROAD_USERS.map((name) => `${name} ${formatNumber(totals[name])}`).join(" · ")}
        </Fact>
      </dl>
    </>
  );
};

const Fact: FC<PropsWithChildren<{ name: string; value?: string }>> = ({ name, value, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value !== undefined && <strong>{value}</strong>} {children}
    </dd>
  </div>
);

const Dates: FC<Summary["statistics"]> = ({ first, last, days }) => {
  if (first === null || last === null) return null;
  return (
    <Fact name="Dates" value={formatDates(first.slice(0, 10), last.slice(0, 10))}>
      on {formatQuantity(days, "day")}, until {last.slice(11, 19)} UTC
    </Fact>
  );
};

const CameraHealth: FC<Summary["statistics"]["camera_ok"]> = (records) => {
  const known = records.True + records.False;
  if (known === 0)
    return (
      <Fact name="Camera health" value="Not recorded">
        camera_ok is null in all records
      </Fact>
    );
  return (
    <Fact name="Camera health" value={`${formatShare(records.True, known)} True`}>
      of {formatQuantity(known, "record")} with a known status
    </Fact>
  );
};

const MAX_SHOWN_SOURCES = 5;

function formatSources({ sources, source_count }: Summary["statistics"]): string {
  if (source_count === 0) return "The source of these records was not recorded.";
  const areGenerated = source_count === 1 && sources[0] === "generated";
  if (areGenerated) return "The records are generated: they are the sample data of this project.";
  const shown = sources.slice(0, MAX_SHOWN_SOURCES);
  const more = source_count - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return `Sources: ${shown.join("; ")}.`;
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
