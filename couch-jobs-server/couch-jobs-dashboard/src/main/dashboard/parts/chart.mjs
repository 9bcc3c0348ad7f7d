// Lines over time. The chart is a picture: its label says in words what it shows.

import { html, useEffect, useRef } from '../html.mjs';

const HEIGHT = 160;
const SHORTEST_SECONDS = 60;

/** A custom property as a colour that a canvas understands, in the theme of the page. */
function colourIn(place, name) {
  place.style.color = `var(${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
}

function pale(text) {
  return text.replace('rgb(', 'rgba(').replace(')', ', 0.12)');
}

function settings(place, series, width, format) {
  const colour = (name) => colourIn(place, name);
  const axis = {
    stroke: colour('--muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 28, 0, 0],
    scales: {
      x: { time: true, range: (chart, min, max) => [Math.min(min ?? 0, (max ?? 0) - SHORTEST_SECONDS), max ?? 0] },
      y: { range: (chart, min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, size: 24, space: 70, values: (chart, seconds) => seconds.map(clock) },
      { ...axis, size: 52, space: 32, values: (chart, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.map(({ colour: name, isFilled, hasPoints }) => ({
        stroke: colour(name),
        width: 1.75,
        fill: isFilled ? pale(colour(name)) : undefined,
        points: hasPoints ? { show: true, size: 5, fill: colour(name) } : { show: false },
      })),
    ],
  };
}

function clock(seconds) {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/**
 * data: [seconds, values of each series]; series: { name, colour, value, isFilled, hasPoints }; value is the last one
 * as text; points show what has no neighbour.
 */
export function Chart({ title, data, series, format = String }) {
  const place = useRef(null);
  const chart = useRef(null);
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    let ended = false;
    let make = () => {};
    const fresh = () => {
      chart.current?.destroy();
      chart.current = null;
      make();
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const observer = new ResizeObserver(() =>
      chart.current?.setSize({ width: Math.max(120, place.current.clientWidth), height: HEIGHT }),
    );
    import('../libraries/uplot.mjs').then(({ default: uPlot }) => {
      if (ended) {
        return;
      }
      make = () => {
        const width = Math.max(120, place.current.clientWidth);
        chart.current = new uPlot(settings(place.current, series, width, format), latest.current, place.current);
      };
      make();
      observer.observe(place.current);
    });
    dark.addEventListener('change', fresh);
    document.addEventListener('themechange', fresh);
    return () => {
      ended = true;
      dark.removeEventListener('change', fresh);
      document.removeEventListener('themechange', fresh);
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => {
    chart.current?.setData(data);
  }, [data]);
  const words = series.map(({ name, value }) => `${name} ${value}`).join(', ');
  return html`<figure class="chart">
    <figcaption>
      <span class="chart-title">${title}</span>
      ${series.map(
        ({ name, colour: of, value }) =>
          html`<span class="legend" key=${name}><i style=${{ background: `var(${of})` }}></i>${name} <b>${value}</b></span>`,
      )}
    </figcaption>
    <div class="canvas" ref=${place} role="img" aria-label=${`${title} over the last minutes: now ${words}`}></div>
  </figure>`;
}
