import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { drawChart } from '../src/report/chart.ts'
import { renderedPage, replaceSection } from '../src/report/page.ts'

describe('the page with the figures', () => {
  test('shows the figures of its JSON files', () => {
    const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
    expect(page, 'run `pnpm bench --render`').toBe(renderedPage())
  })

  test('replaces only the text between the markers', () => {
    const page = 'before <!-- figures: table -->old<!-- end of figures: table --> after'
    expect(replaceSection(page, 'table', 'new')).toBe(
      'before <!-- figures: table -->\n\nnew\n\n<!-- end of figures: table --> after',
    )
    expect(() => replaceSection(page, 'growth', 'new')).toThrow('no markers for the figures "growth"')
  })
})

describe('a chart', () => {
  const chart = drawChart({
    title: 'Time & "rows"',
    xLabel: 'rows',
    yLabel: 'ms',
    series: [
      {
        label: 'a < b',
        points: [
          { x: 10, y: 1 },
          { x: 1_000, y: 2 },
        ],
      },
      {
        label: 'c',
        points: [
          { x: 10, y: 2 },
          { x: 1_000, y: 1 },
        ],
      },
    ],
    limit: { y: 1, label: 'target' },
  })

  test('has a logarithmic x axis, a y axis from 0, and a label on every axis', () => {
    expect([...chart.matchAll(/<polyline[^>]* points="([^"]+)"/g)].map(([, points]) => points)).toEqual([
      '64.0,174.0 534.0,44.0',
      '64.0,44.0 534.0,174.0',
    ])
    expect([...chart.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
      'Time &amp; &quot;rows&quot;',
      ...['0', '0.5', '1', '1.5', '2'],
      ...['10', '100', '1,000'],
      ...['rows', 'ms', 'target', 'a &lt; b', 'c'],
    ])
  })

  test('escapes its texts and follows the colour scheme of the reader', () => {
    expect(chart).toContain('aria-label="Time &amp; &quot;rows&quot;"')
    expect(chart).toContain('prefers-color-scheme: dark')
  })
})
