import type { MailSettings, Preference } from '@vertical-kit/ui-client'
import { type Answers, failing, never, refused, unreachable } from '../answers.ts'
import { long, several } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'

const preference = (code: string, more: Partial<Preference> = {}): Preference => ({
  ...{ code: `trade.${code}`, kind: 'Task', displayName: 'Collect payment', category: 'Receivables' },
  description: 'An invoice is posted and its payment is due.',
  channel: 'InApp',
  ...{ isEnabled: true, defaultEnabled: true, userCanDisable: true, isMandatory: false },
  ...more,
})

const channels = (code: string, more: Partial<Preference> = {}): Preference[] => [
  preference(code, more),
  preference(code, { ...more, channel: 'Email', isEnabled: false, isMandatory: false }),
]

const few = [
  ...channels('collect'),
  ...channels('approve', { displayName: 'Approve write-off', isMandatory: true }),
  ...channels('settled', {
    kind: 'Notification',
    displayName: 'Invoice settled',
    category: 'Sales',
    isEnabled: false,
  }),
]
const many = [
  ...channels('long', { displayName: long.words, description: long.words, category: long.word }),
  ...channels('arabic', { displayName: long.arabic, description: long.hebrew }),
  ...several(8, (number) => channels(`more_${number}`, { displayName: `Item ${number}` })).flat(),
]

const daily: MailSettings = { delivery: 'Daily', timeZone: 'Europe/Berlin', dailyHour: 7 }
const first = few[0]?.code ?? ''

const shared: Answers = {
  'GET /api/me/notification-preferences': () => few,
  'GET /api/me/mail-settings': () => daily,
}

export const preferencesScenes = scenesOf(
  'vk-preferences',
  { answers: shared },
  {
    loading: {
      title: 'Loading',
      answers: { 'GET /api/me/notification-preferences': never, 'GET /api/me/mail-settings': never },
    },
    empty: {
      title: 'No preferences',
      answers: {
        'GET /api/me/notification-preferences': () => [],
        'GET /api/me/mail-settings': refused(
          404,
          'request.route_not_found',
          'No route matches this address.',
        ),
      },
    },
    few: { title: 'Two channels, and a mandatory item' },
    many: { title: 'Long names and texts', answers: { 'GET /api/me/notification-preferences': () => many } },
    failed: { title: 'Loading failed', answers: { 'GET /api/me/notification-preferences': failing } },
    offline: {
      title: 'The service cannot be reached',
      answers: {
        'GET /api/me/notification-preferences': unreachable,
        'GET /api/me/mail-settings': unreachable,
      },
    },
    saving: {
      title: 'Saving a choice',
      answers: { 'PUT /api/me/notification-preferences': never },
      setup: ({ element }) => void element.store?.set(first, { isEnabled: false, channel: 'InApp' }),
    },
    'row-failed': {
      title: 'A choice was refused',
      answers: {
        'PUT /api/me/notification-preferences': refused(
          409,
          'work_center.preference_mandatory',
          'This preference cannot be turned off.',
        ),
      },
      setup: ({ element }) => element.store?.set(first, { isEnabled: false, channel: 'InApp' }),
    },
  },
)
