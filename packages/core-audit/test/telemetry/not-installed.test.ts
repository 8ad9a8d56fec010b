import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const hidePackages = fileURLToPath(new URL('./fixtures/hide-packages.ts', import.meta.url))
const hostProcess = fileURLToPath(new URL('./fixtures/host-process.ts', import.meta.url))

/** Starts a host in a process in which the matching packages are not installed, and returns the printed outcome. */
async function outcomeWithout(hidden: string, ...argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...['--conditions=@vertical-kit/source', '--import', hidePackages],
      ...[hostProcess, fresh.url, ...argv],
    ],
    { env: { ...process.env, HIDDEN_PACKAGES: hidden } },
  )
  return stdout.trim()
}

test('a host works without any package of OpenTelemetry, and looks for it only once', async () => {
  expect(await outcomeWithout('^@opentelemetry/')).toBe('ready 200, attempts to load missing packages: 1')
})

test.each([
  ['^@opentelemetry/', '@opentelemetry/sdk-metrics and @opentelemetry/exporter-prometheus'],
  ['^@opentelemetry/exporter', '@opentelemetry/sdk-metrics and @opentelemetry/exporter-prometheus'],
])(
  'with METRICS_PORT but without %s, a host does not start and names the missing packages',
  async (hidden, names) => {
    expect(await outcomeWithout(hidden, '0')).toBe(
      `ConfigurationError: The configuration has 1 problem(s):\nMETRICS_PORT: install ${names} beside @opentelemetry/api.`,
    )
  },
)

test('with all packages, the same process serves metrics', async () => {
  expect(await outcomeWithout('^$', '0')).toBe('ready 200, attempts to load missing packages: 0')
})
