import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Journal } from '../clients.ts'
import type { Drill } from '../drill.ts'

const execute = promisify(execFile)

/**
 * Loses everything that the clients have written since a backup, and keeps the bucket, which is then newer than the database.
 * Hosts run throughout. Everything that was acknowledged before the backup must be complete afterwards.
 */
export const restore: Drill = {
  name: 'restore',
  title: 'restores an older backup of the database, and keeps the newer bucket',
  rounds: 5,
  losesConnections: false,
  async fault({ postgres, clients }) {
    const backup = await mkdtemp(join(tmpdir(), 'drill-backup-'))
    try {
      const known = copyOf(clients.journal)
      await postgres.restart({ whileDown: () => copyFiles(postgres.directory, backup) })
      await clients.eachCompletesAWrite()
      await clients.whilePaused(async () => {
        const restoreFiles = async (): Promise<void> => {
          await execute('find', [postgres.directory, '-mindepth', '1', '-delete'])
          await copyFiles(backup, postgres.directory)
        }
        await postgres.restart({ mode: 'immediate', whileDown: restoreFiles })
        forgetAfter(known, clients.journal)
      })
      return { 'restored backups': 1 }
    } finally {
      await rm(backup, { recursive: true })
    }
  },
}

/** Copies everything in a folder, with its owners, because PostgreSQL starts only with files of its own account. */
const copyFiles = (from: string, to: string) => execute('cp', ['--archive', `${from}/.`, to])

const copyOf = ({ notes, files, executions, claims }: Journal): Journal => ({
  notes: new Map(notes),
  files: new Map(files),
  executions: new Map(executions),
  claims: new Map(claims),
})

/** Removes everything that was not known before the backup: nobody can tell whether the backup contains it. */
function forgetAfter(known: Journal, journal: Journal): void {
  for (const key of ['notes', 'files', 'executions', 'claims'] as const) {
    for (const id of journal[key].keys()) if (!known[key].has(id)) journal[key].delete(id)
  }
}
