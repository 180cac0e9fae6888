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
import { chooseLabels } from "./chart/axis-labels.ts";
import { hatchGaps } from "./chart/gap-hatching.ts";
import { type Figures, readFigures } from "./chart/table-figures.ts";
import { readColor } from "./chart/theme-colors.ts";

// Draws the table of periods as charts, and draws them again when the colour scheme changes.

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.font.size = 11;
Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip);

/** The greatest width of a bar in pixels. */
const WIDEST_BAR = 48;

/** The width of a date below a bar in pixels, with the space around it. */
const LABEL_WIDTH = 72;

/** Short numbers such as `12K`, so that the axes are narrow. */
const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

function drawCharts(figures: Figures): Chart[] {
  return [...document.querySelectorAll<HTMLCanvasElement>("canvas[data-columns]")].map((canvas) => {
    canvas.hidden = false;
    const names = canvas.dataset.columns?.split(" ") ?? [];
    const areShares = names.length > 1;
    const toDataset = (name: string) => ({
      ...styleBars(areShares ? `chart-${name}` : "bar"),
      label: name,
      data: figures.column(name),
    });
    return new Chart(canvas, {
      type: "bar",
      data: { labels: figures.days, datasets: names.map(toDataset) },
      options: areShares ? shareOptions(figures) : chartOptions(figures),
      plugins: [hatchGaps(figures.days)],
    });
  });
}

/** @param color the name of the colour in the style sheet */
function styleBars(color: string): Omit<ChartDataset<"bar">, "data"> {
  return {
    backgroundColor: readColor(color, "none"),
    maxBarThickness: WIDEST_BAR,
    stack: "all",
    // A line in the colour of the background separates the parts for people who cannot distinguish their colours.
    borderColor: readColor("surface"),
    borderWidth: { top: 1, right: 0, bottom: 0, left: 0 },
  };
}

function chartOptions({ days }: Figures): ChartOptions<"bar"> {
  const ticks = { color: readColor("text-quiet") };
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: "index", intersect: false },
    scales: {
      x: {
        stacked: true,
        ticks: {
          ...ticks,
          autoSkip: false,
          maxRotation: 0,
          callback(_, index) {
            return chooseLabels(days, Math.ceil((LABEL_WIDTH * days.length) / this.width))[index];
          },
        },
        grid: { display: false },
      },
      y: {
        stacked: true,
        ticks: { ...ticks, maxTicksLimit: 5, callback: (value) => SHORT.format(Number(value)) },
        grid: { color: readColor("line") },
      },
    },
    plugins: { legend: { display: false } },
  };
}

/** The options of a chart that shows parts of a whole in percent. */
function shareOptions(figures: Figures): ChartOptions<"bar"> {
  const { scales, ...options } = chartOptions(figures);
  const ticks = { ...scales?.y?.ticks, callback: (value: number | string) => `${value} %` };
  return {
    ...options,
    scales: { ...scales, y: { ...scales?.y, max: 100, ticks } },
    plugins: {
      legend: { position: "bottom", labels: { color: readColor("text"), boxWidth: 12, boxHeight: 12 } },
      tooltip: {
        callbacks: { label: ({ dataset, formattedValue }) => `${dataset.label} ${formattedValue} %` },
      },
    },
  };
}

const table = document.querySelector<HTMLTableElement>("#periods");
if (table) {
  const figures = readFigures(table);
  let charts = drawCharts(figures);
  const redraw = () => {
    for (const chart of charts) chart.destroy();
    charts = drawCharts(figures);
  };
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"])
    matchMedia(query).addEventListener("change", redraw);
}
