import type { AuditSource } from '@vertical-kit/core-audit'
import type { BusinessObjectReference, NavigationTarget } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import type { EventDescriptor } from '@vertical-kit/core-audit/outbox'
import type * as v from 'valibot'
import type { Source } from '../contract.ts'

/** How an item names and opens a business object. */
export interface ObjectDescription {
  readonly source: Source
  readonly target: NavigationTarget | null
}

/** The data of the event that a note mentions users for the first time. */
export interface MentionData {
  readonly noteId: string
  readonly target: BusinessObjectReference
  readonly userIds: readonly string[]
}

/** The objects that users can follow, and the notifications about them. */
export interface WatchOptions {
  readonly businessObjects: BusinessObjects
  /**
   * The modules of the host. Followers are notified of events that they could see in a timeline, also while a feature is off here:
   * during a restart, each replica handles the events of all of them.
   */
  readonly modules: readonly { readonly auditSource?: AuditSource }[]
  /** Describes objects by their ids, in one statement. Do not check rights; omit objects that do not exist. */
  describe(
    db: Db,
    references: readonly BusinessObjectReference[],
  ): Promise<ReadonlyMap<string, ObjectDescription>>
  /**
   * The event of mentions: pass `noteMentioned` of the notes package, also while its feature is off. Without it, this replica
   * handles the events of all replicas without notifying anybody.
   */
  readonly mentioned?: EventDescriptor<v.GenericSchema<unknown, MentionData>> | undefined
  /** Whether users have a preference for mentions, by default true. Pass false while the feature of the notes is off. */
  readonly offersMentions?: boolean
}
