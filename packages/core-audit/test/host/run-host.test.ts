import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { configurationExitCode } from '@vertical-kit/core-audit/host'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { onPort } from '../../src/host/cannot-start-error.ts'
import { openDatabase, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

interface HostProcess {
  readonly child: ChildProcess
  /** Resolves when the process has printed the line. */
  printed(line: string): Promise<void>
  readonly ended: Promise<{
    readonly exitCode: number | null
    readonly stdout: string
    readonly stderr: string
  }>
}

const script = fileURLToPath(new URL('./fixtures/run-host.ts', import.meta.url))
const hidePackages = fileURLToPath(new URL('../telemetry/fixtures/hide-packages.ts', import.meta.url))

/** Runs one start of the fixture in a separate process until the end of the test. */
function run(name: string, options: { url?: string; hidden?: string } = {}): HostProcess {
  const { url, hidden } = options
  const preload = hidden === undefined ? [] : ['--import', hidePackages]
  const child = spawn(process.execPath, ['--conditions=@vertical-kit/source', ...preload, script, name], {
    env: {
      PATH: process.env['PATH'],
      ...(url === undefined ? {} : { DATABASE_URL: url }),
      ...(hidden === undefined ? {} : { HIDDEN_PACKAGES: hidden }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const reading = createInterface(child.stdout).on('line', (line) => lines.push(line))
  const closed = once(child, 'close')
  const stderr = text(child.stderr)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    child,
    async printed(line) {
      while (!lines.includes(line)) await Promise.race([once(reading, 'line'), closed.then(fail)])
    },
    ended: closed.then(async ([exitCode]) => ({ exitCode, stdout: lines.join('\n'), stderr: await stderr })),
  }
}

const fail = (): never => {
  throw new Error('The process ended early.')
}

describe('a running host', () => {
  test.each([
    ['SIGTERM', false],
    ['SIGINT', true],
  ] as const)('closes after %s with isImmediate %s, and exits with 0', async (signal, isImmediate) => {
    const host = run('closes at once')
    await host.printed('started')
    host.child.kill(signal)
    const stdout = `started\nclosing, isImmediate: ${isImmediate}`
    expect(await host.ended).toEqual({ exitCode: 0, stdout, stderr: '' })
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('exits with 1 after a second signal, here %s', async (signal) => {
    const host = run('may close for an hour')
    await host.printed('started')
    host.child.kill('SIGTERM')
    await host.printed('closing, isImmediate: false')
    host.child.kill(signal)
    expect(await host.ended).toMatchObject({ exitCode: 1, stderr: '' })
  })

  test('exits with 1 if it does not close in time', async () => {
    const host = run('never closes')
    await host.printed('started')
    host.child.kill('SIGTERM')
    expect(await host.ended).toMatchObject({ exitCode: 1, stderr: '' })
  })

  test('exits with 0 if it closes within its own limit', async () => {
    const host = run('ends services slowly')
    await host.printed('started')
    host.child.kill('SIGTERM')
    expect(await host.ended).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('exits with 0 although a statement takes longer than the grace period', async () => {
    const host = run('slow statement', { url: fresh.url })
    await host.printed('received')
    host.child.kill('SIGTERM')
    expect(await host.ended).toEqual({ exitCode: 0, stdout: 'received\nnot answered', stderr: '' })
  })

  test('exits with 1 and logs the error if it cannot close', async () => {
    const host = run('cannot close')
    await host.printed('started')
    host.child.kill('SIGTERM')
    const { exitCode, stderr } = await host.ended
    expect(exitCode).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', err: { type: 'TypeError', message: 'stuck' } })
  })
})

describe('a signal during the start', () => {
  test('closes the host without delay when it has started', async () => {
    const host = run('starts after the first signal')
    await host.printed('started')
    host.child.kill('SIGTERM')
    const stdout = 'started\nclosing, isImmediate: true'
    expect(await host.ended).toEqual({ exitCode: 0, stdout, stderr: '' })
  })

  test('that is followed by a second one ends the process', async () => {
    const host = run('never starts')
    await host.printed('started')
    host.child.kill('SIGTERM')
    await host.printed('received SIGTERM')
    host.child.kill('SIGTERM')
    expect(await host.ended).toMatchObject({ exitCode: 1, stderr: '' })
  })
})

test('a host with an invalid configuration prints one line for each problem and exits with 78', async () => {
  const { exitCode, stdout, stderr } = await run('invalid configuration').ended
  expect({ exitCode, stdout }).toEqual({ exitCode: configurationExitCode, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([
    'PORT: expected a whole number from 0 to 65535',
    'SHUTDOWN_DELAY: expected a duration [d.]hh:mm:ss from 00:00:00 to 00:10:00',
  ])
})

test('METRICS_PORT without the packages of OpenTelemetry is an invalid configuration', async () => {
  const host = run('metrics', { url: fresh.url, hidden: '^@opentelemetry/' })
  expect(await host.ended).toEqual({
    exitCode: configurationExitCode,
    stdout: '',
    stderr:
      'METRICS_PORT: install @opentelemetry/sdk-metrics and @opentelemetry/exporter-prometheus beside @opentelemetry/api.\n',
  })
})

const refused =
  'No connection to the database (ECONNREFUSED). Start the server, or correct the host and port in DATABASE_URL.\n'

test.each([
  ['a host whose database refuses connections', 'real host', refused],
  ['a migrator whose database refuses connections', 'migrates first', refused],
  ['a start with a reason of its own', 'own reason', 'The till is closed.\n'],
])('%s prints one line and exits with 1', async (_, name, stderr) => {
  expect(await run(name).ended).toEqual({ exitCode: 1, stdout: '', stderr })
})

test('a host whose database does not exist prints one line and exits with 1', async () => {
  const url = Object.assign(new URL(fresh.url), { pathname: '/missing' }).href
  expect(await run('real host', { url }).ended).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'No connection to the database (3D000). Create the database, or correct its name in DATABASE_URL.\n',
  })
})

test('a host that may only read prints one line and exits with 1', async () => {
  const closed = await openDatabase()
  onTestFinished(() => closed.drop())
  const name = new URL(closed.url).pathname.slice(1)
  await runSql(closed.url, `alter database "${name}" set default_transaction_read_only = on`)
  expect(await run('writes first', { url: closed.url }).ended).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'The database refuses to write (25006). If the server is a standby, name the primary in DATABASE_URL. Otherwise, reset ' +
      'default_transaction_read_only for the role, its database and the server.\n',
  })
})

test.each([
  ['PORT', 'taken port'],
  ['METRICS_PORT', 'taken port of metrics'],
])('a host with a %s that is in use prints one line with the key and exits with 1', async (key, name) => {
  const { exitCode, stdout, stderr } = await run(name, { url: fresh.url }).ended
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(
    new RegExp(`^${key}: port \\d+ of 127\\.0\\.0\\.1 is in use \\(EADDRINUSE\\)\\. .* change ${key}\\.\\n$`),
  )
})

test.each([
  ['HOST', 'foreign host'],
  ['METRICS_HOST', 'foreign host of metrics'],
])(
  'a host with a %s that its machine does not have prints one line with the key and exits with 1',
  async (key, name) => {
    const { exitCode, stdout, stderr } = await run(name, { url: fresh.url }).ended
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toBe(`${key}: 192.0.2.1 is no address of this machine (EADDRNOTAVAIL). Change ${key}.\n`)
  },
)

test('a host with a HOST that is too long for a name prints one line with the key and exits with 1', async () => {
  const { exitCode, stdout, stderr } = await run('long host', { url: fresh.url }).ended
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toBe(
    'HOST: the value is neither a host name nor a complete IP address (EINVAL). Change HOST.\n',
  )
})

test('an IPv6 address on a machine without IPv6 is described with its key', async () => {
  const error = Object.assign(new Error('listen EAFNOSUPPORT ::1'), { code: 'EAFNOSUPPORT' })
  const started = onPort('PORT', { host: '::1', port: 0 }, () => Promise.reject(error))
  await expect(started).rejects.toThrow(
    'HOST: this machine has no addresses like ::1 (EAFNOSUPPORT). Change HOST.',
  )
})

test('a defect is logged as one line with its frames', async () => {
  const { exitCode, stderr } = await run('defect').ended
  expect(exitCode).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({
    level: 'fatal',
    msg: 'The host ended.',
    err: { type: 'TypeError', message: 'a defect', frames: expect.any(Array) },
  })
})
