import type { BusinessObjectReference } from './business-objects.ts'
import type { NavigationTarget } from './documents.ts'

/** A plain-text note on a business object. `version` starts at 1 and increases by one with every edit. */
export interface Note {
  id: string
  target: BusinessObjectReference
  text: string
  version: number
  isDeleted: boolean
  createdAtUtc: string
  createdByUserId: string
  createdByDisplayName: string
  updatedAtUtc: string
  updatedByUserId: string
  updatedByDisplayName: string
  /** The users that the text mentions as `@[<userId>]`, in the order of the text. All other mentions are plain text. */
  mentions: Mention[]
  /** The parts of the text that lead somewhere; absent if there are none. `start` and `length` count UTF-16 units. */
  links?: NoteLink[]
}

/** A user with the current name. */
export interface Mention {
  readonly userId: string
  readonly displayName: string
}

/** A web address (http or https), or an object that the reader may read. */
export type NoteLink =
  | { readonly start: number; readonly length: number; readonly url: string }
  | { readonly start: number; readonly length: number; readonly target: NavigationTarget }

/** The users that a note on an object can mention. */
export interface MentionableUsers {
  items: Mention[]
}
