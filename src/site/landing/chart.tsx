import type { FC } from "hono/jsx";
import { CLASSES } from "../../records/classes.ts";
import { formatNumber, formatShare } from "../number.ts";
import { findGap, type Period } from "./periods.ts";

/**
 * The counts over the whole time and the camera health beside them. The figures are a table, which assets/scripts/
 * chart.ts draws; without it, and for those who cannot see a picture, the table is there all the same.
 */
export const Chart: FC<{ periods: Period[] }> = ({ periods }) => (
  <>
    <div class="charts">
      <figure>
        <figcaption id="counts-caption">Road users counted, by class</figcaption>
        <div class="plot">
          <canvas data-chart="counts" role="img" aria-labelledby="counts-caption" hidden />
        </div>
      </figure>
      <figure>
        <figcaption id="health-caption">Camera health, share of records</figcaption>
        <div class="plot">
          <canvas data-chart="health" role="img" aria-labelledby="health-caption" hidden />
        </div>
      </figure>
    </div>
    <details class="figures">
      <summary>The figures of the charts</summary>
      <section class="scroll" aria-label="The figures of the charts" tabindex={0}>
        <table id="periods">
          <thead>
            <tr>
              <th scope="col">Period</th>
              <th scope="col" class="number">
                records
              </th>
              {CLASSES.map((name) => (
                <th scope="col" class="number">
                  {name}
                </th>
              ))}
              {["True", "False", "null"].map((health) => (
                <th scope="col" class="number">
                  {health}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {periods.map((period, index) => (
              <>
                <GapRow {...findGap(periods, index)} />
                <PeriodRow {...period} />
              </>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  </>
);

/** Says which days have no records; the charts leave a place for them. */
const GapRow: FC<{ first?: string; last?: string }> = ({ first, last }) =>
  first === undefined ? null : (
    <tr class="quiet">
      <th scope="row">{first === last ? first : `${first} to ${last}`}</th>
      <td colspan={2 + CLASSES.length + 2}>no records</td>
    </tr>
  );

const PeriodRow: FC<Period> = ({ first, last, records, totals, camera_ok }) => (
  <tr>
    <th scope="row">{first === last ? first : `${first} to ${last}`}</th>
    <td class="number">{formatNumber(records)}</td>
    {CLASSES.map((name) => (
      <td class="number">{formatNumber(totals[name])}</td>
    ))}
    {[camera_ok.True, camera_ok.False, camera_ok.null].map((part) => (
      <td class="number">{formatShare(part, records)}</td>
    ))}
  </tr>
);
