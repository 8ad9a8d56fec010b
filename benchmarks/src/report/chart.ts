/** A line of a chart. Points have positive values on both axes. */
export interface Series {
  readonly label: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface ChartOptions {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly series: readonly Series[]
  /** A dashed horizontal line, for a target. */
  readonly limit?: { readonly y: number; readonly label: string }
}

const width = 760
const plot = { left: 64, top: 44, width: 470, height: 260 }
const colors = ['#0969da', '#bf3989', '#1a7f37', '#9a6700', '#8250df', '#cf222e', '#1b7c83', '#6e7781']

/**
 * Draws a line chart as SVG: a logarithmic x axis with the powers of ten, and a linear y axis from 0. Colours have enough
 * contrast on white and on black, and text uses the colour scheme of the reader. The same input gives the same file.
 */
export function drawChart({ title, xLabel, yLabel, series, limit }: ChartOptions): string {
  const points = series.flatMap((line) => line.points)
  const [first, last] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))]
  const top = niceCeiling(Math.max(...points.map(({ y }) => y), limit?.y ?? 0))
  const xAt = (x: number) =>
    plot.left + (first === last ? 0.5 : Math.log(x / first) / Math.log(last / first)) * plot.width
  const yAt = (y: number) => plot.top + (1 - y / top) * plot.height
  const height = plot.top + Math.max(plot.height + 56, series.length * 20 + 20)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: 600 }
  .grid { stroke: #8c959f; stroke-opacity: .35 } .limit { stroke: #cf222e; stroke-dasharray: 6 4 }
  polyline { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
${[
  text({ x: plot.left, y: 22, className: 'title' }, title),
  ...[0, 0.25, 0.5, 0.75, 1].map((share) => horizontal(yAt(share * top), label(share * top))),
  ...powersOfTen(first, last).map((x) => tick(xAt(x), label(x))),
  text({ x: plot.left + plot.width / 2, y: plot.top + plot.height + 42, anchor: 'middle' }, xLabel),
  text({ x: plot.left, y: plot.top - 8 }, yLabel),
  ...(limit === undefined ? [] : [limitLine(yAt(limit.y), limit.label)]),
  ...series.map((line, index) => drawLine(line, index, xAt, yAt)),
].join('\n')}
</svg>
`
}

interface TextOptions {
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly className?: string
}

function text({ x, y, anchor = 'start', className }: TextOptions, content: string): string {
  const named = className === undefined ? '' : ` class="${className}"`
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}"${named}>${escaped(content)}</text>`
}

const right = plot.left + plot.width
const bottom = plot.top + plot.height

const horizontal = (y: number, name: string): string =>
  `<line class="grid" x1="${plot.left}" x2="${right}" y1="${fixed(y)}" y2="${fixed(y)}"/>` +
  text({ x: plot.left - 8, y: y + 4, anchor: 'end' }, name)

const tick = (x: number, name: string): string =>
  `<line class="grid" x1="${fixed(x)}" x2="${fixed(x)}" y1="${plot.top}" y2="${bottom}"/>` +
  text({ x, y: bottom + 20, anchor: 'middle' }, name)

/** The name is on the left, because relative curves begin at 1 there. */
const limitLine = (y: number, name: string): string =>
  `<line class="limit" x1="${plot.left}" x2="${right}" y1="${fixed(y)}" y2="${fixed(y)}"/>` +
  text({ x: plot.left + 8, y: y - 6 }, name)

function drawLine(
  { label: name, points }: Series,
  index: number,
  xAt: (x: number) => number,
  yAt: (y: number) => number,
): string {
  const color = colors[index % colors.length]
  // Lines beyond the number of colours are dashed.
  const dash = index < colors.length ? '' : ' stroke-dasharray="4 3"'
  const at = points.map(({ x, y }) => ({ x: fixed(xAt(x)), y: fixed(yAt(y)) }))
  const legendY = plot.top + 10 + index * 20
  return [
    `<polyline stroke="${color}"${dash} points="${at.map(({ x, y }) => `${x},${y}`).join(' ')}"/>`,
    ...at.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3" fill="${color}"/>`),
    `<line stroke="${color}"${dash} stroke-width="2" x1="${right + 20}" x2="${right + 40}" y1="${legendY}" y2="${legendY}"/>`,
    text({ x: right + 46, y: legendY + 4 }, name),
  ].join('')
}

/** Returns the next larger number of the form 1, 2, 4, 5 or 8 × 10^n, so that four grid lines have short labels. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10) * power
}

function powersOfTen(first: number, last: number): readonly number[] {
  const [from, to] = [Math.ceil(Math.log10(first) - 1e-9), Math.floor(Math.log10(last) + 1e-9)]
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))
}

const label = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
const fixed = (value: number): string => value.toFixed(1)
const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
