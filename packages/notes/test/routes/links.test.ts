import type { ActivityPage } from '@vertical-kit/core-audit/contract'
import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { LinkedObject, NoteLinker } from '@vertical-kit/notes'
import type { Note, NotePage } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLinkNotes } from '../../src/linkers.ts'
import { findAddresses } from '../../src/policy.ts'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  targetParameters,
  write,
} from '../harness.ts'
import { showOnlyTo } from '../parents.ts'

/** A number for which the linker fails. */
const unreadable = 'P-ffffffffffff'

/** Links the number `P-` and the first eight digits of an id to the object with this id. */
const linker: NoteLinker = {
  pattern: /\bP-[0-9a-f]{12}\b/g,
  async resolve(db, texts) {
    if (texts.includes(unreadable)) throw new Error('The linker cannot read its objects')
    const rows = await db.execute<{ id: string; text: string }>(sql`
      select id, 'P-' || right(id::text, 12) as text from trade.parents
      where 'P-' || right(id::text, 12) = any(${sql.param(texts)}::text[])`)
    return new Map(
      rows.map(({ id, text }): [string, LinkedObject] => [
        text,
        {
          reference: { kind: 'Document', typeCode: 'trade.sales_invoice', id },
          target: { code: 'trade.sales_invoice', parameters: { documentId: id } },
        },
      ]),
    )
  },
}

let host: NotesHost
const record = recordStatements()
let clara: TestRequest
beforeAll(async () => {
  host = await openNotesHost({ observe: record.observe, linkers: [linker] })
  clara = await host.as({ subject: 'clara', permissions: allPermissions })
})
afterAll(() => host.close())

test('a pattern that is not global is refused at the start', () => {
  const create = () => createLinkNotes([linker, { ...linker, pattern: /P-\d+/ }], { areReadable: neverAsked })
  expect(create).toThrow(new TypeError('linkers: the pattern /P-\\d+/ needs the flag g'))
})
const neverAsked = () => Promise.reject(new Error('No right was asked for'))

const addressesIn = (text: string): readonly string[] =>
  findAddresses(text).map(({ start, length }) => text.slice(start, start + length))

test.each<[string, readonly string[]]>([
  ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
  [
    '(http://example.com/wiki/A_(b)), “https://example.org”',
    ['http://example.com/wiki/A_(b)', 'https://example.org'],
  ],
  ['HTTPS://EXAMPLE.COM!', ['HTTPS://EXAMPLE.COM']],
  ['😀 https://example.com/ü', ['https://example.com/ü']],
  ['javascript:alert(1) data:text/html,x ftp://example.com www.example.com', []],
  ['https:// http://user@example.com <https://example.com/">', ['https://example.com/']],
  ['https://:www.bank.com@example.com', []],
  ['http://example.com/a).).', ['http://example.com/a']],
  ['http://example.com/a.)!)', ['http://example.com/a']],
  ['http://example.com/(a).)', ['http://example.com/(a)']],
  ['no address', []],
])('the web addresses of %j are found', (text, expected) => {
  expect(addressesIn(text)).toEqual(expected)
})

test('only the first 100 web addresses of a note are links', () => {
  const text = Array.from({ length: 101 }, (_, index) => `http://a/${index}`).join(' ')
  expect(addressesIn(text)).toHaveLength(100)
  expect(addressesIn(text).at(-1)).toBe('http://a/99')
})

test('the time for the worst texts grows in proportion to their length', () => {
  for (const part of ['http://', 'http://a', 'http://a)', '((((', '.,;:', '@[']) {
    expect(findAddresses(part.repeat(10_000)).length).toBeLessThan(10_001)
  }
  const dots = '.'.repeat(60_000)
  const brackets = ')'.repeat(30_000)
  expect(addressesIn(`http://a/${dots}b${brackets}`)).toEqual([`http://a/${dots}b`])
  expect(addressesIn(`http://a${brackets}`)).toEqual(['http://a'])
})

describe('a note', () => {
  const activityOf = async (target: Note['target']): Promise<readonly unknown[]> => {
    const path = `/api/business-objects/activity?types=notes&${targetParameters(target)}`
    const { items } = await expectJson<ActivityPage>(await clara('GET', path))
    return items.map(({ note }) => note)
  }
  const numberOf = ({ id }: { readonly id: string }): string => `P-${id.slice(-12)}`

  test('has links to web addresses and to objects that its reader may read, in every response', async () => {
    const [target, other, hidden] = [await host.addParent(), await host.addParent(), await host.addParent()]
    await showOnlyTo(host.database, hidden, ['carl'])
    const text = `See ${numberOf(other)}, ${numberOf(hidden)}, P-000000000000 and https://example.com/${numberOf(other)}`
    const note = await write(clara, target, text)
    expect(note.links).toEqual([
      { start: 4, length: 14, target: { code: 'trade.sales_invoice', parameters: { documentId: other.id } } },
      { start: text.indexOf('https'), length: 34, url: `https://example.com/${numberOf(other)}` },
    ])
    const page = await expectJson<NotePage>(await clara('GET', `/api/notes?${targetParameters(target)}`))
    expect(page.items).toEqual([note])
    expect(await activityOf(target)).toEqual([note])
    const body = { text: `${text} `, version: 1 }
    const edited = await expectJson<Note>(await clara('PUT', `/api/notes/${note.id}`, { body }))
    expect(edited.links).toEqual(note.links)
    const deleted = await expectJson<Note>(await clara('DELETE', `/api/notes/${note.id}?version=2`))
    expect(deleted.links).toEqual(note.links)
    await showOnlyTo(host.database, hidden, ['clara'])
    const again = await write(clara, target, numberOf(hidden))
    expect(again.links).toHaveLength(1)
  })

  test('in an activity needs the statements of its own list', async () => {
    const [target, other] = [await host.addParent(), await host.addParent()]
    const counts: number[] = []
    const countOf = async () => {
      record.reset()
      await activityOf(target)
      counts.push(record.count)
    }
    await write(clara, target, 'Call back')
    await countOf()
    for (let count = 0; count < 2; count += 1) {
      await write(clara, target, `${numberOf(other)} and ${numberOf(target)}`)
      await countOf()
    }
    // The linker, and the test's vertical, which checks the two objects one after the other.
    expect(counts.map((count) => count - (counts[0] ?? 0))).toEqual([0, 1 + 2, 1 + 2])
  })

  test('without a recognised text has no links and needs no further statement', async () => {
    const target = await host.addParent()
    record.reset()
    expect(await write(clara, target, 'Call back')).not.toHaveProperty('links')
    expect(record.count).toBe(2)
  })

  test('is written and answered without links to objects if these cannot be read', async () => {
    const target = await host.addParent()
    const note = await write(clara, target, `${unreadable} and https://example.com`)
    expect(note.links).toEqual([{ start: 19, length: 19, url: 'https://example.com/' }])
    expect(host.logLines.join('')).toContain('The links of a written note could not be read.')
    const body = { text: `${unreadable}!`, version: 1 }
    const edited = await expectJson<Note>(await clara('PUT', `/api/notes/${note.id}`, { body }))
    expect(edited).toMatchObject({ version: 2, text: `${unreadable}!` })
    expect(edited).not.toHaveProperty('links')
    await expectJson<Note>(await clara('DELETE', `/api/notes/${note.id}?version=2`))
    expect((await clara('GET', `/api/notes?${targetParameters(target)}`)).status).toBe(200)
  })

  test('shares the statements of its links with the other notes of the page', async () => {
    const [target, other] = [await host.addParent(), await host.addParent()]
    for (let index = 0; index < 5; index += 1) await write(clara, target, `${index} ${numberOf(other)}`)
    record.reset()
    const page = await expectJson<NotePage>(await clara('GET', `/api/notes?${targetParameters(target)}`))
    // The access, the list, the numbers, and the right to read the object.
    expect(record.count).toBe(4)
    for (const { links } of page.items) expect(links).toHaveLength(1)
  })

  test('with a repeated number needs one check of its object', async () => {
    const [target, other] = [await host.addParent(), await host.addParent()]
    await write(clara, target, `${numberOf(other)} `.repeat(600))
    record.reset()
    const page = await expectJson<NotePage>(await clara('GET', `/api/notes?${targetParameters(target)}`))
    expect(record.count).toBe(4)
    expect(page.items[0]?.links).toHaveLength(500)
  })
})
