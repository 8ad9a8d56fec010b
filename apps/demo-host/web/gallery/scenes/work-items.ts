import type { WorkCenterItem, WorkCenterItemPage, WorkCenterSummary } from '@vertical-kit/ui-client'
import { daysAgo, idOf, invoice, long, minutesAgo, page, people, several } from '../fixtures.ts'

const source = (number: number): WorkCenterItem['source'] => ({
  resourceKind: 'document',
  resourceCode: invoice.typeCode,
  entityId: invoice.id,
  title: `SI-2026-00${number + 10}`,
  subtitle: 'Bright Bikes Ltd',
})

const assignment = {
  assignedUserId: null,
  assignedRoleId: idOf(50),
  claimedByUserId: null,
  isRoleAssigned: true,
}

export const task = (number: number, more: Partial<WorkCenterItem> = {}): WorkCenterItem => ({
  id: idOf(number),
  kind: 'Task',
  code: 'trade.collect_payment',
  title: `Collect payment for SI-2026-00${number + 10}`,
  description: '€ 1,250.00 from Bright Bikes Ltd, due soon.',
  titleText: null,
  descriptionText: null,
  source: source(number),
  priority: 'Normal',
  severity: null,
  taskStatus: 'Open',
  sortAtUtc: minutesAgo(number * 50),
  dueAtUtc: daysAgo(-2),
  dueOn: null,
  isOverdue: false,
  isRead: true,
  isDismissed: false,
  snoozedUntilUtc: null,
  assignment,
  primaryActionCode: 'apply_payment',
  primaryAction: { documentType: invoice.typeCode, documentId: invoice.id, actionCode: 'apply_payment' },
  target: { code: invoice.typeCode, parameters: { documentId: invoice.id } },
  version: 1,
  onBehalfOf: null,
  ...more,
})

export const notification = (number: number, more: Partial<WorkCenterItem> = {}): WorkCenterItem =>
  task(number, {
    kind: 'Notification',
    code: 'trade.invoice_settled',
    title: `Invoice SI-2026-00${number + 10} is settled`,
    description: 'Bright Bikes Ltd has paid the total of € 1,250.00.',
    priority: null,
    severity: 'Success',
    taskStatus: null,
    dueAtUtc: null,
    assignment: null,
    primaryActionCode: null,
    primaryAction: null,
    ...more,
  })

export const fewItems: WorkCenterItem[] = [
  task(1, { priority: 'Critical', isRead: false, isOverdue: true, dueAtUtc: daysAgo(3) }),
  task(2, { assignment: { ...assignment, claimedByUserId: people.me.userId }, taskStatus: 'InProgress' }),
  notification(3, { isRead: false }),
  task(4, { priority: 'High', onBehalfOf: people.mona, snoozedUntilUtc: daysAgo(-1) }),
]

const longSource = { ...source(1), title: long.word, subtitle: people.long.displayName }

export const manyItems: WorkCenterItem[] = [
  task(1, {
    title: `${long.words}. ${long.words}`,
    description: long.words,
    source: longSource,
    isRead: false,
  }),
  task(2, { title: long.arabic, description: long.arabic, onBehalfOf: people.arabic }),
  task(3, { title: long.word.repeat(2), priority: 'Critical', isOverdue: true, dueAtUtc: daysAgo(400) }),
  notification(4, { title: long.hebrew, severity: 'Critical', isRead: false }),
  notification(5, { severity: 'Warning', title: 'Write-off of € 98,765,432,109,876.54 recorded' }),
  ...several(25, (number) => task(number + 5, { isRead: number % 3 > 0, dueAtUtc: daysAgo(3 - number) })),
]

export const itemsPage = (items: WorkCenterItem[], nextCursor: string | null = null): WorkCenterItemPage => ({
  ...page(items, nextCursor),
  limit: 30,
  readThrough: minutesAgo(0),
})

export const summaryOf = (attentionCount: number): WorkCenterSummary => ({
  attentionCount,
  openTaskCount: attentionCount,
  overdueTaskCount: Math.ceil(attentionCount / 4),
  notificationCount: Math.floor(attentionCount / 2),
  unreadNotificationCount: Math.floor(attentionCount / 3),
  version: 1,
})
