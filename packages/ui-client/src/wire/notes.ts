import type { BusinessObjectReference } from './business-objects.ts'

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
}
