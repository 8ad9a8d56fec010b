import { short, toRow } from '../finding.ts'
import { drawChart } from './chart.ts'
import type { Conditions, GrowthResults, Hotspot, ProfileResults, TableResults } from './results.ts'

/** Returns the table of a comparison as Markdown. */
export const tableSection = (results: TableResults): string =>
  [
    conditionsOf(results),
    table(
      ['case', 'measured', 'spread', 'target', 'met', 'sides'],
      results.findings
        .map(toRow)
        .map((row) => [row.case, row.measured, row.spread, row.target, row.met, row.sides]),
    ),
  ].join('\n\n')

/** Returns the response times of a growth run as Markdown, with a reference to the chart. */
export function growthSection(results: GrowthResults): string {
  const sizes = results.operations[0]?.points.map(({ rows }) => rows) ?? []
  const rows = results.operations.map(({ name, points }) => [
    name,
    ...points.map(({ p50Ms }, index) => {
      const ratio = index === 0 ? '' : ` (${short(p50Ms / (points[0]?.p50Ms ?? Number.NaN))} ×)`
      return `${short(p50Ms)} ms${ratio}`
    }),
  ])
  return [
    conditionsOf(results),
    '![Median response time by number of rows, relative to the smallest size](performance/growth.svg)',
    table(['operation', ...sizes.map((size) => `${size.toLocaleString('en')} rows`)], rows),
  ].join('\n\n')
}

/** Draws the medians of a growth run relative to its smallest size. The target is at most 1.2. */
export const growthChart = ({ operations }: GrowthResults): string =>
  drawChart({
    title: 'Median response time by number of rows',
    xLabel: 'rows',
    yLabel: 'p50, relative to the smallest size',
    series: operations.map(({ name, points }) => ({
      label: name,
      points: points.map(({ rows, p50Ms }) => ({ x: rows, y: p50Ms / (points[0]?.p50Ms ?? Number.NaN) })),
    })),
    limit: { y: 1.2, label: 'target: at most 1.2' },
  })

/** The number of rows in each table of a profile. The JSON file contains more. */
const shownCount = 8

/** Returns the profiles as Markdown: packages, functions and statements, with the most expensive first. */
export const profileSection = (results: ProfileResults): string =>
  [
    conditionsOf(results),
    ...results.profiles.map((profile) =>
      [
        `### ${profile.case}`,
        `${Math.round(profile.requestsPerSecond).toLocaleString('en')} requests/s during the profile.`,
        table(
          ['package', 'share of CPU', 'µs per request'],
          profile.packages.slice(0, shownCount).map(cells),
        ),
        table(
          ['function', 'share of CPU', 'µs per request'],
          profile.functions.slice(0, shownCount).map(cells),
        ),
        table(
          ['statement', 'share of execution', 'µs per request', 'calls per request'],
          profile.statements.slice(0, shownCount).map((spot) => [...cells(spot), short(spot.calls ?? 0)]),
        ),
      ].join('\n\n'),
    ),
  ].join('\n\n')

const cells = ({ name, share, microseconds }: Hotspot): readonly string[] => [
  `\`${name.replaceAll('`', "'")}\``,
  `${(share * 100).toFixed(1)} %`,
  short(microseconds),
]

function conditionsOf({ machine, command }: Conditions): string {
  const { cores, processor, memoryGigabytes, node, postgres, commit, loadBefore, date } = machine
  return (
    `Measured on ${date} at commit ${commit} with \`${command}\`: ${cores} cores (${processor}), ` +
    `${memoryGigabytes} GB, Node ${node}, PostgreSQL ${postgres}, load before the run ${loadBefore.toFixed(1)}.`
  )
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cellsOfRow) => `| ${cellsOfRow.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
