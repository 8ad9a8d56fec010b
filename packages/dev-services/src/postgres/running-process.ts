import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The parts of a running process that identify its owner. */
export interface RunningProcess {
  readonly parentPid: number
  /** The command line. Empty for a zombie, an ended process that its parent has not collected yet. */
  readonly commandLine: string
}

/** Describes the process `pid`. Returns undefined if it does not exist. */
export function describeProcess(pid: number): Promise<RunningProcess | undefined> {
  // Small Linux images have no `ps`; other systems have no /proc.
  return (process.platform === 'linux' ? fromProc(pid) : fromPs(pid)).catch(() => undefined)
}

async function fromProc(pid: number): Promise<RunningProcess> {
  const [status, commandLine] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ])
  return {
    parentPid: Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]),
    commandLine: commandLine.replaceAll('\0', ' ').trim(),
  }
}

async function fromPs(pid: number): Promise<RunningProcess> {
  const { stdout } = await run('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)])
  const [, parentPid, commandLine = ''] = /^\s*(\d+)\s+(.*)$/m.exec(stdout) ?? []
  return { parentPid: Number(parentPid), commandLine }
}
