import { describeConnectionFailure } from '../database/connection-failure.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type Finding, failed, ok } from './check.ts'

/** Connects to the database once. */
export async function connectionFinding(database: Database): Promise<Finding> {
  try {
    await database.read((db) => db.execute(sql`select 1`))
    return ok('The database answers.')
  } catch (error) {
    const { message, change } = describeConnectionFailure(error)
    return failed(message, change)
  }
}
