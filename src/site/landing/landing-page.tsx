import { COLLECTION_PATH } from "../../records/page.ts";
import { ROAD_USERS } from "../../records/record.ts";
import { DOCUMENT_PATH, REFERENCE_PATH, SITE_NAME, STAND_IN } from "../about.ts";
import { CodeBlock } from "../code-block.tsx";
import { layOutJson } from "../json-layout.ts";
import type { FC } from "../jsx-runtime.ts";
import { Layout } from "../layout.tsx";
import { formatNumber, formatShare } from "../number-format.ts";
import { Chart } from "./chart.tsx";
import { writeExamples } from "./client-examples.ts";
import { Provenance } from "./provenance.tsx";
import type { Summary } from "./summary.ts";

/**
 * The landing page.
 * @param sample the beginning of a response; undefined if the collection is empty
 */
export function renderLanding(summary: Summary, sample: unknown): string {
  return (
    <Layout title={SITE_NAME} path="/" description={summary.description} scripts={["copy"]}>
      <h1>{SITE_NAME}</h1>
      <p class="lead">
        Cars, persons, bicycles, trucks, motorcycles and buses, counted by roadside cameras: one paginated
        JSON collection that everyone may read. It is a {STAND_IN}, and it responds to the same requests in
        the same way.
      </p>
      <CodeBlock code={summary.records_url} label="Address of the collection" address />
      <p class="actions">
        <a class="button primary" href={COLLECTION_PATH}>
          Look at the records
        </a>
        <a class="button" href={REFERENCE_PATH}>
          Try the API
        </a>
        <a class="button" href={DOCUMENT_PATH}>
          OpenAPI document
        </a>
      </p>
      <h2>The collection</h2>
      {summary.count > 0 && <Provenance {...summary} />}
      <Statistics {...summary} />
      <h2>Read the records</h2>
      {sample !== undefined && <Sample envelope={sample} />}
      <p>
        Copy an example and run it: curl gets the newest page, and the programs read the first three pages.
      </p>
      <div class="examples">
        {writeExamples(summary.records_url).map(({ language, code }) => (
          <section>
            <h3>{language}</h3>
            <CodeBlock code={code} label={language} />
          </section>
        ))}
      </div>
      <h2>Test your client with faults</h2>
      <p>
        Ask for errors, delays and broken bodies with the header <code>Prefer</code>, or with the query
        parameter <code>prefer</code>, which the links keep. The options can be combined.
      </p>
      <MockOptions {...summary} />
      <RateLimit {...summary} />
      <h2>Read the collection while it grows</h2>
      <p>
        {summary.grows
          ? "This collection grows by one observation of each camera every half hour. "
          : "This collection grows when records are added to it. "}
        <a href={`${COLLECTION_PATH}?as_of=latest`}>
          <code>as_of=latest</code>
        </a>{" "}
        reads all pages in one state of the collection: the links name that state, and records that are added
        later do not change its pages.
      </p>
      <h2>Check a deployment</h2>
      <p>
        This command of the project checks a deployment of the service against every rule of the
        specification.
      </p>
      <CodeBlock code={`npm run conformance -- ${summary.records_url}`} label="Conformance check" />
    </Layout>
  ).html;
}

const Sample: FC<{ envelope: unknown }> = ({ envelope }) => (
  <>
    <p>A response has up to 15 records. The newest page begins like this:</p>
    <pre class="sample">
      <code>{layOutJson(envelope)}</code>
    </pre>
  </>
);

const MockOptions: FC<Summary> = ({ preferences }) => (
  <section class="scroll" aria-label="Options for faults" tabindex={0}>
    <table class="preferences">
      <thead>
        <tr>
          <th scope="col">Example</th>
          <th scope="col">What it does</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {preferences.map(({ example, description, value }) => (
          <tr>
            <th scope="row">
              <a href={`${COLLECTION_PATH}?prefer=${encodeURIComponent(example)}`}>
                <code>{example}</code>
              </a>
            </th>
            <td>{description}</td>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const RateLimit: FC<Summary> = ({ rate_limit_seconds: seconds }) =>
  seconds === null ? (
    <p>This deployment does not limit the number of requests.</p>
  ) : (
    <p>
      Clients that send too many requests within {seconds} seconds get 429, with <code>Retry-After</code>.
    </p>
  );

const Statistics: FC<Summary> = ({ count, pages, statistics }) => {
  if (count === 0) return <p>At the moment the collection is empty.</p>;
  const { first, last, cameras, camera_ok, totals } = statistics;
  const known = camera_ok.True + camera_ok.False;
  const counted = ROAD_USERS.reduce((sum, name) => sum + totals[name], 0);
  return (
    <>
      <Tiles
        rows={[
          ["Records", formatNumber(count), `${formatNumber(pages)} pages of 15`],
          ["Cameras", formatNumber(cameras), `${formatNumber(counted)} road users counted`],
          ["Oldest and newest", `${toDay(first)} – ${toDay(last)}`, `the newest at ${last}`],
          [
            "Camera health",
            formatShare(camera_ok.True, known),
            `True, of ${formatNumber(known)} records with a known status`,
          ],
        ]}
      />
      <Chart {...statistics} />
    </>
  );
};

/** The day of a timestamp, with hyphens at which no line breaks. */
function toDay(timestamp: string | null): string {
  return (timestamp ?? "").slice(0, 10).replaceAll("-", "\u2011");
}

const Tiles: FC<{ rows: [name: string, value: string, detail: string][] }> = ({ rows }) => (
  <dl class="facts">
    {rows.map(([name, value, detail]) => (
      <div>
        <dt>{name}</dt>
        <dd>
          <strong>{value}</strong> <span>{detail}</span>
        </dd>
      </div>
    ))}
  </dl>
);
