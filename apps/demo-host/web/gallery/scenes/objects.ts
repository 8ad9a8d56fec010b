import { feedbackStore } from '@vertical-kit/ui-client/stores'
import { part, press, until } from '../act.ts'
import { inTurn, never, refused } from '../answers.ts'
import { everything, invoice, long, minutesAgo, page, people } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'
import { auditEvent } from './timeline.ts'

/** Answers with an old event first, then with a new one. The ids of events sort by time. */
const changedBy = (person: { userId: string; displayName: string }) => {
  const changed = { actionCode: 'post', occurredAtUtc: minutesAgo(2), actor: { ...person, email: null } }
  return inTurn(
    () => ({ ...page([auditEvent(1, { occurredAtUtc: minutesAgo(60) })]), references: {} }),
    () => ({ ...page([auditEvent(2, changed)]), references: {} }),
  )
}

export const followScenes = scenesOf(
  'vk-follow',
  {
    answers: { 'GET /api/business-objects/watch': () => ({ isWatching: false }) },
    properties: { target: invoice },
  },
  {
    off: { title: 'Not followed' },
    on: { title: 'Followed', answers: { 'GET /api/business-objects/watch': () => ({ isWatching: true }) } },
    failed: {
      title: 'A change failed',
      answers: {
        'PUT /api/business-objects/watch': refused(
          404,
          'business_object.not_found',
          'The object does not exist.',
        ),
      },
      setup: async ({ element }) => {
        await press(element, 'button')
        await part(element, '[role="alert"]')
      },
    },
  },
)

export const liveObjectScenes = scenesOf(
  'vk-live-object',
  { answers: everything, properties: { target: invoice } },
  {
    loading: {
      title: 'No change is known yet: renders nothing',
      answers: { 'GET /api/audit/events': never },
    },
    changed: {
      title: 'Another user has changed the object',
      answers: { 'GET /api/audit/events': changedBy(people.carl) },
      setup: ({ element }) => returnOnline(element),
    },
    long: {
      title: 'A user with a long name has changed the object',
      answers: { 'GET /api/audit/events': changedBy(people.long) },
      setup: ({ element }) => returnOnline(element),
    },
  },
)

/** Makes the store look for changes, as after a lost connection. */
async function returnOnline(element: Element): Promise<void> {
  dispatchEvent(new Event('online'))
  await until('change', () => element.shadowRoot?.querySelector('.banner'))
}

export const toastsScenes = scenesOf(
  'vk-toasts',
  {},
  {
    few: {
      title: 'A message',
      setup: ({ session }) => feedbackStore(session).announce({ text: 'Note saved.' }),
    },
    undo: {
      title: 'A deletion that can be undone',
      setup: ({ session }) => feedbackStore(session).announce({ text: 'Note deleted.', undo: () => {} }),
    },
    failed: {
      title: 'A failure',
      setup: ({ session }) =>
        feedbackStore(session).announce({ text: 'The note was not deleted.', tone: 'failure' }),
    },
    many: {
      title: 'Several long messages',
      setup: ({ session }) => {
        for (const text of [`“${long.word}.pdf” deleted.`, long.words, long.arabic])
          feedbackStore(session).announce({ text, undo: () => {} })
      },
    },
  },
)
