import { sql } from 'drizzle-orm/sql'
import type { HealthCheck } from '../host/health.ts'
import type { Database } from './database.ts'

/** Healthy when the database answers. */
export function databaseHealth(database: Database): HealthCheck {
  return {
    name: 'database',
    async check() {
      await database.read((db) => db.execute(sql`select 1`))
      return { status: 'Healthy' }
    },
  }
}
