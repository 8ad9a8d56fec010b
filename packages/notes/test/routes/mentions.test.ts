import { newId } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import { noteMentioned } from '@vertical-kit/notes'
import type { MentionableUsers, Note, NotePage } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  targetParameters,
  write,
} from '../harness.ts'
import { showOnlyTo } from '../parents.ts'

let host: NotesHost
const record = recordStatements()
let clara: TestRequest
let ids: Readonly<Record<'clara' | 'carl' | 'otto', string>>
beforeAll(async () => {
  host = await openNotesHost({ observe: record.observe })
  clara = await host.as({ subject: 'clara', name: 'Clara Clerk', permissions: allPermissions })
  await host.as({ subject: 'carl', name: 'Carl Clerk', permissions: allPermissions })
  await host.as({ subject: 'otto', name: 'Otto Outside', permissions: [] })
  const rows = await host.database.read((db) =>
    db.execute<{ id: string; subject: string }>(sql`select id, subject from core_audit.users`),
  )
  const idOf = (subject: string) => rows.find((row) => row.subject === subject)?.id ?? ''
  ids = { clara: idOf('clara'), carl: idOf('carl'), otto: idOf('otto') }
})
afterAll(() => host.close())

const token = (id: string): string => `@[${id}]`

/** Adds an object that Clara and Carl may read, and Otto may not. */
async function shared() {
  const target = await host.addParent()
  await showOnlyTo(host.database, target, ['clara', 'carl'])
  return target
}

async function edit(note: Note, text: string, request: TestRequest = clara): Promise<Note> {
  return expectJson(await request('PUT', `/api/notes/${note.id}`, { body: { text, version: note.version } }))
}

const listed = async (note: Note): Promise<Note | undefined> => {
  const page = await expectJson<NotePage>(await clara('GET', `/api/notes?${targetParameters(note.target)}`))
  return page.items.find(({ id }) => id === note.id)
}

/** Returns the mentioned users of each event of a note, in order. */
async function eventsOf({ id }: Note): Promise<readonly (readonly string[])[]> {
  const rows = await host.database.read((db) =>
    db.execute<{ data: { userIds: string[] }; actor_user_id: string }>(sql`
      select data, actor_user_id
      from core_audit.outbox_events
      where subject = ${`note/${id}`} and type = ${noteMentioned.type}
      order by position`),
  )
  return rows.map(({ data }) => data.userIds)
}

const carlMentioned = { userId: '', displayName: 'Carl Clerk' }

describe('a mention', () => {
  test('has the name of its user in the timeline, but not the name of a user who could not read the object', async () => {
    const permissions = [...allPermissions, 'system.audit.view']
    const auditor = await host.as({ subject: 'auditor', name: 'Anna Auditor', permissions })
    const note = await write(clara, await host.addParent(), token(ids.carl))
    await showOnlyTo(host.database, note.target, ['clara', 'carl', 'auditor'])
    const path = `/api/audit/events?${targetParameters(note.target)}&limit=1`
    const expectNames = async () => {
      const { references } = await expectJson<AuditEventPage>(await auditor('GET', path))
      expect(references[ids.carl]).toEqual({ display: 'Carl Clerk', target: null })
      expect(references).not.toHaveProperty(ids.otto)
    }
    const both = await edit(note, `${token(ids.carl)} ${token(ids.otto)}`)
    await expectNames()
    const none = await edit(both, 'nobody')
    await expectNames()
    const { version } = await edit(none, `${token(ids.carl)} ${token(ids.otto)}`)
    await expectNames()
    await expectJson(await clara('DELETE', `/api/notes/${note.id}?version=${version}`))
    await expectNames()
  })

  test('has the name of its user in every response, and notifies the user', async () => {
    const carl = { ...carlMentioned, userId: ids.carl }
    const text = `Please check, ${token(ids.carl)} and ${token(ids.clara)}.`
    const note = await write(clara, await shared(), text)
    const mentions = [carl, { userId: ids.clara, displayName: 'Clara Clerk' }]
    expect(note).toMatchObject({ text, mentions })
    expect(await listed(note)).toEqual(note)
    expect(await edit(note, `${token(ids.clara)} ${token(ids.carl.toUpperCase())}`)).toMatchObject({
      mentions: mentions.toReversed(),
    })
    expect(await eventsOf(note)).toEqual([[ids.carl]])
  })

  test.each<[string, () => string]>([
    ['a user who may not read the object', () => token(ids.otto)],
    ['an unknown user', () => token(newId())],
    ['a text that is not an id', () => '@[carl] @[]'],
    ['a name', () => '@Carl Clerk'],
  ])('of %s is plain text, and notifies nobody', async (_case, text) => {
    const given = text()
    const note = await write(clara, await shared(), given)
    expect(note).toMatchObject({ text: given, mentions: [] })
    expect((await listed(note))?.mentions).toEqual([])
    expect(await eventsOf(note)).toEqual([])
  })

  test('of an inactive user is plain text', async () => {
    await host.as({ subject: 'gone', name: 'Gone', permissions: allPermissions })
    const [gone] = await host.database.statement((tx) =>
      tx.execute<{ id: string }>(sql`
        update core_audit.users set is_active = false where subject = 'gone' returning id`),
    )
    const note = await write(clara, await host.addParent(), token(gone?.id ?? ''))
    expect(note.mentions).toEqual([])
  })

  test('notifies once for each note and user, however often it is added again', async () => {
    const carl = token(ids.carl)
    let note = await write(clara, await shared(), 'Nobody')
    for (const text of [carl, `${carl} again`, 'Nobody', carl]) note = await edit(note, text)
    expect(note.mentions).toEqual([{ ...carlMentioned, userId: ids.carl }])
    expect(await eventsOf(note)).toEqual([[ids.carl]])
    const other = await write(clara, note.target, carl)
    expect(await eventsOf(other)).toEqual([[ids.carl]])
  })

  test('that was removed from the text is not in the list', async () => {
    const note = await edit(await write(clara, await shared(), token(ids.carl)), 'Nobody @[')
    expect(note.mentions).toEqual([])
    expect((await listed(note))?.mentions).toEqual([])
  })

  test('of a user who gains access later becomes a mention with the next edit', async () => {
    const note = await write(clara, await shared(), token(ids.otto))
    await showOnlyTo(host.database, note.target, ['clara', 'carl', 'otto'])
    expect((await listed(note))?.mentions).toEqual([])
    expect((await edit(note, `${token(ids.otto)}!`)).mentions).toEqual([
      { userId: ids.otto, displayName: 'Otto Outside' },
    ])
    expect(await eventsOf(note)).toEqual([[ids.otto]])
  })

  test('of a user who loses access becomes plain text with the next edit, and a mention again with access', async () => {
    const carl = { ...carlMentioned, userId: ids.carl }
    let note = await write(clara, await shared(), token(ids.carl))
    await showOnlyTo(host.database, note.target, ['clara'])
    expect((await listed(note))?.mentions).toEqual([carl])
    // The last edit adds the mention to a text that had none.
    for (const text of [`${token(ids.carl)} again`, 'Nobody', token(ids.carl)]) {
      note = await edit(note, text)
      expect(note.mentions).toEqual([])
      expect(await listed(note)).toEqual(note)
    }
    expect((await write(clara, note.target, token(ids.carl))).mentions).toEqual([])
    await showOnlyTo(host.database, note.target, ['clara', 'carl'])
    expect((await listed(note))?.mentions).toEqual([])
    expect((await edit(note, `${token(ids.carl)}!`)).mentions).toEqual([carl])
    expect(await eventsOf(note)).toEqual([[ids.carl]])
  })

  test('that a host of an older release stores is a mention', async () => {
    const note = await write(clara, await shared(), token(ids.otto))
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into notes.mentions (note_id, user_id) values (${note.id}::uuid, ${ids.otto}::uuid)`),
    )
    expect((await listed(note))?.mentions).toEqual([{ userId: ids.otto, displayName: 'Otto Outside' }])
  })

  test('by concurrent edits of one version notifies once', async () => {
    const note = await write(clara, await shared(), 'Nobody')
    const body = { text: token(ids.carl), version: note.version }
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => clara('PUT', `/api/notes/${note.id}`, { body })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await eventsOf(note)).toEqual([[ids.carl]])
  })

  test('beyond the first 50 different users is plain text', async () => {
    const many = Array.from({ length: 50 }, () => token(newId())).join(' ')
    const note = await write(clara, await shared(), `${many} ${token(ids.carl)}`)
    expect(note.mentions).toEqual([])
    const mentioned = await edit(note, token(ids.carl))
    expect(mentioned.mentions).toHaveLength(1)
    const edited = await edit(mentioned, `${many} ${token(ids.carl)}`)
    expect(edited.mentions).toEqual([])
    expect(await listed(edited)).toEqual(edited)
  })
})

describe('the number of statements', () => {
  const countOf = async (work: () => Promise<unknown>): Promise<number> => {
    record.reset()
    await work()
    return record.count
  }

  test('of a note without a mention does not grow', async () => {
    const target = await shared()
    expect(await countOf(() => write(clara, target))).toBe(2)
    const note = await write(clara, target)
    expect(await countOf(() => edit(note, 'No mention @[ here'))).toBe(7)
    expect(await countOf(() => listed(note))).toBe(2)
  })

  test('of a note with mentions does not depend on their number', async () => {
    const target = await host.addParent()
    const counts: number[] = []
    for (const text of [token(ids.carl), `${token(ids.carl)} ${token(ids.clara)} ${token(ids.otto)}`]) {
      counts.push(await countOf(() => write(clara, target, text)))
    }
    // The test's vertical checks one user after the other.
    expect(counts).toEqual([4, 6])
    expect(await countOf(() => clara('GET', `/api/notes?${targetParameters(target)}`))).toBe(2)
  })
})

describe('GET /api/notes/mentionable', () => {
  const search = (query: string, request: TestRequest = clara) =>
    request('GET', `/api/notes/mentionable?${query}`)
  const namesOf = async (response: Promise<Response>): Promise<readonly string[]> =>
    (await expectJson<MentionableUsers>(await response)).items.map(({ displayName }) => displayName)

  test('returns users who may read the object, by a part of their name', async () => {
    const target = targetParameters(await shared())
    expect(await expectJson(await search(`${target}&q=CARL`))).toEqual({
      items: [{ userId: ids.carl, displayName: 'Carl Clerk' }],
    })
    expect(await namesOf(search(`${target}&q=clerk`))).toEqual(['Carl Clerk', 'Clara Clerk'])
    expect(await namesOf(search(`${target}&q=otto`))).toEqual([])
    expect(await namesOf(search(target))).toEqual(['Carl Clerk', 'Clara Clerk'])
    expect(await namesOf(search(`${target}&q=`))).toEqual(['Carl Clerk', 'Clara Clerk'])
  })

  test('ignores the case of all letters, also in a database with the locale C', async () => {
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.users (id, subject, display_name)
        values (gen_random_uuid(), 'oezil', 'Özil'), (gen_random_uuid(), 'anna', 'Anna Özil')`),
    )
    const target = targetParameters(await host.addParent())
    expect(await namesOf(search(`${target}&q=özi`))).toEqual(['Özil', 'Anna Özil'])
    expect(await namesOf(search(`${target}&q=.`))).toEqual([])
  })

  test('returns at most 20 users', async () => {
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.users (id, subject, display_name)
        select gen_random_uuid(), 'twin-' || n, 'Twin ' || n from generate_series(1, 25) n`),
    )
    const target = targetParameters(await host.addParent())
    expect(await namesOf(search(`${target}&q=twin`))).toHaveLength(20)
  })

  test.each<[string, string, number, string]>([
    [
      'an unsupported type',
      `kind=Document&typeCode=trade.unknown&objectId=${newId()}`,
      400,
      'business_object.unsupported',
    ],
    [
      'a missing object',
      `kind=Document&typeCode=trade.sales_invoice&objectId=${newId()}`,
      404,
      'business_object.not_found',
    ],
    ['no object', 'q=a', 400, 'request.invalid'],
  ])('refuses %s', async (_case, query, status, code) => {
    const response = await search(query)
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
  })

  test('refuses a hidden object like a missing one, a long text, and users who may not read notes', async () => {
    const target = await host.addParent()
    const codeOf = async (response: Response) => [
      response.status,
      ((await response.json()) as { code: string }).code,
    ]
    expect(await codeOf(await search(`${targetParameters(target)}&q=${'a'.repeat(201)}`))).toEqual([
      400,
      'request.invalid',
    ])
    expect(await codeOf(await search(`${targetParameters(target)}&q=%00`))).toEqual([400, 'request.invalid'])
    const writer = await host.as({ subject: 'writer', permissions: ['system.notes.create'] })
    expect(await codeOf(await search(targetParameters(target), writer))).toEqual([403, 'permission.denied'])
    await showOnlyTo(host.database, target, ['carl'])
    expect(await codeOf(await search(targetParameters(target)))).toEqual([404, 'business_object.not_found'])
  })
})
