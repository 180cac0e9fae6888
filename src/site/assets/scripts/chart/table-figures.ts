/** The figures of the charts. */
export interface Figures {
  /** The first day of each period; undefined for a gap. */
  days: (string | undefined)[];
  /** The figures of a column, one for each period; NaN for a gap. */
  column(name: string): number[];
}

/** Reads the table, in which each row is a period or a gap. */
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
