import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describeProcess, type RunningProcess } from './running-process.ts'

const stopLimitMs = 30_000
const pollMs = 20

/** Returns the first arguments of a server's command line. They distinguish an orphan from a server in use. */
export function identifyingArguments(path: string, ownerPid: number): string[] {
  return ['-D', path, '-c', `cluster_name=dev_services_${ownerPid}`]
}

/**
 * Cleans up the cluster at `path` after a killed run. Stops an orphaned server, and marks the pid file of an ended
 * server as stale. Stops a process only if its command line contains `path`.
 *
 * @throws Error if the process that started the running server is still alive: the cluster is in use
 */
export async function releaseDataDirectory(path: string): Promise<void> {
  const pidFile = join(path, 'postmaster.pid')
  const content = await readFile(pidFile, 'utf8').catch(() => undefined)
  if (content === undefined) return
  const [pidLine = '', ...rest] = content.split('\n')
  const pid = Number(pidLine)
  if (!Number.isInteger(pid) || pid <= 0) return rm(pidFile)

  const running = await describeProcess(pid)
  if (!isServerOf(running, path)) {
    // PostgreSQL refuses to start while any process has the pid in this file, and pids are reused. Do not delete
    // the file: PostgreSQL also uses it to check for old backends. Write our own pid instead: PostgreSQL treats the
    // pid of its parent as stale, but still runs that check.
    return writeFile(pidFile, [process.pid, ...rest].join('\n'))
  }
  if (running.commandLine.includes(`${identifyingArguments(path, running.parentPid).join(' ')} `)) {
    throw new Error(
      `The PostgreSQL data in ${path} is in use: process ${running.parentPid} runs server ${pid}.`,
    )
  }
  await stopOrphan(pid, path)
}

function isServerOf(running: RunningProcess | undefined, path: string): running is RunningProcess {
  return running?.commandLine.includes(`/postgres -D ${path} `) ?? false
}

async function stopOrphan(pid: number, path: string): Promise<void> {
  process.kill(pid, 'SIGINT')
  const deadline = performance.now() + stopLimitMs
  while (isServerOf(await describeProcess(pid), path)) {
    if (performance.now() > deadline)
      throw new Error(`The orphaned PostgreSQL server ${pid} for ${path} did not stop.`)
    await delay(pollMs)
  }
}
