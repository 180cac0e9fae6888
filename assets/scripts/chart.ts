import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartDataset,
  type ChartOptions,
  Legend,
  LinearScale,
  Tooltip,
} from "chart.js";

// Draws the table of periods as charts, and draws them anew when the colour scheme changes.

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip);

const CLASSES = ["cars", "persons", "bicycles", "trucks", "motorcycles", "buses"];
const HEALTH = ["True", "False", "null"];

/** Stands for the days without records, in whose row there are no figures. */
const GAP = "…";

/** How wide bars may become, in pixels. */
const WIDEST_BAR = 48;

interface Figures {
  periods: string[];
  column(name: string): number[];
}

/** Reads the table: a row a period, a column a figure. */
function readFigures(table: HTMLTableElement): Figures {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent?.trim());
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) =>
    [...row.cells].map((cell) => cell.textContent ?? ""),
  );
  return {
    periods: rows.map((row) => (row.length > 2 ? (row[0] ?? "") : GAP)),
    column(name) {
      const index = names.indexOf(name);
      return rows.map((row) => Number.parseFloat(row[index]?.replaceAll(",", "") ?? ""));
    },
  };
}

function drawCharts(figures: Figures): Chart[] {
  return [...document.querySelectorAll<HTMLCanvasElement>("canvas[data-chart]")].map((canvas) => {
    canvas.hidden = false;
    const isHealth = canvas.dataset.chart === "health";
    const names = isHealth ? HEALTH : CLASSES;
    return new Chart(canvas, {
      type: "bar",
      data: { labels: figures.periods, datasets: names.map((name) => toDataset(name, figures.column(name))) },
      options: isHealth ? chartOptions(" %", 100) : chartOptions(""),
    });
  });
}

function toDataset(label: string, data: number[]): ChartDataset<"bar"> {
  return { label, data, backgroundColor: color(label), maxBarThickness: WIDEST_BAR, stack: "all" };
}

/** @param most the end of the axis, if it is known */
function chartOptions(unit: string, most?: number): ChartOptions<"bar"> {
  const ticks = { color: color("text-quiet") };
  const grid = { color: color("line") };
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: "index", intersect: false },
    scales: {
      x: {
        stacked: true,
        ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 },
        grid: { display: false },
      },
      y: {
        stacked: true,
        ...(most === undefined ? {} : { max: most }),
        ticks: { ...ticks, callback: (value) => Number(value).toLocaleString("en") + unit },
        grid,
      },
    },
    plugins: {
      legend: { position: "bottom", labels: { color: color("text"), boxWidth: 12, boxHeight: 12 } },
      tooltip: {
        callbacks: { label: ({ dataset, formattedValue }) => `${dataset.label} ${formattedValue}${unit}` },
      },
    },
  };
}

/** A colour of the style sheet, as the current scheme has it. */
function color(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const table = document.querySelector<HTMLTableElement>("#periods");
if (table) {
  const figures = readFigures(table);
  let charts = drawCharts(figures);
  const redraw = () => {
    for (const chart of charts) chart.destroy();
    charts = drawCharts(figures);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
