import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { type Change, openSession } from '../src/stores/index.ts'

const client = createClient({ accessToken: () => null })
const open = () => openSession({ client, userId: 'sub-1' })
const change: Change = { kind: 'workCenter' }

test('changes reach who listens, until they or the session end', () => {
  const session = open()
  const heard: string[] = []
  const [first, second] = [new AbortController(), new AbortController()]
  session.listen(({ kind }) => heard.push(`first ${kind}`), first.signal)
  session.listen(({ kind }) => heard.push(`second ${kind}`), second.signal)
  session.announce(change)
  first.abort()
  session.announce(change)
  session.close()
  session.announce(change)
  expect(heard).toEqual(['first workCenter', 'second workCenter', 'second workCenter'])
})

test('who stops listening while a change is told does not keep it from the others', () => {
  const session = open()
  const heard: string[] = []
  const ending = new AbortController()
  session.listen(() => ending.abort(), ending.signal)
  session.listen(() => heard.push('second'), new AbortController().signal)
  session.announce(change)
  expect(heard).toEqual(['second'])
})

test('nobody begins to listen to a session that has ended, nor with a signal that has', () => {
  const heard: string[] = []
  const ended = open()
  ended.close()
  ended.listen(() => heard.push('ended'), new AbortController().signal)
  ended.announce(change)
  const session = open()
  session.listen(() => heard.push('aborted'), AbortSignal.abort())
  session.announce(change)
  expect(heard).toEqual([])
})

test('a session ends once, and where the browser keeps nothing signing out forgets nothing', async () => {
  const session = open()
  session.drafts.texts.set('note/x', 'begun')
  expect(session.drafts.texts.get('note/x')).toBeNull()
  await session.drafts.files.set('upload/x', new Blob(['bytes']))
  expect(await session.drafts.files.list('upload/')).toEqual([])
  session.close()
  await session.signOut()
  expect(session.signal.aborted).toBe(true)
})
