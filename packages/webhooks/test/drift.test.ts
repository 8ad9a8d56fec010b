import { schemaDrift } from '@vertical-kit/core-audit/testing'
import * as webhooks from '@vertical-kit/webhooks'
import * as internal from '@vertical-kit/webhooks/schema/internal'
import { expect, onTestFinished, test } from 'vitest'
import { openDesk } from './harness.ts'

test('the Drizzle tables match the migrated database', async () => {
  const desk = await openDesk()
  onTestFinished(() => desk.close())
  expect(await schemaDrift(desk.url, { ...internal })).toEqual([])
})

test('the package exports exactly these names', () => {
  expect(Object.keys(webhooks).toSorted()).toEqual([
    'WebhooksError',
    'createWebhooks',
    'readWebhooksConfig',
    'runWebhooksCommand',
    'webhooksDefaults',
    'webhooksExitCodes',
    'webhooksMigrations',
  ])
  expect(Object.keys(internal).toSorted()).toEqual(['deliveries', 'endpoints', 'webhooksSchema'])
})
