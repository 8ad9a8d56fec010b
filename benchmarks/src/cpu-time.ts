import { readdirSync, readFileSync } from 'node:fs'

/** The length of a tick in `/proc/PID/stat`: Linux reports 100 ticks per second to programs. */
const tickMs = 10

/** Returns the CPU time of all threads of a process, in user and kernel mode. Its resolution is 10 ms. */
export function cpuMsOf(pid: number): number {
  const { own } = readStat(pid) ?? { own: 0 }
  return own
}

/** Returns the CPU time of a process, of its children, and of its children that have ended. */
export function cpuMsOfFamily(pid: number): number {
  const parent = readStat(pid) ?? { own: 0, ended: 0 }
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid)
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), parent.own + parent.ended)
}

interface ProcessStat {
  readonly parent: number
  readonly own: number
  /** The time of ended children. */
  readonly ended: number
}

/** Reads the times of a process. Returns undefined if the process has ended. See proc_pid_stat(5) for the fields. */
function readStat(pid: number): ProcessStat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The second field is the name of the program, and can contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]))
  return {
    parent: parent ?? 0,
    own: ((user ?? 0) + (system ?? 0)) * tickMs,
    ended: ((endedUser ?? 0) + (endedSystem ?? 0)) * tickMs,
  }
}
