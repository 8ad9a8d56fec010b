import type { BusinessObjectReference, ContentSummary } from '@vertical-kit/ui-client'
import { featuresStore } from '@vertical-kit/ui-client/stores'
import { html, type TemplateResult } from 'lit'
import type { IconName } from '../icons.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'

export type DrawerName = 'attachments' | 'notes' | 'history'

/** One button that opens a drawer for an entry. */
export interface DrawerEntry {
  readonly name: DrawerName
  readonly label: string
  readonly icon: IconName
  /** The number in the badge, or null while the number is unknown. */
  readonly count: number | null
  /** The reason why the user cannot open the drawer, or null. */
  readonly refusal: string | null
}

/**
 * Returns the drawers of an entry. Omits the drawers of disabled features. If the user has no permission for a feature, its
 * drawer is included, but the user cannot open it.
 */
export function drawerEntries(
  workspace: Workspace,
  list: ListDefinition,
  counts: ContentSummary,
): readonly DrawerEntry[] {
  const { session, may } = workspace
  const features = featuresStore(session)
  const mayAudit = may('system.audit.view') || may(permissionFor(list, 'view_audit'))
  const entries: (DrawerEntry | false)[] = [
    features.isEnabled('Attachments') && {
      name: 'attachments',
      label: 'Attachments',
      icon: 'clip',
      count: counts.attachments,
      refusal: may('system.attachments.read') ? null : 'You do not have permission to view attachments.',
    },
    features.isEnabled('Notes') && {
      name: 'notes',
      label: 'Notes',
      icon: 'note',
      count: counts.notes,
      refusal: may('system.notes.read') ? null : 'You do not have permission to view notes.',
    },
    {
      name: 'history',
      label: 'History',
      icon: 'clock',
      count: null,
      refusal: mayAudit ? null : 'You do not have permission to view the history.',
    },
  ]
  return entries.filter((entry) => entry !== false)
}

/** Renders the content of a drawer. */
export function drawerContent(
  name: DrawerName,
  { session }: Workspace,
  target: BusinessObjectReference,
): TemplateResult {
  switch (name) {
    case 'attachments':
      return html`<vk-attachments .session=${session} .target=${target}></vk-attachments>`
    case 'notes':
      return html`<vk-notes autofocus .session=${session} .target=${target}></vk-notes>`
    case 'history':
      return html`<vk-audit-timeline .session=${session} .target=${target}></vk-audit-timeline>`
  }
}
