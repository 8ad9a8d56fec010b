import type { Caller } from '../access/caller.ts'
import type { StoredAuditEvent } from './queries/read-events.ts'

/** The access rule and the downloads for the events of one module in timelines. */
export interface AuditSource {
  /** The module name in the events. Timelines hide events of modules without an `AuditSource`. */
  readonly module: string
  /**
   * False while the feature of the module is off: timelines then hide its events. The default is true. Do not check features in
   * `isVisibleTo`: the worker that notifies followers also handles events of replicas that still have the feature.
   */
  readonly isEnabled?: boolean
  /** Returns whether the caller has the rights to see the events. */
  isVisibleTo(caller: Caller): boolean
  /** Returns the part of an event's metadata that the caller may know. By default, callers who see the events know all of it. */
  metadataFor?(caller: Caller, metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Returns the attachment that can be downloaded from an event; `null` for an event without a download. */
  downloadOf?(event: StoredAuditEvent): { readonly attachmentId: string } | null
  /**
   * Returns the users and roles that an event contains, so that readers see their names. Texts that are no UUID are ignored. The event
   * has all of its metadata, so do not return what {@link metadataFor} hides from some readers.
   */
  peopleIn?(event: StoredAuditEvent): PeopleInEvent
}

/** The ids of users and roles in an event. */
export interface PeopleInEvent {
  readonly userIds?: readonly unknown[]
  readonly roleIds?: readonly unknown[]
}
