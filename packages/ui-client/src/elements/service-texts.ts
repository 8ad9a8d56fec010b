import type { Confirmation, DisabledReason, DocumentAction } from '../wire/documents.ts'
import type { Permission } from '../wire/security.ts'
import type { Preference } from '../wire/work-center.ts'
import { sharedTexts } from './texts.ts'

type TextsByCode<T> = Readonly<Record<string, T>>

/** The page's own texts of an action. For absent texts, those of the service are shown. */
export interface ActionTexts {
  readonly label?: string
  readonly description?: string
  readonly confirmation?: Partial<Pick<Confirmation, 'title' | 'message' | 'confirmLabel'>>
}

/** The page's own texts of a definition or permission. For absent texts, those of the service are shown. */
export interface NamedTexts {
  readonly name?: string
  readonly description?: string
}

/** The page's own texts for codes of the service. */
export interface ServiceTexts {
  /** By `typeCode/actionCode`, or by action code for all types. A text of the first kind has priority. */
  readonly actions: TextsByCode<ActionTexts>
  /** The reasons why actions are unavailable. */
  readonly reasons: TextsByCode<string>
  /** The suggestions that lift a reason, by the code of the reason. */
  readonly remedies: TextsByCode<string>
  /** The kinds of tasks and notifications. */
  readonly definitions: TextsByCode<NamedTexts>
  readonly features: TextsByCode<string>
  readonly permissions: TextsByCode<NamedTexts>
  readonly roles: TextsByCode<string>
  /** The headings over preferences, features and permissions, by the service's text, because they have no code. */
  readonly groups: TextsByCode<string>
}

/** Returns an action with the page's own texts. */
export function actionTexts<A extends Pick<DocumentAction, 'code' | 'confirmation'>>(
  action: A,
  typeCode: string | undefined,
): A {
  const { actions } = sharedTexts().service
  const general = actions[action.code]
  const own = actions[`${typeCode}/${action.code}`]
  const confirmation = action.confirmation && {
    ...action.confirmation,
    ...general?.confirmation,
    ...own?.confirmation,
  }
  return { ...action, ...general, ...own, confirmation }
}

/** Returns the text of a reason against an action: of a disabled reason, or of an error. */
export function reasonText({ code, message }: Pick<DisabledReason, 'code' | 'message'>): string {
  const { service, errors } = sharedTexts()
  return service.reasons[code] ?? errors[code] ?? message
}

/** Returns what would lift a reason, or null if nothing is known. */
export const remedyText = ({ code, remedy }: DisabledReason): string | null =>
  remedy && (sharedTexts().service.remedies[code] ?? remedy.message)

/** Returns the name of a kind of tasks or notifications. */
export const definitionName = ({ code, displayName }: Pick<Preference, 'code' | 'displayName'>): string =>
  sharedTexts().service.definitions[code]?.name ?? displayName

/** Returns the name and the description of a permission. */
export function permissionTexts({ permission, displayName, description }: Permission): Required<NamedTexts> {
  return { name: displayName, description, ...sharedTexts().service.permissions[permission] }
}

/** Returns the name of a role. */
export const roleName = ({ code, name }: { readonly code: string; readonly name: string }): string =>
  sharedTexts().service.roles[code] ?? name

/** Returns a heading over preferences, features or permissions. */
export const groupName = (group: string): string => sharedTexts().service.groups[group] ?? group
