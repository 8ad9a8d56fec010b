import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { startPostgres } from '@vertical-kit/dev-services'

/** The machine and the software of a run. Without them, figures mean nothing. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly memoryGigabytes: number
  readonly node: string
  readonly postgres: string
  readonly commit: string
  /** The load of the machine in the minute before the run. On a quiet machine, it is near 0. */
  readonly loadBefore: number
  readonly date: string
}

/** Describes this machine before a run. All benches use the embedded PostgreSQL. */
export async function describeMachine(): Promise<Machine> {
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== ''
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    postgres: await embeddedPostgres(),
    commit: `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? ' with changes' : ''}`,
    loadBefore: loadavg()[0] ?? 0,
    date: new Date().toISOString().slice(0, 10),
  }
}

async function embeddedPostgres(): Promise<string> {
  const server = await startPostgres()
  await server.stop()
  return server.version
}
