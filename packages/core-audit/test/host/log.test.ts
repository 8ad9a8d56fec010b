import { CoreError, newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redactedNames } from '../../src/host/log.ts'
import { describeError } from '../../src/http/describe-error.ts'
import { openDatabase, openPool } from '../harness.ts'

const canary = 'c4n4ry'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

/** Returns the logged form of a rejection. */
async function loggedFailure(
  promise: Promise<unknown>,
): Promise<{ text: string; err: Record<string, unknown> }> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  const log = captureLog()
  log.logger.error({ err: error }, 'It failed.')
  return {
    text: log.lines.join(''),
    err: (JSON.parse(log.lines.join('')) as { err: Record<string, unknown> }).err,
  }
}

const addUser = (subject: string, email: string) =>
  openPool(fresh.url).statement((tx) =>
    tx.execute(sql`
      insert into core_audit.users (id, subject, email, display_name)
      values (${newId()}, ${subject}, ${email}, ${canary})`),
  )

describe('the log of a database error', () => {
  test('contains the code and constraint of a unique violation, but no values', async () => {
    await addUser(canary, canary)
    const { text, err } = await loggedFailure(addUser(canary, canary))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({
      type: 'PostgresError',
      code: '23505',
      constraint: 'users_subject_key',
      frames: expect.arrayContaining([expect.stringMatching(/^at /)]),
    })
    expect(err).not.toHaveProperty('message')
  })

  test('names the function that sent the rejected statement', async () => {
    const database = openPool(fresh.url)
    async function rejectedPart(tx: Tx): Promise<void> {
      await tx.execute(sql`select ${canary}::int`)
    }
    const fail = [
      () => database.transaction(rejectedPart),
      () => database.transaction((tx) => tx.savepoint(rejectedPart)),
      () => database.statement(rejectedPart),
    ]
    for (const run of fail) {
      const { text, err } = await loggedFailure(run())
      expect(err).toMatchObject({
        code: '22P02',
        frames: expect.arrayContaining([expect.stringContaining('rejectedPart')]),
      })
      expect(text).not.toContain(canary)
    }
  })

  test('contains no values of a unique violation that node-postgres reports', async () => {
    const detail = {
      name: 'error',
      severity: 'ERROR',
      code: '23505',
      constraint: 'users_subject_key',
      detail: canary,
    }
    const { text, err } = await loggedFailure(Promise.reject(Object.assign(new Error(canary), detail)))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ type: 'error', code: '23505', constraint: 'users_subject_key' })
  })

  test.each([
    ['a value that is not a number', sql`select ${canary}::text::int`, '22P02'],
    ['a value that is not a time', sql`select ${canary}::text::timestamptz`, '22007'],
    ['a division by zero', sql`select 1 / (length(${canary}::text) - 6)`, '22012'],
    ['a value that JSON cannot contain', sql`select ${`"${canary}\\u0000"`}::text::jsonb`, '22P05'],
    [
      'a value that violates a check',
      sql`insert into core_audit.roles (id, code, name) values (${newId()}, ${`${canary}!`}, 'x')`,
      '23514',
    ],
    ['a value that is not a row', sql`select ${canary}::text::core_audit.users`, '22P02'],
  ])('contains no value of the failed statement (%s)', async (_case, statement, code) => {
    const { text, err } = await loggedFailure(openPool(fresh.url).read((db) => db.execute(statement)))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ code })
  })

  test.each([
    [
      'table',
      sql`select ${canary}::text from core_audit.gone`,
      '42P01',
      'relation "core_audit.gone" does not exist',
    ],
    ['column', sql`select gone, ${canary}::text`, '42703', 'column "gone" does not exist'],
    [
      'function',
      sql`select core_audit.gone(${canary}::text)`,
      '42883',
      'function core_audit.gone(text) does not exist',
    ],
    ['schema', sql`select gone.gone(${canary}::text)`, '3F000', 'schema "gone" does not exist'],
  ])('names a missing %s', async (_case, statement, code, message) => {
    const { text, err } = await loggedFailure(openPool(fresh.url).read((db) => db.execute(statement)))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ code, message })
  })

  test('names the table of a missing right, also below the error of a query builder', async () => {
    const failing = openPool(fresh.url).transaction(async (tx) => {
      await tx.execute(sql`create role without_rights`)
      await tx.execute(sql`grant usage on schema core_audit to without_rights`)
      await tx.execute(sql`set local role without_rights`)
      await tx.execute(sql`select ${canary}::text from core_audit.users`)
    })
    const cause: unknown = await failing.catch((error: unknown) => error)
    const query = Object.assign(new Error(`params: ${canary}`, { cause }), { query: 'select $1' })
    const { text, err } = await loggedFailure(Promise.reject(query))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({
      cause: { code: '42501', message: 'permission denied for table users' },
    })
  })

  test.each([
    ['a value that is not a table', sql`select ${canary}::text::regclass`, '42P01'],
    ['a value that is not a function', sql`select ${canary}::text::regproc`, '42883'],
    ['a value that is not a schema', sql`select ${canary}::text::regnamespace`, '3F000'],
  ])('contains no value that is cast to a name (%s)', async (_case, statement, code) => {
    const { text, err } = await loggedFailure(openPool(fresh.url).read((db) => db.execute(statement)))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ code })
  })

  test('does not contain the message of a function that raises the code of a missing right', async () => {
    const raising = openPool(fresh.url).statement((tx) =>
      tx.execute(sql.raw(`do $$ begin raise exception '${canary}' using errcode = '42501'; end $$`)),
    )
    const { text, err } = await loggedFailure(raising)
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ code: '42501' })
  })

  test('does not contain a parameter that the driver cannot serialize', async () => {
    const wrongType = 4_041_424_344
    const statement = openPool(fresh.url).read((db) => db.execute(sql`select ${wrongType}::timestamptz`))
    const { text, err } = await loggedFailure(statement)
    expect(text).not.toContain(String(wrongType))
    expect(err).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  })

  test('does not contain a value that looks like a stack frame', async () => {
    const { text } = await loggedFailure(
      openPool(fresh.url).read((db) =>
        db.execute(sql`select ${`x\n    at ${canary} (file.ts:1:1)`}::text::int`),
      ),
    )
    expect(text).not.toContain(canary)
  })

  test('does not contain the parameters that the error of a query builder contains', async () => {
    const query = Object.assign(
      new Error(`Failed query: select $1\nparams: ${canary}`, { cause: new Error(canary) }),
      {
        query: 'select $1',
      },
    )
    const { text, err } = await loggedFailure(Promise.reject(query))
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({ type: 'Error', cause: { type: 'Error' } })
  })

  test('contains no value if a service.unavailable error has the database error as its cause', async () => {
    const database = openPool(fresh.url, { statementTimeoutMs: 20 })
    const { text, err } = await loggedFailure(
      database.read((db) => db.execute(sql`select pg_sleep(60), ${canary}::text`)),
    )
    expect(text).not.toContain(canary)
    expect(err).toMatchObject({
      type: 'CoreError',
      code: 'service.unavailable',
      message: expect.stringContaining('service.unavailable'),
      cause: { code: '57014' },
    })
  })
})

describe('an error description', () => {
  test('contains the type, message, code and stack frames of the error', () => {
    expect(describeError(new TypeError('no such option'))).toEqual({
      type: 'TypeError',
      message: 'no such option',
      frames: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
    })
    expect(describeError(Object.assign(new Error('gone'), { code: 'ENOENT' }))).toMatchObject({
      code: 'ENOENT',
    })
  })

  test('contains the causes of the error', () => {
    const error = new CoreError('internal', { cause: new Error('outer', { cause: new RangeError('inner') }) })
    expect(describeError(error)).toMatchObject({
      type: 'CoreError',
      code: 'internal',
      cause: { message: 'outer', cause: { type: 'RangeError', message: 'inner' } },
    })
  })

  test('ends if the causes of the error form a cycle', () => {
    const error = new Error('round')
    error.cause = new Error('and round', { cause: error })
    expect(JSON.stringify(describeError(error))).toContain('and round')
  })

  test('omits input that the error of a JSON parser quotes', () => {
    const parse = () => JSON.parse(`{"text": ${canary}}`) as unknown
    let error: unknown
    try {
      parse()
    } catch (reason) {
      error = reason
    }
    expect(String(error)).toContain(canary)
    expect(JSON.stringify(describeError(error))).not.toContain(canary)
  })

  test.each([canary, 7, null, undefined, { message: canary }])(
    'contains only the type of the thrown %j',
    (thrown) => {
      expect(describeError(thrown)).toEqual({ type: typeof thrown })
    },
  )
})

describe('a log line', () => {
  test('is JSON with a level name and an instant in UTC', () => {
    const log = captureLog()
    log.logger.warn({ orders: 3 }, 'Slow.')
    expect(log.lines.join('')).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(log.lines.join(''))).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      orders: 3,
      msg: 'Slow.',
    })
  })

  test('is not written if its level is below the configured level', () => {
    const log = captureLog('info')
    log.logger.debug('Quiet.')
    expect(log.lines.join('')).toBe('')
  })

  test.each(redactedNames)('redacts every field named %s', (name) => {
    const log = captureLog()
    log.logger.info({ [name]: canary, inner: { [name]: { deeper: canary } } }, 'Something.')
    expect(log.lines.join('')).not.toContain(canary)
    expect(log.lines.join('').match(/\[redacted\]/g)).toHaveLength(2)
  })
})
