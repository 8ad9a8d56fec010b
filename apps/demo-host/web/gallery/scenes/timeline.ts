import type { ActivityEntry, AuditEvent, References } from '@vertical-kit/ui-client'
import { press, type } from '../act.ts'
import { failing, forbidden, inTurn, never, refused, unreachable } from '../answers.ts'
import { everything, idOf, invoice, long, minutesAgo, page, people, several } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'

export const auditEvent = (number: number, more: Partial<AuditEvent> = {}): AuditEvent => ({
  id: idOf(number),
  target: invoice,
  actionCode: 'update',
  occurredAtUtc: minutesAgo(number * 200),
  actor: { ...people.carl, email: 'carl@example.com' },
  correlationId: 'req-1',
  metadata: null,
  changes: [],
  download: null,
  ...more,
})

const change = (fieldPath: string, oldValue: unknown, newValue: unknown) => ({
  fieldPath,
  oldValue,
  newValue,
})

const few = [
  auditEvent(1, { actionCode: 'post', changes: [change('status', 'Draft', 'Posted')] }),
  auditEvent(2, {
    changes: [
      change('fields.dueDate', '2026-03-01', '2026-03-31'),
      change('fields.customerId', idOf(80), idOf(81)),
      change('fields.paid', false, true),
    ],
  }),
  auditEvent(8, {
    actionCode: 'attachments.upload_completed',
    metadata: { fileName: 'contract.pdf', sizeBytes: 120_000 },
    download: { attachmentId: idOf(60) },
  }),
  auditEvent(14, { actionCode: 'create', actor: null }),
]

const references: References = {
  [idOf(80)]: {
    display: 'Bright Bikes Ltd',
    target: { code: 'trade.customer', parameters: { id: idOf(80) } },
  },
  [idOf(81)]: { display: people.long.displayName, target: null },
  [invoice.id]: { display: 'SI-2026-0042', target: { code: invoice.typeCode, parameters: {} } },
}

const many = [
  auditEvent(1, {
    actor: { ...people.long, email: null },
    changes: [change('fields.text', `${long.words}. `.repeat(8), long.word.repeat(3))],
  }),
  auditEvent(2, {
    actor: { ...people.arabic, email: null },
    changes: [change('fields.text', long.hebrew, long.arabic)],
  }),
  auditEvent(3, {
    actionCode: `trade.${long.word}`,
    changes: [
      change('fields.total', '12.00', '98765432109876.54'),
      change(`fields.${long.word}`, null, long.word),
    ],
  }),
  ...several(15, (number) =>
    auditEvent(number + 3, { changes: [change('fields.quantity', number, number + 1)] }),
  ),
]

const activity: ActivityEntry[] = few.slice(0, 2).map((event) => ({
  ...{ type: 'audit', id: event.id, occurredAtUtc: event.occurredAtUtc, actor: event.actor },
  event,
}))

const answer =
  (items: AuditEvent[], nextCursor: string | null = null) =>
  () => ({
    ...page(items, nextCursor),
    references,
  })

export const timelineScenes = scenesOf(
  'vk-audit-timeline',
  {
    answers: {
      ...everything,
      'GET /api/audit/events': answer(few),
      'GET /api/audit/search': answer(few, 'next'),
      'GET /api/business-objects/activity': () => ({ ...page(activity), references }),
    },
    properties: { target: invoice },
  },
  {
    loading: { title: 'Loading', answers: { 'GET /api/audit/events': never } },
    empty: { title: 'No events', answers: { 'GET /api/audit/events': answer([]) } },
    few: { title: 'Changes, names and a file' },
    many: { title: 'Long values and names', answers: { 'GET /api/audit/events': answer(many, 'next') } },
    expanded: {
      title: 'A long value in full',
      answers: { 'GET /api/audit/events': answer(many) },
      setup: ({ element }) => press(element, 'dd button'),
    },
    filtered: {
      title: 'No event matches the filters',
      answers: { 'GET /api/business-objects/activity': () => ({ ...page([]), references: {} }) },
      setup: ({ element }) => type(element, 'select', 'notes'),
    },
    all: { title: 'The audit log of all objects', properties: { allObjects: true } },
    failed: { title: 'Loading failed', answers: { 'GET /api/audit/events': failing } },
    offline: { title: 'The service cannot be reached', answers: { 'GET /api/audit/events': unreachable } },
    refused: { title: 'The user may not read the history', answers: { 'GET /api/audit/events': forbidden } },
    'export-failed': {
      title: 'The export was refused',
      answers: {
        'GET /api/audit/events': inTurn(
          answer(few),
          refused(429, 'request.rate_limited', 'Too many requests. Try again later.'),
        ),
      },
      setup: ({ element }) => press(element, '.filters button'),
    },
  },
)
