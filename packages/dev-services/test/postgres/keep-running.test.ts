import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PostgresOptions, PostgresServer } from '@vertical-kit/dev-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keepRunning } from '../../src/postgres/keep-running.ts'
import { describeProcess } from '../../src/postgres/running-process.ts'
import { ask, crashSettings, dataPathOf, serverPid, startForTest } from './harness.ts'

interface Crashing {
  readonly server: PostgresServer
  readonly dataPath: string
  /** The lines of the server's log. */
  readonly log: readonly string[]
  /** The lines about crashes. */
  readonly notices: readonly string[]
  /** Kills the server's main process. The other processes of the server end when they notice this. */
  crash(): void
}

/** Starts a server that restarts after a crash, with a table `kept` that contains the number 42. */
async function startCrashing(options: PostgresOptions = {}): Promise<Crashing> {
  const [log, notices]: [string[], string[]] = [[], []]
  const server = await startForTest({
    restartsAfterCrash: true,
    settings: crashSettings,
    ...options,
    log(line, source) {
      if (source === 'postgres') log.push(line)
      else notices.push(line)
      options.log?.(line, source)
    },
  })
  await ask(server.adminUrl, 'create table kept as select 42 as answer')
  const dataPath = await dataPathOf(server.adminUrl)
  return { server, dataPath, log, notices, crash: () => process.kill(serverPid(dataPath), 'SIGKILL') }
}

const answers = ({ server }: Crashing): Promise<unknown> =>
  ask(server.adminUrl, 'select answer from kept').catch((error: { code?: string }) => error.code)

const expectRestarted = (crashing: Crashing): Promise<void> =>
  expect.poll(() => answers(crashing), { timeout: 60_000 }).toEqual([{ answer: 42 }])

const countStarts = (log: readonly string[]): number =>
  log.filter((line) => line.includes('starting PostgreSQL')).length

/** Makes every start of the server fail until `repair` is called. */
async function breakSettings(dataPath: string): Promise<{ repair(): Promise<void> }> {
  const file = join(dataPath, 'postgresql.auto.conf')
  const content = await readFile(file)
  await writeFile(file, 'no_such_setting = 1\n')
  return { repair: () => writeFile(file, content) }
}

const failedStarts = (log: readonly string[]): number =>
  log.filter((line) => line.includes('no_such_setting')).length

/** Returns the command lines that contain the folder: a running server, and its watchdog if the data is temporary. */
async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => (await describeProcess(Number(pid)))?.commandLine ?? ''),
  )
  return lines.filter((line) => line.includes(folder))
}

async function expectNothingLeft(dataPath: string): Promise<void> {
  await expect(readdir(dataPath)).rejects.toMatchObject({ code: 'ENOENT' })
  // The other processes of a killed server end by themselves.
  await expect.poll(() => processesOf(dirname(dataPath)), { timeout: 30_000 }).toEqual([])
}

const restarted = 'PostgreSQL ended unexpectedly and was started again.'

test('a killed server starts again with the same address and all committed data', async () => {
  const crashing = await startCrashing()
  const first = serverPid(crashing.dataPath)
  crashing.crash()
  await expectRestarted(crashing)
  const second = serverPid(crashing.dataPath)
  expect(second).not.toBe(first)
  expect(crashing.notices).toEqual([restarted])

  crashing.crash()
  await expectRestarted(crashing)
  expect(serverPid(crashing.dataPath)).not.toBe(second)
  expect(crashing.notices).toEqual([restarted, restarted])
})

test('by default, a killed server stays down', async () => {
  const crashing = await startCrashing({ restartsAfterCrash: false })
  crashing.crash()
  await expect.poll(() => answers(crashing)).toBe('ECONNREFUSED')
  await crashing.server.stop()
  expect(countStarts(crashing.log)).toBe(1)
  expect(crashing.notices).toEqual([])
})

test('a killed server starts again when its last session no longer uses the shared memory', async () => {
  const crashing = await startCrashing()
  const [session] = await ask(
    crashing.server.adminUrl,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  const pid = Number(session?.['pid'])
  // A stopped process cannot notice that the server was killed.
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => endProcess(pid))
  crashing.crash()
  await expect
    .poll(() => crashing.log.join('\n'), { timeout: 30_000 })
    .toContain('pre-existing shared memory block')
  expect(crashing.notices).toEqual([])
  process.kill(pid, 'SIGKILL')
  await expectRestarted(crashing)
  expect(crashing.notices).toEqual([restarted])
})

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

describe.skipIf(process.platform !== 'linux')('a stop leaves no process and no data', () => {
  test('immediately after a crash', async () => {
    const { server, dataPath, crash, log } = await startCrashing()
    // A new process of the server has the command line of the server at first.
    await expect.poll(() => processesOf(dirname(dataPath)), { timeout: 30_000 }).toHaveLength(2)
    crash()
    await server.stop()
    await expectNothingLeft(dataPath)
    expect(countStarts(log)).toBe(1)
  })

  test('during the start after a crash', async () => {
    const { promise: starting, resolve: resolveStarting } = Promise.withResolvers<void>()
    let starts = 0
    const { server, dataPath, crash } = await startCrashing({
      log(line) {
        if (line.includes('starting PostgreSQL') && ++starts === 2) resolveStarting()
      },
    })
    crash()
    await starting
    await server.stop()
    await expectNothingLeft(dataPath)
  })

  test('between two failed starts', async () => {
    const { server, dataPath, crash, log, notices } = await startCrashing()
    await breakSettings(dataPath)
    crash()
    await expect.poll(() => failedStarts(log), { timeout: 30_000 }).toBeGreaterThan(0)
    await server.stop()
    await expectNothingLeft(dataPath)
    expect(notices).toEqual([])
  })
})

test('a restart by the owner replaces the attempts after a crash, and later crashes restart the server', async () => {
  const crashing = await startCrashing()
  const { server, log, notices, dataPath } = crashing
  const { repair } = await breakSettings(dataPath)
  crashing.crash()
  await expect.poll(() => failedStarts(log), { timeout: 30_000 }).toBeGreaterThan(0)
  let failedCount = 0
  await server.restart({
    async whileDown() {
      failedCount = failedStarts(log)
      await repair()
    },
  })
  expect(failedStarts(log)).toBe(failedCount)
  expect(await answers(crashing)).toEqual([{ answer: 42 }])
  expect(notices).toEqual([])

  crashing.crash()
  await expectRestarted(crashing)
  expect(notices).toEqual([restarted])
})

test('after the last failed attempt, one line contains the reason, and a stop still works', async () => {
  const lines: string[] = []
  let attempts = 0
  const server = keepRunning(
    { ended: Promise.resolve(), stop: async () => {} },
    {
      start() {
        attempts++
        return Promise.reject(new Error('PostgreSQL did not start: exit code 1\nFATAL:  no space\nLOG:  end'))
      },
      log: (line) => lines.push(line),
      pausesMs: [0, 0, 0],
    },
  )
  await server.ended
  expect(attempts).toBe(3)
  expect(lines).toEqual(['PostgreSQL ended unexpectedly. 3 attempts to start it again failed: no space'])
  await server.stop('fast')
})
