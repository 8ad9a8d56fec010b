import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { type OpenDemo, openDemo } from '../demo-process.ts'

const { missing, isRequired } = findOptionalPrograms().promtool

const folder = fileURLToPath(new URL('../../../../deploy/observability/', import.meta.url))

const promtool = (...argv: readonly string[]) => promisify(execFile)('promtool', argv, { cwd: folder })

let demo: OpenDemo
/** The metrics of the demo after it has loaded its sample data. */
let exposed: string

const scrape = async (): Promise<string> => {
  const [, address = ''] = /"address":"([^"]+)"/.exec(demo.stdout()) ?? []
  return (await fetch(address)).text()
}

beforeAll(async () => {
  demo = await openDemo({ METRICS_PORT: '0', LOG_LEVEL: 'info' })
  const { hostname, port } = new URL(demo.url)
  await text(connect(Number(port), hostname).end('NOT HTTP\r\n\r\n'))
  exposed = await scrape()
})
afterAll(() => demo?.close())

/** The names of exposed series, such as `…_bucket` of a histogram. */
const seriesNames = () => new Set(Array.from(exposed.matchAll(/^([a-z_]+)\{/gm), ([, name]) => name))

/**
 * Returns the metrics in an expression: the names that are neither functions, nor operators between two series, nor
 * parts of a selector or a grouping.
 */
function metricsOf(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b(?:and|or|unless)\b/g, ' ')
  return Array.from(bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w|\s*\()/g), ([name]) => name)
}

test('the metrics of an expression are the names that Prometheus would look up', () => {
  const expression =
    'histogram_quantile(0.99, sum by (le, a) (rate(some_bucket{b=~"c.*"}[5m]))) / max without (d) (other) > 1 or absent(order_count)'
  expect(metricsOf(expression)).toEqual(['some_bucket', 'other', 'order_count'])
})

test.each(['alerts.yml', 'dashboard.json'])('a running host exposes every metric of %s', async (file) => {
  const source = await readFile(`${folder}${file}`, 'utf8')
  const used = file.endsWith('.json') ? dashboardExpressions(source) : alertExpressions(source)
  expect(used.length).toBeGreaterThan(10)
  const exposedNames = seriesNames()
  // Prometheus itself creates this series.
  const unknown = used.flatMap(metricsOf).filter((name) => name !== 'up' && !exposedNames.has(name))
  expect(unknown).toEqual([])
})

test('the listener of the API does not serve the metrics', async () => {
  expect((await fetch(`${demo.url}/metrics`)).status).toBe(404)
})

test('the number of series does not depend on the paths of requests', async () => {
  const clerk = await demo.as('clerk')
  const seriesCount = async () =>
    (await scrape()).match(/^http_server_request_duration_seconds_count\{/gm)?.length
  const visit = async (id: string) => {
    await clerk('GET', `/api/documents/trade.sales_invoice/${id}/editor-state`)
    await clerk('GET', `/api/${id}/none`)
  }
  await visit('first')
  const before = await seriesCount()
  for (let index = 0; index < 20; index += 1) await visit(`other-${index}`)
  expect(await seriesCount()).toBe(before)
})

describe.skipIf(missing.length > 0 && !isRequired)('promtool', () => {
  test('accepts the metrics of a running host', async () => {
    const checking = promtool('check', 'metrics')
    checking.child.stdin?.end(exposed)
    expect(await checking).toEqual({ stdout: '', stderr: '' })
  })

  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s %s succeeds', async (...argv) => {
    expect((await promtool(...argv)).stdout).toContain('SUCCESS')
  })

  test('every alert has a test', async () => {
    const [rules, tests] = await Promise.all(
      ['alerts.yml', 'alerts.test.yml'].map((file) => readFile(`${folder}${file}`, 'utf8')),
    )
    const alerts = Array.from(rules?.matchAll(/- alert: (\w+)/g) ?? [], ([, name]) => name)
    for (const alert of alerts) {
      expect(tests).toContain(`alertname: ${alert} }`)
      expect(tests).toContain(`alertname="${alert}"`)
    }
  })
})

interface Panel {
  readonly targets?: readonly { readonly expr: string }[]
}

function dashboardExpressions(source: string): readonly string[] {
  const { panels } = JSON.parse(source) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

const alertExpressions = (source: string): readonly string[] =>
  Array.from(
    source.matchAll(/^ +expr: (?:>-\n)?((?:.|\n(?! {8}\w+:))+)/gm),
    ([, expression = '']) => expression,
  )
