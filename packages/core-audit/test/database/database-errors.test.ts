import { brokenConstraint, CoreError, newId } from '@vertical-kit/core-audit'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseErrorCode, translateDatabaseError } from '../../src/database/database-errors.ts'
import { openDatabase, openPool } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

const addUser = (subject: string) =>
  openPool(fresh.url).statement((tx) =>
    tx.execute(sql`
      insert into core_audit.users (id, subject, display_name) values (${newId()}, ${subject}, 'Somebody')`),
  )

test('brokenConstraint returns the name of the violated constraint', async () => {
  await addUser('twice')
  expect(brokenConstraint(await failureOf(addUser('twice')))).toBe('users_subject_key')
  expect(brokenConstraint(await failureOf(addUser('')))).toBe('users_subject_check')
})

test('brokenConstraint returns undefined if no constraint was violated', async () => {
  const error = await failureOf(openPool(fresh.url).read((db) => db.execute(sql`select 1 / 0`)))
  expect(brokenConstraint(error)).toBeUndefined()
  expect(databaseErrorCode(error)).toBe('22012')
  expect(brokenConstraint(new Error('something else'))).toBeUndefined()
  expect(brokenConstraint(undefined)).toBeUndefined()
})

test('brokenConstraint finds the constraint of a node-postgres error inside a Drizzle error', () => {
  const cause = Object.assign(new Error('duplicate key'), {
    name: 'error',
    severity: 'ERROR',
    code: '23505',
    constraint: 'users_subject_key',
  })
  expect(brokenConstraint(cause)).toBe('users_subject_key')
  const wrapped = new DrizzleQueryError('insert', ['twice'], cause)
  expect(brokenConstraint(wrapped)).toBe('users_subject_key')
  expect(databaseErrorCode(wrapped)).toBe('23505')
})

test.each([
  ['a deadlock', '40P01'],
  ['a full disk', '53100'],
  ['an error of the disk', '58030'],
  ['too little memory', '53200'],
])('%s is translated to service.unavailable', (_, code) => {
  const error = Object.assign(new Error('failed'), { severity: 'ERROR', code })
  expect(translateDatabaseError(error)).toMatchObject({ code: 'service.unavailable', cause: error })
})

test('translateDatabaseError returns a violated constraint and a refusal unchanged', async () => {
  const error = await failureOf(addUser('twice'))
  expect(translateDatabaseError(error)).toBe(error)
  const ours = new CoreError('permission.denied', { context: { permission: 'system.audit.view' } })
  expect(translateDatabaseError(ours)).toBe(ours)
})

test.each(['ECONNREFUSED', 'ECONNRESET', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT'])(
  'the connection error %s is translated to service.unavailable with the original error as its cause',
  (code) => {
    const cause = Object.assign(new Error('write'), { code, errno: code })
    expect(translateDatabaseError(new Error('Failed query', { cause }))).toMatchObject({
      code: 'service.unavailable',
      cause: { cause },
    })
  },
)

test('failed connection attempts to several addresses are translated to service.unavailable', () => {
  const attempts = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })
  expect(translateDatabaseError(attempts)).toMatchObject({ code: 'service.unavailable' })
})

test('translateDatabaseError returns an error that only has the code of a database error unchanged', () => {
  const error = Object.assign(new Error('domain'), { code: '57014' })
  expect(translateDatabaseError(error)).toBe(error)
})

test('translateDatabaseError returns an error with a cycle of causes unchanged', () => {
  const error = new Error('round')
  error.cause = new Error('and round', { cause: error })
  expect(translateDatabaseError(error)).toBe(error)
})
