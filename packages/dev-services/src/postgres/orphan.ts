import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describeProcess, type RunningProcess } from './running-process.ts'

const stopLimitMs = 30_000
const pollMs = 20

/** Begins a server's command line, so that a later run can tell an orphan from a server in use. */
export function identifyingArguments(path: string, ownerPid: number): string[] {
  return ['-D', path, '-c', `cluster_name=dev_services_${ownerPid}`]
}

/**
 * Frees the cluster at `path` from what a killed run left behind: stops an orphaned server, and disarms the
 * pid file of one that is gone. Nothing is stopped unless its own command line names this very cluster.
 *
 * @throws Error when the process that started the running server is still alive: the cluster is in use
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
    // PostgreSQL refuses to start while the pid in the file belongs to any process, and pids are reused.
    // It takes a file that names its own parent for stale, yet still makes sure that no old backend is left:
    // deleting the file would lose that check.
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
      throw new Error(`The orphaned PostgreSQL server ${pid} on ${path} does not stop.`)
    await delay(pollMs)
  }
}
