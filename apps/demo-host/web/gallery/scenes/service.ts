import type { DeadLetter, HealthReport } from '@vertical-kit/ui-client'
import { press, question } from '../act.ts'
import { type Answers, failing, forbidden, never, unreachable } from '../answers.ts'
import { daysAgo, everything, features, idOf, long, minutesAgo, page, several } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'

const letter = (number: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  ...{
    eventId: idOf(number),
    consumer: 'work-center',
    type: 'trade.invoice_posted',
    subject: `invoice/${number}`,
  },
  ...{ attempts: 8, deadSinceUtc: minutesAgo(number * 30), heldBackCount: number - 1 },
  lastError: 'The handler timed out after 30 s.',
  ...more,
})
const letters = [
  letter(1),
  letter(2, { lastError: null }),
  letter(3, { lastError: `Error: ${long.word.repeat(4)}`, type: `trade.${long.word}` }),
]
const consumer = (name: string, pendingCount: number, deadCount: number) => ({
  ...{ consumer: name, pendingCount, deadCount, oldestPendingAgeSeconds: pendingCount === 0 ? null : 93_784 },
})

const outbox: Answers = {
  ...everything,
  'GET /api/system/outbox': () => ({
    consumers: [consumer('work-center', 12, 3), consumer('webhooks', 0, 0)],
  }),
  'GET /api/system/outbox/dead-letters': () => page(letters),
  'GET /api/system/outbox/events/*': () => ({
    ...{
      id: idOf(1),
      type: 'trade.invoice_posted',
      source: 'trade',
      subject: 'invoice/1',
      appendedAtUtc: daysAgo(1),
    },
    ...{ correlationId: null, deliveries: [] },
    attempts: several(3, (attempt) => ({
      ...{
        consumer: 'work-center',
        attempt,
        startedAtUtc: minutesAgo(95 - 20 * attempt),
        endedAtUtc: minutesAgo(94 - 20 * attempt),
      },
      ...{ outcome: 'failed' as const, error: 'The handler timed out after 30 s.' },
    })),
  }),
}

export const outboxScenes = scenesOf(
  'vk-outbox',
  { answers: outbox },
  {
    loading: {
      title: 'Loading',
      answers: { 'GET /api/system/outbox': never, 'GET /api/system/outbox/dead-letters': never },
    },
    empty: {
      title: 'Everything is delivered',
      answers: {
        'GET /api/system/outbox': () => ({ consumers: [consumer('work-center', 0, 0)] }),
        'GET /api/system/outbox/dead-letters': () => page([]),
      },
    },
    few: { title: 'Dead letters' },
    attempts: { title: 'The attempts of a delivery', setup: ({ element }) => press(element, 'li button') },
    discard: {
      title: 'Discarding an event',
      setup: async ({ element }) => {
        await press(element, 'li button:last-of-type')
        await question(element)
      },
    },
    failed: {
      title: 'Loading failed',
      answers: { 'GET /api/system/outbox': failing, 'GET /api/system/outbox/dead-letters': failing },
    },
    refused: {
      title: 'The user is no administrator',
      answers: { 'GET /api/system/outbox': forbidden, 'GET /api/system/outbox/dead-letters': forbidden },
    },
  },
)

const healthy: HealthReport = {
  status: 'Healthy',
  entries: {
    database: { status: 'Healthy', durationMs: 2 },
    outbox: {
      status: 'Healthy',
      durationMs: 4,
      pendingCount: 0,
      failedCount: 0,
      oldestPendingAgeSeconds: null,
    },
  },
}
const unhealthy: HealthReport = {
  status: 'Unhealthy',
  entries: {
    database: { status: 'Unhealthy', durationMs: 5_000, detail: long.words },
    outbox: {
      status: 'Degraded',
      durationMs: 31,
      pendingCount: 1_234_567,
      failedCount: 89,
      oldestPendingAgeSeconds: 93_784,
    },
    [long.word]: { status: 'Healthy', durationMs: 1 },
  },
}

export const statusScenes = scenesOf(
  'vk-status',
  {
    answers: {
      'GET /health': () => healthy,
      'GET /api/features': () => features,
      'GET /openapi.json': () => ({
        openapi: '3.1.0',
        info: { title: 'Trade', version: '2.0.0' },
        paths: {},
      }),
    },
  },
  {
    loading: { title: 'Loading', answers: { 'GET /health': never } },
    few: { title: 'Healthy' },
    many: { title: 'Unhealthy, with a long detail', answers: { 'GET /health': () => unhealthy } },
    failed: { title: 'Loading failed', answers: { 'GET /health': failing } },
    offline: { title: 'The service cannot be reached', answers: { 'GET /health': unreachable } },
  },
)
