import { newId } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requireSettable } from '../../src/commands/set-preferences.ts'
import type { Preference } from '../../src/contract.ts'
import { auditorsOnly, collectPayment, digest, settled, writtenOff } from '../definitions.ts'
import { expectJson, type InboxHost, openInboxHost, refusalOf } from '../harness.ts'
import { addTask, entriesOf, versions } from '../items.ts'
import { addPerson, deactivate, type Person, takeRole } from '../people.ts'
import { enabledOf, list, path } from '../preferences.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
})

interface Change {
  readonly code: string
  readonly channel?: string
  readonly isEnabled: boolean
}

const put = ({ request }: Person, ...changes: readonly Change[]): Promise<Response> =>
  request('PUT', path, { body: { preferences: changes.map((change) => ({ channel: 'InApp', ...change })) } })

const set = async (person: Person, ...changes: readonly Change[]): Promise<readonly Preference[]> =>
  expectJson<Preference[]>(await put(person, ...changes))

const rowsOf = ({ userId }: Person) =>
  host.database.read((db) =>
    db.execute<{ code: string; channel: string; is_enabled: boolean }>(sql`
      select code, channel, is_enabled from work_center.preferences where user_id = ${userId}::uuid order by code`),
  )

describe('setting preferences', () => {
  test('is refused for a definition that only a role of the token has, because nobody sends items to it', () => {
    const caller = { roles: [{ id: newId(), code: 'trade.clerk', name: 'Clerk', source: 'token' }] }
    const change = { code: collectPayment.code, channel: 'InApp', isEnabled: false } as const
    expect(() => requireSettable([collectPayment], caller as unknown as Caller, [change])).toThrow(
      expect.objectContaining({ code: 'work_center.preference_not_applicable' }),
    )
  })

  test('responds with 200 and the same preferences as the next GET', async () => {
    const answer = await set(
      clerk,
      { code: collectPayment.code, isEnabled: false },
      { code: digest.code, isEnabled: true },
    )
    expect(enabledOf(answer)).toMatchObject({ [collectPayment.code]: false, [digest.code]: true })
    expect(await list(clerk)).toEqual(answer)
    expect(await rowsOf(clerk)).toEqual([
      { code: collectPayment.code, channel: 'InApp', is_enabled: false },
      { code: digest.code, channel: 'InApp', is_enabled: true },
    ])
  })

  test('does not change preferences that are not listed, and a repeated request changes nothing', async () => {
    await set(clerk, { code: settled.code, isEnabled: false })
    const answer = await set(clerk, { code: digest.code, isEnabled: true })
    expect(enabledOf(answer)).toMatchObject({ [settled.code]: false, [digest.code]: true })
    expect(await set(clerk, { code: digest.code, isEnabled: true })).toEqual(answer)
    expect(await set(clerk)).toEqual(answer)
    expect(enabledOf(await set(clerk, { code: settled.code, isEnabled: true }))[settled.code]).toBe(true)
  })

  test('affects only the preferences of the caller, and raises no version', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const before = [await list(colleague), await versions(host.database)]
    await set(clerk, { code: settled.code, isEnabled: false })
    expect([await list(colleague), await versions(host.database)]).toEqual(before)
  })

  test('excludes users from a kind of task only if they have switched this kind off', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    await set(clerk, { code: collectPayment.code, isEnabled: false })
    await set(colleague, { code: settled.code, isEnabled: false })
    const recipients = (await entriesOf(host.database, await addTask(host.database))).map(
      (row) => row.user_id,
    )
    expect(recipients).toContain(colleague.userId)
    expect(recipients).not.toContain(clerk.userId)
  })

  test('accepts that a mandatory preference is switched on', async () => {
    const answer = await set(clerk, { code: writtenOff.code, isEnabled: true })
    expect(enabledOf(answer)).toMatchObject({ [writtenOff.code]: true })
  })

  test.each([
    ['an unknown code', { code: 'trade.nothing', isEnabled: true }, 400, 'preference_unknown'],
    ['a code in another case', { code: 'Trade.digest', isEnabled: true }, 400, 'preference_unknown'],
    ['a code with U+0000', { code: 'trade.digest\0', isEnabled: true }, 400, 'preference_unknown'],
    [
      'an unknown channel',
      { code: digest.code, channel: 'Email', isEnabled: true },
      400,
      'preference_unknown',
    ],
    [
      'a channel in another case',
      { code: digest.code, channel: 'inapp', isEnabled: true },
      400,
      'preference_unknown',
    ],
    [
      'a preference of other roles',
      { code: auditorsOnly.code, isEnabled: true },
      403,
      'preference_not_applicable',
    ],
    [
      'a preference of other roles that is switched off',
      { code: auditorsOnly.code, isEnabled: false },
      403,
      'preference_not_applicable',
    ],
    [
      'a mandatory preference that is switched off',
      { code: writtenOff.code, isEnabled: false },
      409,
      'preference_mandatory',
    ],
  ])('is refused for %s, and no change of the request is written', async (_what, change, status, code) => {
    const good = { code: settled.code, isEnabled: false }
    for (const changes of [[change], [good, change], [change, good]]) {
      expect(await refusalOf(await put(clerk, ...changes))).toMatchObject({
        status,
        code: `work_center.${code}`,
        context: { code: change.code },
      })
    }
    expect(await rowsOf(clerk)).toEqual([])
  })

  test('responds with 403 to a caller without a user record, and creates no record', async () => {
    const subject = newId()
    const request = await host.as({ subject })
    const response = await put({ ...clerk, request }, { code: settled.code, isEnabled: false })
    expect(await refusalOf(response)).toMatchObject({
      status: 403,
      code: 'work_center.preference_not_applicable',
    })
    const records = await host.database.read((db) =>
      db.execute(sql`select id from core_audit.users where subject = ${subject}`),
    )
    expect([...records]).toEqual([])
  })

  test('reports unknown preferences first and mandatory preferences last', async () => {
    const off = (code: string) => ({ code, isEnabled: false })
    const codeOf = async (...codes: readonly string[]) =>
      (await refusalOf(await put(clerk, ...codes.map(off)))).code
    expect(await codeOf(writtenOff.code, auditorsOnly.code, 'trade.nothing')).toBe(
      'work_center.preference_unknown',
    )
    expect(await codeOf(writtenOff.code, auditorsOnly.code)).toBe('work_center.preference_not_applicable')
  })

  test('responds with 400 request.invalid if a preference is listed twice', async () => {
    const changes = [true, false].map((isEnabled) => ({ code: digest.code, isEnabled }))
    expect(await refusalOf(await put(clerk, ...changes))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'preferences.1' }],
    })
  })

  test('checks up to 500 entries, and rejects 501 entries with request.invalid', async () => {
    const many = (length: number) =>
      Array.from({ length }, (_, index) => ({ code: `trade.unknown_${index}`, isEnabled: true }))
    expect((await refusalOf(await put(clerk, ...many(500)))).code).toBe('work_center.preference_unknown')
    expect(await refusalOf(await put(clerk, ...many(501)))).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'preferences' }],
    })
  })

  test.each([
    [{}, 'preferences'],
    [{ preferences: null }, 'preferences'],
    [{ preferences: {} }, 'preferences'],
    [{ preferences: [null] }, 'preferences.0'],
    [{ preferences: [{ channel: 'InApp', isEnabled: true }] }, 'preferences.0.code'],
    [{ preferences: [{ code: 'trade.digest', isEnabled: true }] }, 'preferences.0.channel'],
    [{ preferences: [{ code: 'trade.digest', channel: 'InApp' }] }, 'preferences.0.isEnabled'],
    [
      { preferences: [{ code: 'trade.digest', channel: 'InApp', isEnabled: 'yes' }] },
      'preferences.0.isEnabled',
    ],
  ])('responds with 400 request.invalid to the body %j', async (body, errorPath) => {
    expect(await refusalOf(await clerk.request('PUT', path, { body }))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: errorPath }],
    })
  })

  test('cannot change the preferences of another user', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const change = { code: settled.code, channel: 'InApp', isEnabled: false, userId: colleague.userId }
    await expectJson(
      await clerk.request('PUT', path, { body: { userId: colleague.userId, preferences: [change] } }),
    )
    expect(await rowsOf(colleague)).toEqual([])
    expect(await rowsOf(clerk)).toHaveLength(1)
  })
})

describe('concurrent changes of preferences', () => {
  test.each([
    [
      'lost the role',
      () => takeRole(host.database, clerk, 'trade.clerk'),
      'work_center.preference_not_applicable',
    ],
    ['been deactivated', () => deactivate(host.database, clerk), 'auth.inactive'],
  ])('are rolled back if the user has %s during the wait for a lock', async (_right, revoke, code) => {
    await set(clerk, { code: settled.code, isEnabled: true })
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`select from work_center.preferences where user_id = ${clerk.userId}::uuid for update`),
    )
    const answer = put(
      clerk,
      { code: settled.code, isEnabled: false },
      { code: digest.code, isEnabled: true },
    )
    await untilBlocked(host.database)
    await revoke()
    await held.commit()
    expect(await refusalOf(await answer)).toMatchObject({ status: 403, code })
    expect(await rowsOf(clerk)).toEqual([{ code: settled.code, channel: 'InApp', is_enabled: true }])
  })

  test('lock rows in the order of their keys, so that two requests never deadlock', async () => {
    const codes = [collectPayment, digest, settled].map(({ code }) => code)
    await set(clerk, ...codes.map((code) => ({ code, isEnabled: true })))
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`
        select from work_center.preferences
        where user_id = ${clerk.userId}::uuid and code = ${collectPayment.code}
        for update`),
    )
    const answer = set(clerk, ...codes.toReversed().map((code) => ({ code, isEnabled: false })))
    await untilBlocked(host.database)
    const free = await host.database.transaction((tx) =>
      tx.execute(sql`
        select code from work_center.preferences
        where user_id = ${clerk.userId}::uuid
        order by code
        for update skip locked`),
    )
    expect(free).toEqual([{ code: digest.code }, { code: settled.code }])
    await held.commit()
    expect(enabledOf(await answer)).toMatchObject({ [collectPayment.code]: false, [settled.code]: false })
  })
})
