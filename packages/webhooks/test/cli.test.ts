import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Database } from '@vertical-kit/core-audit/database'
import { runWebhooksCommand } from '@vertical-kit/webhooks'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, local, makeWebhooks, openDesk, startReceiver } from './harness.ts'

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
      // Nothing listens on port 9: the command connects directly, and not with the settings of the pooler.
      DATABASE_URL: 'postgres://host@127.0.0.1:9/host',
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: desk.url,
      Webhooks__AllowInsecureHttp: 'true',
      Webhooks__AllowPrivateAddresses: 'true',
    },
  })
  return { code, output: output.join('\n'), errors: errors.join('\n') }
}

/** Runs a command in its own process, with another standard output. */
async function runInProcess(output: number | 'closed', argv: readonly string[]) {
  const script = `
    import { runWebhooksCommand } from '@vertical-kit/webhooks'
    const { argv, env: environment } = process
    process.exitCode = await runWebhooksCommand({ argv: argv.slice(1), environment, operator: 'olga' })`
  const options = [
    '--conditions=@vertical-kit/source',
    '--input-type=module',
    '--eval',
    script,
    '--',
    ...argv,
  ]
  const child = spawn(process.execPath, options, {
    cwd: import.meta.dirname,
    env: { DATABASE_URL: desk.url },
    stdio: ['ignore', output === 'closed' ? 'pipe' : output, 'pipe'],
  })
  child.stdout?.destroy()
  const [[status], stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stderr ?? Readable.from([])),
  ])
  return { status, stderr }
}

/** Returns the audit events of an endpoint, the oldest first. */
const auditOf = (id: string) =>
  database.read((db) =>
    db.execute<{ action_code: string; metadata: unknown }>(sql`
      select action_code, metadata from core_audit.audit_events where target_id = ${id}::uuid order by id`),
  )

test('an operator adds, lists, rotates, disables and enables an endpoint, and the list shows no secret', async () => {
  const receiver = await startReceiver()
  const added = await run('add', receiver.url, '--events', 'document.posted, document.deleted')
  expect(added.code).toBe(0)
  const [, id = ''] = /^Endpoint (\S+)$/m.exec(added.output) ?? []
  expect(added.output).toMatch(/^Secret {3}whsec_[\w+/=]{44}$/m)
  expect(added.output).toMatch(/^Events {3}document\.posted,document\.deleted$/m)
  expect((await run('rotate', id)).output).toMatch(/^Secret {3}whsec_/)
  expect((await run('disable', id)).output).toBe(`${id} is disabled.`)
  const listed = await run('list')
  expect(listed.output).toContain(`${id}  http://127.0.0.1`)
  expect(listed.output).toContain(
    'document.posted,document.deleted  disabled  0 pending  0 dead  two secrets until',
  )
  for (const secret of ['whsec_', 'canary']) expect(listed.output).not.toContain(secret)
  // A repetition changes nothing, so it has no audit event.
  expect((await run('disable', id)).output).toBe(`${id} is disabled.`)
  expect((await run('enable', id)).code).toBe(0)
  expect((await run('enable', id)).code).toBe(0)
  expect(await auditOf(id)).toEqual(
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
  const redelivered = {
    action_code: 'webhooks.redelivered',
    metadata: { eventId: event, count: 1, operator: 'olga' },
  }
  expect((await auditOf(id)).at(-1)).toEqual(redelivered)
})

test('an operator sends the dead letters of an endpoint again, and discards them with an audited reason', async () => {
  const refusing = await startReceiver((response) => void response.writeHead(503).end())
  const endpoints: string[] = []
  for (let count = 0; count < 2; count += 1) {
    const { output } = await run('add', refusing.url, '--events', 'document.lost')
    endpoints.push(/^Endpoint (\S+)$/m.exec(output)?.[1] ?? '')
  }
  const [first = '', second = ''] = endpoints
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 1 })
  const event = await webhooks.append('document.lost')
  await webhooks.append('document.lost')
  await webhooks.run()
  const sent = { code: 0, output: '2 dead letter(s) will be sent again.', errors: '' }
  expect(await run('redeliver', '--dead', '--endpoint', first.toUpperCase())).toEqual(sent)
  expect((await auditOf(first)).at(-1)).toEqual({
    action_code: 'webhooks.redelivered',
    metadata: { count: 2, operator: 'olga' },
  })
  await webhooks.send()
  expect(refusing.received).toHaveLength(6)

  const lines = (await run('list')).output.split('\n').filter((line) => line.startsWith('dead'))
  expect(lines).toHaveLength(4)
  const line = lines.find((one) => one.includes(event) && one.includes(first)) ?? ''
  expect(line).toContain('status from 200 to 299. (status 503)')
  expect(line).not.toContain('node:')
  const [, delivery = ''] = /^dead {2}(\S+) {2}event /.exec(line) ?? []
  const yesterday = sql`update webhooks.deliveries set state_since = now() - interval '1 day'`
  await database.statement((tx) => tx.execute(yesterday))
  const discard = (...which: readonly string[]) => run('discard', ...which, '--reason', 'the order is void')
  expect((await discard(delivery)).output).toBe('1 dead letter(s) are discarded.')
  expect((await discard('--endpoint', second)).output).toBe('2 dead letter(s) are discarded.')
  expect((await discard('--all')).output).toBe('1 dead letter(s) are discarded.')
  expect((await discard('--all')).output).toBe('There are no dead letters.')
  // Their retention begins with the decision.
  const skipped = await database.read((db) =>
    db.execute(sql`
      select from webhooks.deliveries where state = 'skipped' and state_since > now() - interval '1 hour'`),
  )
  expect(skipped).toHaveLength(4)
  expect(await discard(delivery)).toMatchObject({ code: 1, errors: 'The dead letter does not exist.' })
  expect((await run('list')).output).not.toContain('document.lost  for')
  const audit = await database.read((db) =>
    db.execute<{ target_id: string; metadata: unknown }>(sql`
      select target_id, metadata
      from core_audit.audit_events
      where action_code = 'webhooks.dead_letters_discarded'
      order by id`),
  )
  const by = { operator: 'olga', reason: 'the order is void' }
  expect(audit).toEqual([
    { target_id: first, metadata: { ...by, count: 1, deliveryId: delivery } },
    { target_id: second, metadata: { ...by, count: 2 } },
    { target_id: first, metadata: { ...by, count: 1 } },
  ])
})

test('list shows the newest 50 dead letters, and all of them with --all', async () => {
  const { output } = await run('add', 'https://example.com/', '--events', 'document.none')
  const [, endpoint = ''] = /^Endpoint (\S+)$/m.exec(output) ?? []
  await database.statement((tx) =>
    tx.execute(sql`
      insert into webhooks.deliveries (id, endpoint_id, event_id, event_type, body, state, state_since)
      select gen_random_uuid(), ${endpoint}::uuid, lpad(minute::text, 32, '0')::uuid, 'document.none', '{}', 'dead',
        now() - minute * interval '1 minute'
      from generate_series(1, 51) minute`),
  )
  await database.statement((tx) =>
    tx.execute(sql`
      insert into webhooks.deliveries (id, endpoint_id, event_id, event_type, body)
      select gen_random_uuid(), ${endpoint}::uuid, gen_random_uuid(), 'document.none', '{}'`),
  )
  const dead = (text: string) => text.split('\n').filter((line) => line.startsWith('dead')).length
  const newest = (await run('list')).output
  expect(dead(newest)).toBe(50)
  expect(newest).toContain('… the newest 50 of 51 dead letters')
  expect(newest).not.toContain('000000000051  document.none')
  const pending = newest.split('\n').filter((line) => line.includes(' 1 pending '))
  expect(pending).toEqual([expect.stringMatching(`^${endpoint} .* 1 pending {2}51 dead$`)])
  expect(dead((await run('list', '--all')).output)).toBe(51)
  await run('discard', '--all', '--reason', 'end of the test')
})

test('a second rotation within 24 hours is refused without --force, because it would end the secret in use', async () => {
  const { output } = await run('add', 'https://example.com/')
  expect(output).toMatch(/^Events {3}all events$/m)
  const [, id = ''] = /^Endpoint (\S+)$/m.exec(output) ?? []
  const [, original = ''] = /^Secret {3}(\S+)$/m.exec(output) ?? []
  const secrets = async () => {
    const [row] = await database.read((db) =>
      db.execute<{ secret: string; previous_secret: string; hours: number }>(sql`
        select secret, previous_secret,
          round(extract(epoch from previous_until - statement_timestamp()) / 3600)::int as hours
        from webhooks.endpoints where id = ${id}::uuid`),
    )
    return row
  }
  expect((await run('rotate', id)).code).toBe(0)
  const rotated = await secrets()
  expect(rotated).toMatchObject({ previous_secret: original, hours: 24 })
  expect(await run('rotate', id)).toMatchObject({ code: 1, errors: expect.stringContaining('--force') })
  expect(await secrets()).toEqual(rotated)
  expect((await run('rotate', id, '--force')).code).toBe(0)
  expect((await secrets())?.previous_secret).toBe(rotated?.secret)
  await database.statement((tx) =>
    tx.execute(sql`update webhooks.endpoints set previous_until = now() where id = ${id}::uuid`),
  )
  const line = (await run('list')).output.split('\n').find((one) => one.startsWith(id))
  expect(line).toMatch(/ 0 dead$/)
  expect((await run('rotate', id)).code).toBe(0)
})

test.each<[readonly string[], number, string]>([
  [[], 2, 'A command is required.'],
  [['rotate'], 2, 'rotate requires one value.'],
  [['add', 'https://example.com', '--events', 'a', '--events', 'b'], 2, '--events can be given only once.'],
  [['rotate', 'a', 'b'], 2, 'rotate requires one value.'],
  [['drop', 'x'], 2, 'Unknown command "drop".'],
  [['list', '--events', 'a'], 2, 'list does not accept --events.'],
  [['add', 'https://example.com', '--endpoint', 'a'], 2, 'add does not accept --endpoint.'],
  [['add', 'https://example.com', '--events', ''], 2, '--events names no type.'],
  [['add', 'https://example.com', '--events', ' ,'], 2, '--events names no type.'],
  [['redeliver', '--dead'], 2, 'redeliver --dead requires only --endpoint.'],
  [['discard', '--reason', 'x'], 2, 'discard requires the id of one delivery, --endpoint or --all.'],
  [['discard', 'x', '--all', '--reason', 'x'], 2, 'discard requires the id of one delivery'],
  [['discard', '--all'], 2, '--reason "…" is required.'],
  [['discard', '--all', '--reason', 'a'.repeat(1_001)], 2, '--reason: at most 1000 characters'],
  [['discard', '--endpoint', 'unknown', '--reason', '👍'.repeat(1_000)], 1, 'The endpoint does not exist.'],
  [['discard', '--endpoint', 'unknown', '--reason', 'x'], 1, 'The endpoint does not exist.'],
  [['redeliver', '--dead', '--endpoint', 'unknown'], 1, 'The endpoint does not exist.'],
  [['add', 'ftp://example.com'], 2, 'Expected an https URL'],
  [['add', 'https://example.com', '--events', "a.b,a'b"], 2, 'Expected event types'],
  [['add', 'https://example.com', '--events', 'a.'], 2, 'Expected event types'],
  [['disable', 'unknown'], 1, 'The endpoint does not exist.'],
  [['rotate', 'unknown'], 1, 'The endpoint does not exist.'],
  [['redeliver', 'unknown'], 1, 'No finished delivery'],
])('%o ends with status %i', async (argv, code, message) => {
  const result = await run(...argv)
  expect(result.code).toBe(code)
  expect(result.errors).toContain(message)
})

test.each(['https://10.1.2.3/', 'https://[::1]:8443/', 'https://localhost/', 'https://127.1/'])(
  'the private address %s is refused unless the configuration allows it',
  async (url) => {
    const errors: string[] = []
    const add = (environment: Readonly<Record<string, string>>) =>
      runWebhooksCommand({
        ...{ argv: ['add', url], operator: 'olga', write: () => {}, writeError: (line) => errors.push(line) },
        environment: { DATABASE_URL: desk.url, ...environment },
      })
    expect(await add({})).toBe(1)
    expect(errors).toEqual([expect.stringContaining('address that is not public')])
    expect(await add({ Webhooks__AllowPrivateAddresses: 'true' })).toBe(0)
  },
)

test('an endpoint without TLS is refused unless the configuration allows it', async () => {
  const add = (environment: Readonly<Record<string, string>>) =>
    runWebhooksCommand({
      ...{ argv: ['add', 'http://example.com/'], operator: 'olga', write: () => {}, writeError: () => {} },
      environment: { DATABASE_URL: desk.url, ...environment },
    })
  expect(await add({})).toBe(2)
  expect(await add({ Webhooks__AllowInsecureHttp: 'true' })).toBe(0)
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

test.each([
  ['ENOSPC', 'a full disk', () => openSync('/dev/full', 'w')],
  ['EPIPE', 'a reader that has ended', () => 'closed' as const],
])(
  'a secret that cannot be printed (%s, %s) is not valid, and changes nothing',
  async (code, _reason, open) => {
    const url = `https://${code.toLowerCase()}.example`
    const failed = { status: 1, stderr: `Standard output cannot be written (${code}).\n` }
    expect(await runInProcess(open(), ['add', url])).toEqual(failed)
    const [, id = ''] = /^Endpoint (\S+)$/m.exec((await run('add', url)).output) ?? []
    expect(await runInProcess(open(), ['rotate', id])).toEqual(failed)
    const endpoints = await database.read((db) =>
      db.execute(sql`select id, previous_secret from webhooks.endpoints where url like ${`${url}%`}`),
    )
    expect(endpoints).toEqual([{ id, previous_secret: null }])
    expect(await auditOf(id)).toHaveLength(1)
  },
)
