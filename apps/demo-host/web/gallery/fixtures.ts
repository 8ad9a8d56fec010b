import type { BusinessObjectReference, Feature, MeAccess, Page } from '@vertical-kit/ui-client'
import type { Answers } from './answers.ts'

/** Returns an id with this number. */
export const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** The objects of the scenes. */
export const invoice = {
  kind: 'Document',
  typeCode: 'trade.sales_invoice',
  id: idOf(900),
} as const satisfies BusinessObjectReference

const minuteMs = 60_000

/** Returns the instant some minutes ago; negative minutes are in the future. */
export const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * minuteMs).toISOString()
export const daysAgo = (days: number): string => minutesAgo(days * 24 * 60)

/** The people of the scenes. Their names are of different lengths and scripts. */
export const people = {
  me: { userId: idOf(1), displayName: 'Clara Berg' },
  carl: { userId: idOf(2), displayName: 'Carl Nilsson' },
  mona: { userId: idOf(3), displayName: 'Mona Weiss' },
  long: { userId: idOf(4), displayName: 'Wolfeschlegelsteinhausenbergerdorff-Montgomery-Featherstonehaugh' },
  arabic: { userId: idOf(5), displayName: 'عبد الرحمن الخالدي' },
} as const

/** Texts that break a layout that does not expect them. */
export const long = {
  words:
    'Reminder about the delivery of replacement parts for the conveyor at the northern warehouse, agreed by telephone with purchasing and logistics',
  word: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  arabic: 'يرجى مراجعة الفاتورة رقم 1042 قبل نهاية الأسبوع',
  hebrew: 'תזכורת תשלום לחשבונית 1042',
}

export const page = <T>(items: T[], nextCursor: string | null = null): Page<T> => ({ items, nextCursor })

/** Returns numbered items, for long lists. */
export const several = <T>(count: number, create: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index + 1))

const feature = (code: string): Feature => ({ code, displayName: code, group: 'Content', enabled: true })
export const features = ['Attachments', 'Notes'].map(feature)

const contentPermissions = ['attachments', 'notes'].flatMap((content) =>
  ['read', 'create', 'update', 'delete'].map((action) => `system.${content}.${action}`),
)

/** All permissions that change what an element shows. */
const permissions = [
  ...contentPermissions,
  ...['audit.view', 'users.view', 'users.manage', 'roles.view', 'roles.manage', 'outbox.manage'].map(
    (name) => `system.${name}`,
  ),
  'document.trade.sales_invoice.view_audit',
]

/** The access of the user, with these permissions. */
export const accessWith = (granted: readonly string[]): MeAccess => ({
  ...people.me,
  subject: 'clerk',
  email: 'clara@example.com',
  isActive: true,
  isAdministrator: false,
  roles: [],
  permissions: [...granted],
})

/** The answers that most elements need: all features, and all permissions. */
export const everything: Answers = {
  'GET /api/features': () => features,
  'GET /api/security/me/access': () => accessWith(permissions),
}
