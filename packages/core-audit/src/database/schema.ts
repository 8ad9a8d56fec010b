import { pgSchema } from 'drizzle-orm/pg-core'

/** The kernel's own PostgreSQL schema. */
export const coreAudit = pgSchema('core_audit')
