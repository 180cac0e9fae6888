/** The figures that the charts show. */
export interface Figures {
  /** The first day of each period; undefined where days without records stand in between. */
  days: (string | undefined)[];
  /** A figure of each period by its column, NaN for a gap. */
  column(name: string): number[];
}

/** Reads the table: a row a period or a gap, a column a figure. */
export function readFigures(table: HTMLTableElement): Figures {
  const columns = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.dataset.column);
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  return {
    days: rows.map(({ dataset }) => dataset.first),
    column(name) {
      const index = columns.indexOf(name);
      return rows.map(({ cells }) => Number.parseFloat(cells[index]?.textContent?.replaceAll(",", "") ?? ""));
    },
  };
}
