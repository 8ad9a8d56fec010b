import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { type Change, openSession } from '../src/stores/index.ts'

const client = createClient({ accessToken: () => null })
const open = () => openSession({ client, userId: 'sub-1' })
const change: Change = { kind: 'workCenter' }

test('listeners receive changes until their signal is aborted or the session ends', () => {
  const session = open()
  const received: string[] = []
  const [first, second] = [new AbortController(), new AbortController()]
  session.listen(({ kind }) => received.push(`first ${kind}`), first.signal)
  session.listen(({ kind }) => received.push(`second ${kind}`), second.signal)
  session.announce(change)
  first.abort()
  session.announce(change)
  session.close()
  session.announce(change)
  expect(received).toEqual(['first workCenter', 'second workCenter', 'second workCenter'])
})

test('a session without addresses has no address for any place', () => {
  const place = { code: 'trade.item', parameters: {} }
  expect(open().hrefOf(place)).toBeNull()
  const session = openSession({ client, userId: 'sub-1', hrefOf: ({ code }) => `/${code}` })
  expect(session.hrefOf(place)).toBe('/trade.item')
})

test('a listener that is removed during an announcement does not affect other listeners', () => {
  const session = open()
  const received: string[] = []
  const ending = new AbortController()
  session.listen(() => ending.abort(), ending.signal)
  session.listen(() => received.push('second'), new AbortController().signal)
  session.announce(change)
  expect(received).toEqual(['second'])
})

test('a listener receives nothing if the session is closed or the signal is already aborted', () => {
  const received: string[] = []
  const ended = open()
  ended.close()
  ended.listen(() => received.push('ended'), new AbortController().signal)
  ended.announce(change)
  const session = open()
  session.listen(() => received.push('aborted'), AbortSignal.abort())
  session.announce(change)
  expect(received).toEqual([])
})

test('signing out succeeds after the session was closed, and without browser storage', async () => {
  const session = open()
  session.drafts.texts.set('note/x', 'begun')
  expect(session.drafts.texts.get('note/x')).toBeNull()
  await session.drafts.files.set('upload/x', new Blob(['bytes']))
  expect(await session.drafts.files.list('upload/')).toEqual([])
  session.close()
  await session.signOut()
  expect(session.signal.aborted).toBe(true)
})
