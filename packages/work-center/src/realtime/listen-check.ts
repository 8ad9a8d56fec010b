import { randomUUID } from 'node:crypto'
import { sql } from '@vertical-kit/core-audit'
import { type Database, type DatabasePassword, openPostgresClient } from '@vertical-kit/core-audit/database'
import { type DoctorCheck, failed, failureCode, ok, skipped } from '@vertical-kit/core-audit/doctor'

export interface ListenCheckOptions {
  /** Sends the notification, possibly through a pooler. */
  readonly database: Database
  /** The address for LISTEN. */
  readonly url: string
  readonly password: DatabasePassword | undefined
}

/** The time for a notification. Through a pooler in transaction mode, it never arrives. */
const arrivalMs = 3_000

const change =
  'Set DATABASE_DIRECT_URL or WorkCenter__RealtimeDatabaseUrl to the same database, without a pooler.'

/**
 * Returns the check that a notification arrives: sent through the pool, received on the address for LISTEN. Its channel has
 * a random name, so hosts do not receive the notification.
 */
export const listenCheck = ({ database, url, password }: ListenCheckOptions): DoctorCheck => ({
  name: 'database.listen',
  needs: ['database.connection'],
  async run({ signal }) {
    if (!(await answers(database))) return skipped('Needs database.connection.')
    const channel = `doctor_${randomUUID().replaceAll('-', '')}`
    const arrived = Promise.withResolvers<boolean>()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(arrivalMs)])
    limit.addEventListener('abort', () => arrived.resolve(false), { once: true })
    const client = openPostgresClient(url, {
      ...{ password, prepare: false, connect_timeout: arrivalMs / 1_000 },
      target_session_attrs: 'primary',
      connection: { application_name: 'vertical-kit-doctor' },
      onclose: () => arrived.resolve(false),
      onnotify: () => arrived.resolve(true),
    })
    try {
      await Promise.race([client.sql.unsafe(`listen ${channel}`), arrived.promise])
      await database.read((db) => db.execute(sql`select pg_notify(${channel}::text, '')`))
      if (await arrived.promise) return ok('A notification arrives on the address for LISTEN.')
      return failed('No notification arrives on the address for LISTEN.', change)
    } catch (error) {
      return failed(`LISTEN is not possible (${failureCode(error)}).`, change)
    } finally {
      await client.end(0)
    }
  },
})

const answers = (database: Database): Promise<boolean> =>
  database
    .read((db) => db.execute(sql`select 1`))
    .then(
      () => true,
      () => false,
    )
