import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PostgresOptions, removePostgresData, startPostgres } from '@vertical-kit/dev-services'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ask, crashSettings, dataPathOf, serverPid, startForTest, temporaryFolder } from './harness.ts'

const ownerScript = fileURLToPath(new URL('./fixtures/owner.ts', import.meta.url))

/** Starts a process that owns a server, like a test run or the demo. */
async function startOwner(options: PostgresOptions = {}): Promise<{ owner: ChildProcess; adminUrl: string }> {
  const owner = fork(ownerScript, [JSON.stringify(options)], {
    execArgv: ['--conditions=@vertical-kit/source'],
  })
  const { directory } = options
  onTestFinished(async () => {
    if (owner.exitCode === null && owner.signalCode === null) await kill(owner)
    // Wait until the watchdog has stopped the server: a running server would write into the removed folder.
    const pidFile = directory === undefined ? undefined : join(directory, 'data', 'postmaster.pid')
    await vi.waitUntil(() => pidFile === undefined || !existsSync(pidFile), { timeout: 30_000 })
  })
  const [adminUrl] = await once(owner, 'message')
  return { owner, adminUrl: String(adminUrl) }
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit')
  owner.kill('SIGKILL')
  await exited
}

/** Kills the watchdog and then the owner, so the server keeps running. */
async function orphanServer(owner: ChildProcess, dataPath: string): Promise<number> {
  const pid = serverPid(dataPath)
  const children = readFileSync(`/proc/${owner.pid}/task/${owner.pid}/children`, 'utf8').trim().split(' ')
  const [watchdog, ...others] = children.map(Number).filter((child) => child !== pid)
  expect(others).toEqual([])
  process.kill(Number(watchdog), 'SIGKILL')
  await kill(owner)
  return pid
}

test('a temporary server stops and its data is removed when its owner is killed', async () => {
  const { owner, adminUrl } = await startOwner()
  const dataPath = await dataPathOf(adminUrl)
  await kill(owner)
  await expect.poll(() => existsSync(dataPath), { timeout: 30_000 }).toBe(false)
  await expect(ask(adminUrl, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('temporary data is removed when the owner of a crashed server is killed', async () => {
  const { owner, adminUrl } = await startOwner({ settings: crashSettings })
  const dataPath = await dataPathOf(adminUrl)
  process.kill(serverPid(dataPath), 'SIGKILL')
  await expect.poll(() => ask(adminUrl, 'select 1').catch(({ code }) => code)).toBe('ECONNREFUSED')
  expect(existsSync(dataPath)).toBe(true)
  await kill(owner)
  await expect.poll(() => existsSync(dataPath), { timeout: 30_000 }).toBe(false)
})

test('a server that was started again after a crash stops when its owner is killed', async () => {
  const { owner, adminUrl } = await startOwner({ restartsAfterCrash: true, settings: crashSettings })
  const dataPath = await dataPathOf(adminUrl)
  const killed = serverPid(dataPath)
  process.kill(killed, 'SIGKILL')
  await expect.poll(() => dataPathOf(adminUrl).catch(() => undefined), { timeout: 60_000 }).toBe(dataPath)
  const pid = serverPid(dataPath)
  expect(pid).not.toBe(killed)
  await kill(owner)
  await expect.poll(() => existsSync(dataPath), { timeout: 30_000 }).toBe(false)
  await expect(ask(adminUrl, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a server with a directory stops and keeps its data when its owner is killed', async () => {
  const directory = await temporaryFolder()
  const { owner, adminUrl } = await startOwner({ directory })
  await ask(adminUrl, 'create table kept as select 42 as answer')
  await kill(owner)
  const server = await startForTest({ directory })
  expect(await ask(server.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
})

describe.skipIf(process.platform !== 'linux')('a start with the directory of a killed run', () => {
  test('stops the orphaned server', async () => {
    const directory = await temporaryFolder()
    const { owner, adminUrl } = await startOwner({ directory })
    await ask(adminUrl, 'create table kept as select 42 as answer')
    const orphan = await orphanServer(owner, await dataPathOf(adminUrl))
    expect(await ask(adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])

    const server = await startForTest({ directory })
    expect(serverPid(join(directory, 'data'))).not.toBe(orphan)
    expect(await ask(server.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('succeeds if the pid in the pid file belongs to another program', async () => {
    const directory = await temporaryFolder()
    const first = await startForTest({ directory })
    const pidFile = join(directory, 'data', 'postmaster.pid')
    const [, ...rest] = (await readFile(pidFile, 'utf8')).split('\n')
    await first.stop()
    const { owner } = await startOwner()
    await writeFile(pidFile, [owner.pid, ...rest].join('\n'))

    const server = await startForTest({ directory })
    expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(owner.exitCode).toBeNull()
  })

  test.each(['', '\n'])('succeeds if the pid file is empty (%j)', async (content) => {
    const directory = await temporaryFolder()
    const first = await startForTest({ directory })
    await first.stop()
    await writeFile(join(directory, 'data', 'postmaster.pid'), content)
    const server = await startForTest({ directory })
    expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('is rejected while the owner of the old server is alive, and the old server keeps running', async () => {
    const directory = await temporaryFolder()
    const { owner, adminUrl } = await startOwner({ directory })
    await expect(startPostgres({ directory })).rejects.toThrow(`is in use: process ${owner.pid} runs server`)
    await expect(removePostgresData(directory)).rejects.toThrow(`is in use: process ${owner.pid} runs server`)
    expect(await ask(adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
