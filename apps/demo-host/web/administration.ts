import type { AdministrationSection } from '../src/page/page-routes.ts'
import type { IconName } from './icons.ts'

/** A part of the administration, and the permission to see it. */
export interface AdministrationPart {
  readonly section: AdministrationSection
  readonly title: string
  readonly icon: IconName
  readonly permission: string
}

/** All parts, in the order of the navigation. */
export const administrationParts: readonly AdministrationPart[] = [
  { section: 'users', title: 'Users', icon: 'person', permission: 'system.users.view' },
  { section: 'roles', title: 'Roles', icon: 'shield', permission: 'system.roles.view' },
  { section: 'outbox', title: 'Outbox', icon: 'outbox', permission: 'system.outbox.manage' },
  { section: 'status', title: 'Status', icon: 'pulse', permission: 'system.outbox.manage' },
]

/** Returns the part with this path. */
export function partAt(section: AdministrationSection): AdministrationPart {
  const found = administrationParts.find((part) => part.section === section)
  if (found === undefined) throw new Error(`Unknown section: ${section}`)
  return found
}
