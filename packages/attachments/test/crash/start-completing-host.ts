import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished } from 'vitest'
import { pooled } from '../../../../vitest.pooled-database.ts'
import type { AttachmentsHost } from '../harness.ts'
import type { Assignment } from './completing-host.ts'

const script = fileURLToPath(new URL('./completing-host.ts', import.meta.url))
const applicationName = 'completing host'

/** Starts a second host in its own process, which completes these uploads of `clerk` in the database of `host`. */
export function startCompletingHost(host: AttachmentsHost, uploadIds: readonly string[]) {
  const { url: databaseUrl, ...limits } = pooled(host.databaseUrl)
  const assignment: Assignment = {
    databaseUrl,
    database: { ...limits, applicationName, poolMax: 2 * uploadIds.length },
    config: host.config,
    subject: 'clerk',
    typeCode: 'trade.sales_invoice',
    uploadIds,
  }
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, JSON.stringify(assignment)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = text(child.stdout)
  return {
    async kill(): Promise<void> {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      expect(await exit).toEqual([null, 'SIGKILL'])
    },
    freeze: () => void child.kill('SIGSTOP'),
    unfreeze: () => void child.kill('SIGCONT'),
    /** Resolves with the statuses of the responses when the process has ended. */
    statuses: async () => JSON.parse(await output) as readonly number[],
  }
}

/** Resolves when the commit of a completing host waits for a row lock. */
export async function untilCommitIsBlocked({ database }: AttachmentsHost): Promise<void> {
  const blocked = async () => {
    const [row] = await database.read((db) =>
      db.execute<{ blocked: number }>(sql`
        select count(*)::int as blocked
        from pg_catalog.pg_stat_activity
        where datname = current_database()
          and application_name = ${applicationName}
          and wait_event_type = 'Lock'
          and query like 'select id from attachments.attachments % for no key update'`),
    )
    return row?.blocked
  }
  await expect.poll(blocked).toBe(1)
}
