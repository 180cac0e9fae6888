import type { Markup } from "../../http/html.ts";
import { DOCUMENT_PATH, REFERENCE_PATH } from "../about.ts";
import { Layout } from "../layout.tsx";

/** The API reference. Its script (src/site/assets/scripts/reference.ts) shows the operations. */
export async function renderReference(): Promise<Markup> {
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["reference"]} styles={["reference"]}>
      <h1>API reference</h1>
      <p class="lead">
        The collection of records, as described by its <a href={DOCUMENT_PATH}>OpenAPI document</a>. You can
        send every request from this page.
      </p>
      <div id="reference">
        <noscript>
          <p>The reference needs JavaScript. The OpenAPI document contains the same information.</p>
        </noscript>
      </div>
    </Layout>
  );
}
