import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../harness.ts'
import { type Fate, type ProtocolProxy, startProtocolProxy } from './protocol-proxy.ts'

let fresh: FreshDatabase
let proxy: ProtocolProxy
beforeAll(async () => {
  fresh = await openDatabase()
  proxy = await startProtocolProxy(fresh.url)
})
afterAll(async () => {
  await proxy.stop()
  await fresh.drop()
})

function start(script: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(`./fixtures/${script}`, import.meta.url)), {
    execArgv: ['--conditions=@vertical-kit/source'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Has the process work with the database once; rejects when the process ends instead. */
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

/** Has one message meet a fate: the one that comes after `index` others. Tells whether it has come. */
function strike(index: number, fate: Fate): { readonly hasStruck: boolean } {
  const state = { hasStruck: false }
  let seen = 0
  proxy.decide = () => {
    state.hasStruck ||= seen === index
    seen += 1
    return seen - 1 === index ? fate : 'pass'
  }
  return state
}

/** What came of the pieces of work, in order, when the message after `index` others met its fate. */
async function askWithLossAt(child: ChildProcess, index: number, fate: Fate) {
  const struck = strike(index, fate)
  const [first, second, third, migrator, last] = await ask(child)
  return { hasStruck: struck.hasStruck, served: [first, second, third, last], migrator }
}

test.each<Fate>(['reset', 'close', 'refuse'])(
  'a host survives a %s at every message of its connections, from the first to the last',
  async (fate) => {
    const child = start('serving-process.ts')
    const lost = new Set<number>()
    let index = 0
    for (; ; index += 1) {
      const { hasStruck, served, migrator } = await askWithLossAt(child, index, fate)
      const failed = [...served.keys()].filter((piece) => served[piece] !== 'done')
      // A connection that closes while it starts is made again, and one that closes when it ends is no loss.
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
  // Some 200 connections: minutes on a machine that is busy with much else.
  600_000,
)
