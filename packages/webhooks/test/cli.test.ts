import type { Database } from '@vertical-kit/core-audit/database'
import { runWebhooksCommand } from '@vertical-kit/webhooks'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, makeWebhooks, openDesk, startReceiver } from './harness.ts'

let desk: Desk
let database: Database
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
})
afterAll(() => desk.close())

async function run(...argv: readonly string[]) {
  const [output, errors]: [string[], string[]] = [[], []]
  const code = await runWebhooksCommand({
    ...{
      argv,
      operator: 'olga',
      write: (line) => output.push(line),
      writeError: (line) => errors.push(line),
    },
    environment: {
      DATABASE_URL: desk.url,
      Webhooks__AllowInsecureHttp: 'true',
      Webhooks__AllowPrivateAddresses: 'true',
    },
  })
  return { code, output: output.join('\n'), errors: errors.join('\n') }
}

test('an operator adds, lists, rotates, disables and enables an endpoint, and the list shows no secret', async () => {
  const receiver = await startReceiver()
  const added = await run('add', receiver.url, '--events', 'document.posted, document.deleted')
  expect(added.code).toBe(0)
  const [, id = ''] = /^Endpoint (\S+)$/m.exec(added.output) ?? []
  expect(added.output).toMatch(/^Secret {3}whsec_[\w+/=]{44}$/m)
  expect((await run('rotate', id)).output).toMatch(/^Secret {3}whsec_/)
  expect((await run('disable', id)).output).toBe(`${id} is disabled.`)
  const listed = await run('list')
  expect(listed.output).toContain(`${id}  http://127.0.0.1`)
  expect(listed.output).toContain(
    'document.posted,document.deleted  disabled  0 pending  0 dead  two secrets until',
  )
  for (const secret of ['whsec_', 'canary']) expect(listed.output).not.toContain(secret)
  expect((await run('enable', id)).code).toBe(0)
  const audit = await database.read((db) =>
    db.execute<{ action_code: string; metadata: unknown }>(sql`
      select action_code, metadata from core_audit.audit_events where target_id = ${id}::uuid order by id`),
  )
  expect(audit).toEqual(
    ['endpoint_added', 'secret_rotated', 'endpoint_disabled', 'endpoint_enabled'].map((action) => ({
      action_code: `webhooks.${action}`,
      metadata: { operator: 'olga' },
    })),
  )

  const webhooks = makeWebhooks(database)
  const event = await webhooks.append('document.posted')
  await webhooks.run()
  expect((await run('redeliver', event, '--endpoint', id)).output).toBe(
    `${event} will be sent to 1 endpoint(s).`,
  )
  await webhooks.send()
  expect(receiver.received).toHaveLength(2)
})

test.each<[readonly string[], number, string]>([
  [[], 2, 'A command is required.'],
  [['drop'], 2, 'drop requires one value.'],
  [['drop', 'x'], 2, 'Unknown command "drop".'],
  [['list', '--events', 'a'], 2, '--events belongs to add.'],
  [['add', 'https://example.com', '--endpoint', 'a'], 2, '--endpoint belongs to redeliver.'],
  [['add', 'ftp://example.com'], 1, 'Expected an https URL'],
  [['add', 'https://example.com', '--events', "a'b"], 1, 'Expected event types'],
  [['rotate', 'unknown'], 1, 'The endpoint does not exist.'],
  [['redeliver', 'unknown'], 1, 'No finished delivery'],
])('%o ends with status %i', async (argv, code, message) => {
  const result = await run(...argv)
  expect(result.code).toBe(code)
  expect(result.errors).toContain(message)
})

test('an invalid configuration ends with status 78', async () => {
  const errors: string[] = []
  const code = await runWebhooksCommand({
    ...{ argv: ['list'], operator: 'olga', writeError: (line) => errors.push(line) },
    environment: { Webhooks__Deadline: 'soon' },
  })
  expect(code).toBe(78)
  expect(errors.map((line) => line.split(':')[0])).toEqual(['DATABASE_URL', 'Webhooks__Deadline'])
})
