import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, type NotesHost, openNotesHost, targetParameters, write } from './harness.ts'

const canary = 'canary-text'

let host: NotesHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openNotesHost({ config: { maxTextChars: 20 }, database: { lockTimeoutMs: 50 } })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Sends requests that cause refusals of every kind and internal errors. Returns the response bodies. */
async function provokeErrors(): Promise<readonly string[]> {
  const target = await host.addParent()
  const { id } = await write(clerk, target, canary)
  const responses = [
    await clerk('POST', '/api/notes', { body: { target, text: canary.repeat(5) } }),
    await clerk('POST', '/api/notes', { body: { target, text: `${canary}\0` } }),
    await clerk('POST', '/api/notes', { body: { target: canary, text: [canary] } }),
    await clerk('POST', '/api/notes', { body: `{ "text": "${canary}` }),
    await clerk('POST', '/api/notes', { body: canary, headers: { 'Content-Type': 'text/plain' } }),
    await clerk('PUT', `/api/notes/${id}`, { body: { text: canary, version: 9 } }),
    await clerk('PUT', `/api/notes/${canary}`, { body: { text: canary, version: 1 } }),
    await clerk('GET', `/api/notes?${targetParameters(target)}&cursor=${canary}`),
    await lockedOut(id),
  ]
  // The constraint makes later writes fail. The database errors contain the statement and its values.
  const narrow = sql`alter table notes.notes add constraint narrow check (length(text) < 3) not valid`
  await host.database.statement((tx) => tx.execute(narrow))
  responses.push(
    await clerk('POST', '/api/notes', { body: { target, text: canary } }),
    await clerk('PUT', `/api/notes/${id}`, { body: { text: canary, version: 1 } }),
    await clerk('DELETE', `/api/notes/${id}?version=1`),
  )
  expect(responses.map(({ status }) => status)).toEqual([
    ...[400, 400, 400, 400, 415, 409, 404, 400, 503],
    ...[500, 500, 500],
  ])
  return Promise.all(responses.map((response) => response.text()))
}

/** Locks a note and returns the response to an edit that times out while it waits for this lock. */
async function lockedOut(id: string): Promise<Response> {
  return host.database.transaction(async (tx) => {
    await tx.execute(sql`select id from notes.notes where id = ${id}::uuid for update`)
    return clerk('PUT', `/api/notes/${id}`, { body: { text: canary, version: 1 } })
  })
}

test('responses contain no database messages, and neither responses nor logs contain note texts', async () => {
  const bodies = await provokeErrors()
  expect(JSON.parse(bodies.at(-1) ?? '')).toMatchObject({ status: 500, code: 'internal' })
  expect(JSON.parse(bodies[8] ?? '')).toMatchObject({ status: 503, code: 'service.unavailable' })
  const lines = host.logLines.join('')
  expect(lines).toContain('"code":"internal"')
  expect(lines).toContain('"code":"service.unavailable"')
  // The log contains request paths, and one request path contains the canary. Remove this path before the check.
  for (const written of [...bodies, lines.replaceAll(`/api/notes/${canary}`, '')])
    expect(written).not.toContain(canary)
  for (const body of bodies)
    expect(body).not.toMatch(/narrow|notes\.notes|constraint|insert|update|PostgresError/i)
})
