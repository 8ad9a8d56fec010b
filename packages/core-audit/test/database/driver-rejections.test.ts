import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { surviveDriverRejections } from '@vertical-kit/core-audit/database'
import { type MessageAction, type PostgresProxy, startPostgresProxy } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
let proxy: PostgresProxy
beforeAll(async () => {
  fresh = await openDatabase()
  proxy = await startPostgresProxy(fresh.url)
})
afterAll(async () => {
  await proxy.stop()
  await fresh.drop()
})

function start(script: URL, argv: readonly string[] = []): ChildProcess {
  const child = fork(fileURLToPath(script), argv, {
    execArgv: ['--conditions=@vertical-kit/source'],
    silent: argv.length > 0,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Makes the process use the database once and returns the outcomes. Rejects if the process ends first. */
async function ask(child: ChildProcess): Promise<readonly string[]> {
  const stop = new AbortController()
  const { signal } = stop
  const exited = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process ended with ${code}`)
  })
  try {
    const answered = once(child, 'message', { signal })
    child.send(proxy.url)
    const [outcomes] = (await Promise.race([answered, exited])) as [readonly string[]]
    return outcomes
  } finally {
    exited.catch(() => {})
    stop.abort()
  }
}

/** Applies the action to the message at `index`, counted from 0. `hasStruck` becomes true when the message is sent. */
function strike(index: number, action: MessageAction): { readonly hasStruck: boolean } {
  const state = { hasStruck: false }
  let seen = 0
  proxy.decide = () => {
    state.hasStruck ||= seen === index
    seen += 1
    return seen - 1 === index ? action : 'pass'
  }
  return state
}

/** Makes the process use the database, applies the action to the message at `index`, and returns the outcomes. */
async function askWithLossAt(child: ChildProcess, index: number, action: MessageAction) {
  const struck = strike(index, action)
  const [first, second, third, migrator, last] = await ask(child)
  return { hasStruck: struck.hasStruck, served: [first, second, third, last], migrator }
}

test.each<MessageAction>(['reset', 'close', 'refuse'])(
  'a host survives the proxy action “%s” at each message of its connections',
  async (action) => {
    const child = start(new URL('./fixtures/serving-process.ts', import.meta.url))
    const lost = new Set<number>()
    let index = 0
    for (; ; index += 1) {
      const { hasStruck, served, migrator } = await askWithLossAt(child, index, action)
      const failed = [...served.keys()].filter((piece) => served[piece] !== 'done')
      // No work fails if the connection closes during its setup (it is opened again) or during its end.
      expect(failed.length + Number(migrator !== 'done')).toBeLessThanOrEqual(1)
      for (const piece of failed) {
        expect(served[piece]).toBe('service.unavailable')
        lost.add(piece)
      }
      if (hasStruck) continue
      expect([...served, migrator]).toEqual(['done', 'done', 'done', 'done', 'done'])
      break
    }
    expect([...lost]).toEqual([0, 1, 2, 3])
    expect(index).toBeGreaterThan(50)
    expect(child.exitCode).toBeNull()
  },
  // The test opens about 200 connections, which can take several minutes on a busy machine.
  600_000,
)

/** Runs the fixture until it ends, and returns its exit code and its output. */
async function leaveRejection(kind: string, url: string, hostCount = 1) {
  const fixture = new URL('./fixtures/rejecting-process.ts', import.meta.url)
  const child = start(fixture, [kind, url, String(hostCount)])
  const printed = Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream))),
  )
  const [exitCode] = await once(child, 'exit')
  const [output = '', errors = ''] = await printed
  return { exitCode, output, errors }
}

test.each([
  ['the error of a failed statement', 'statement', () => fresh.url, '22P02'],
  [
    'the error of an unreachable server',
    'unreachable',
    () => 'postgres://nobody@127.0.0.1:1/none',
    'ECONNREFUSED',
  ],
])('if %s has no handler, the host logs it once without its message and survives', async (...row) => {
  const [, kind, url, code] = row
  const { exitCode, output } = await leaveRejection(kind, url())
  const lines = output.trim().split('\n')
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'error',
    time: expect.any(String),
    code,
    msg: 'A rejection of the database driver had no handler.',
  })
  expect(lines[1]).toBe('alive')
  expect(exitCode).toBe(0)
})

test.each([
  ['the error of a missing file', 'file', 'ENOENT'],
  ['a refusal', 'refusal', 'auth.required'],
  ['a rejection with a text', 'text', 'text'],
])('if %s has no handler, the process ends with exit code 1', async (_case, kind, reported) => {
  const { exitCode, output, errors } = await leaveRejection(kind, fresh.url)
  expect(exitCode).toBe(1)
  expect(output).toBe('')
  expect(errors).toContain(reported)
})

/** An error with the properties of a driver error. */
const driverError = Object.assign(new Error('closed'), {
  code: 'CONNECTION_CLOSED',
  errno: 'CONNECTION_CLOSED',
})

/** Removes all existing `unhandledRejection` listeners of the process until the test has finished. */
function setListenersAside(): void {
  const listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
  })
}

describe('with two hosts in one process', () => {
  test('a rejection of the driver is logged once', async () => {
    const { exitCode, output } = await leaveRejection('statement', fresh.url, 2)
    const lines = output.trim().split('\n')
    expect(lines).toEqual([expect.stringContaining('22P02'), 'alive'])
    expect(exitCode).toBe(0)
  })

  test('a rejection from other code still ends the process', async () => {
    const { exitCode, output, errors } = await leaveRejection('file', fresh.url, 2)
    expect(errors).toContain('ENOENT')
    expect(output).toBe('')
    expect(exitCode).toBe(1)
  })

  test('each host removes only its own listener', () => {
    setListenersAside()
    const logged: string[] = []
    const [stopFirst, stopSecond] = ['first', 'second'].map((host) =>
      surviveDriverRejections({ error: () => void logged.push(host) }),
    )
    const reject = () => process.emit('unhandledRejection', driverError, Promise.resolve())
    reject()
    stopFirst?.()
    reject()
    stopSecond?.()
    expect(logged).toEqual(['first', 'second'])
    expect(reject()).toBe(false)
  })
})

test('a listener of the application receives rejections from other code, and nothing is logged', async () => {
  setListenersAside()
  const reasons: unknown[] = []
  const listener = (reason: unknown) => void reasons.push(reason)
  process.on('unhandledRejection', listener)
  const lines: unknown[] = []
  const stops = [1, 2].map(() => surviveDriverRejections({ error: (line: unknown) => void lines.push(line) }))
  process.emit('unhandledRejection', new Error('ours'), Promise.resolve())
  expect(reasons).toEqual([new Error('ours')])
  for (const stop of stops) stop()
  expect(process.listeners('unhandledRejection')).toEqual([listener])
  expect(lines).toEqual([])
})
