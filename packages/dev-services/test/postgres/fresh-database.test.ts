import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type DatabaseTemplate, freshDatabase } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { ask } from './harness.ts'

const adminUrl = inject('postgresUrl')

/** Creates a unique template with one table. The template counts its preparations. */
function createTemplate(): DatabaseTemplate & { preparedCount(): number } {
  let prepared = 0
  return {
    name: `fresh_${randomBytes(4).toString('hex')}`,
    fingerprint: '1',
    async prepare(url) {
      prepared++
      await ask(url, 'create table kept as select 42 as answer')
    },
    preparedCount: () => prepared,
  }
}

async function freshForTest(template?: DatabaseTemplate) {
  const database = await freshDatabase(adminUrl, template ? { template } : {})
  onTestFinished(() => database.drop())
  return database
}

test('concurrent callers prepare a template only once', async () => {
  const template = createTemplate()
  const databases = await Promise.all(Array.from({ length: 8 }, () => freshForTest(template)))
  expect(template.preparedCount()).toBe(1)
  expect(new Set(databases.map(({ name }) => name)).size).toBe(8)
  for (const { url } of databases) {
    expect(await ask(url, 'select answer from kept')).toEqual([{ answer: 42 }])
  }
})

test('copies are independent of each other', async () => {
  const template = createTemplate()
  const [first, second] = [await freshForTest(template), await freshForTest(template)]
  await ask(first.url, 'delete from kept')
  expect(await ask(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a new fingerprint creates a new template', async () => {
  const template = createTemplate()
  await freshForTest(template)
  await freshForTest({ ...template, fingerprint: '2' })
  await freshForTest(template)
  expect(template.preparedCount()).toBe(2)
})

test('without a template, the database is empty', async () => {
  const { url } = await freshForTest()
  expect(await ask(url, `select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual(
    [],
  )
})

test('freshDatabase rejects if the preparation fails, and the next caller prepares the template again', async () => {
  const template = createTemplate()
  const failing = {
    ...template,
    prepare: async (url: string) => {
      await ask(url, 'create table half_done ()')
      throw new Error('migration 7 failed')
    },
  }
  await expect(freshForTest(failing)).rejects.toThrow('migration 7 failed')
  const { url } = await freshForTest(template)
  expect(await ask(url, `select to_regclass('half_done') as half_done`)).toEqual([{ half_done: null }])
})

test('a waiting caller repeats the preparation of a killed process', async () => {
  const template = createTemplate()
  const script = fileURLToPath(new URL('./fixtures/preparing.ts', import.meta.url))
  const preparer = fork(script, [adminUrl, template.name], {
    execArgv: ['--conditions=@vertical-kit/source'],
  })
  await once(preparer, 'message')
  const waiting = freshForTest(template)
  await expect
    .poll(() => ask(adminUrl, `select 1 from pg_locks where locktype = 'advisory' and not granted`))
    .not.toEqual([])
  preparer.kill('SIGKILL')
  expect(await ask((await waiting).url, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(template.preparedCount()).toBe(1)
})

test('a database with open connections can be dropped', async () => {
  const database = await freshDatabase(adminUrl)
  const connected = postgres(database.url, { max: 1 })
  await connected`select 1`
  await database.drop()
  await expect(ask(database.url, 'select 1')).rejects.toMatchObject({ code: '3D000' })
  await connected.end()
})

test.each(['', 'With-Dash', 'x'.repeat(31)])('freshDatabase rejects the template name %j', (name) => {
  expect(() => freshDatabase(adminUrl, { template: { ...createTemplate(), name } })).toThrow(TypeError)
})
