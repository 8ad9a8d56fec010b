import type { Database } from '@vertical-kit/core-audit/database'
import { openTestHost } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../harness.ts'

const listeningServers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length

test('a test host stops its issuer and closes its database if modules() throws', async () => {
  const fresh = await openDatabase()
  onTestFinished(fresh.drop)
  const before = listeningServers()
  let database: Database | undefined
  const opening = openTestHost({
    databaseUrl: fresh.url,
    modules(given) {
      database = given
      throw new Error('these modules cannot be created')
    },
  })
  await expect(opening).rejects.toThrow('these modules cannot be created')
  await expect.poll(listeningServers).toBe(before)
  await expect(database?.read((db) => db.execute(sql`select 1`))).rejects.toThrow()
})

test('a test host stops its issuer if the application rejects the modules', async () => {
  const fresh = await openDatabase()
  onTestFinished(fresh.drop)
  const before = listeningServers()
  const shelves = { name: 'shelves', version: '0.0.0', permissions: [] }
  const opening = openTestHost({ databaseUrl: fresh.url, modules: () => [shelves] })
  await expect(opening).rejects.toThrow(TypeError)
  await expect.poll(listeningServers).toBe(before)
})
