import { TrafficRecord } from "../../src/records/record.ts";
import type { Table } from "./header.ts";
import { checkShape, describeShape, readCells } from "./shape.ts";

const shape = describeShape(TrafficRecord, "a record");

/** Records as CSV: a column a field; an empty `camera_ok` is null. */
export const recordTable: Table = {
  title: "records",
  columns: TrafficRecord.keyof().options,
  readRow(cells, place, modelName) {
    const values = { ...readCells(shape, cells), ...(modelName && { model_name: modelName }) };
    const checked = checkShape(shape, values, place, cells);
    return "data" in checked ? { ...place, record: checked.data } : checked;
  },
};
