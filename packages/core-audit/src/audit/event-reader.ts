import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import type { EventSources } from './event-sources.ts'
import type { AuditPartition } from './queries/list-partitions.ts'
import type { EventPages } from './stream-events.ts'

/** The parts that all pages of events need. */
export interface EventReader {
  readonly businessObjects: BusinessObjects
  readonly sources: EventSources
  /** Returns all partitions, newest first. */
  readonly partitions: (db: Db) => Promise<readonly AuditPartition[]>
}

/** A page that a caller requests. */
export interface PageRequest {
  readonly caller: Caller
  readonly paging: EventPages['paging']
}
