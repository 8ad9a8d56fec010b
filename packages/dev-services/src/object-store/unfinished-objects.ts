import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

/** Returns a path for an object that is not complete yet. It names this process, because several can use the directory. */
export const unfinishedIn = (incoming: string): string => join(incoming, `${process.pid}-${randomUUID()}`)

/** Returns whether no other running process writes this unfinished object. */
export function isAbandoned(name: string): boolean {
  const pid = Number.parseInt(name, 10)
  if (!(pid > 0) || pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
