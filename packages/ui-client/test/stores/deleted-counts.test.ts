import { contentSummaryStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { sent } from '../signed-in.ts'
import { first, openNotes } from './notes-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

async function open() {
  const stage = await openNotes(host, 'older', 'newer')
  const summary = contentSummaryStore(stage.mine.session, stage.target)
  await summary.load()
  return { ...stage, summary, count: () => summary.$state.get().counts.notes }
}

test('a note that waits for its deletion does not count, until the deletion is undone', async () => {
  const { mine, summary, count } = await open()
  const { undo } = mine.notes.delete(first(mine))
  expect(count()).toBe(1)
  await summary.load()
  expect(count()).toBe(1)
  undo()
  expect(count()).toBe(2)
})

test('a deleted note never counts, and is subtracted only once', async () => {
  const { mine, summary, count } = await open()
  const counts: (number | null)[] = []
  summary.$state.listen(({ counts: { notes } }) => counts.push(notes))
  await sent(mine.notes.delete(first(mine)))
  await summary.load()
  expect(new Set(counts)).toEqual(new Set([1]))
  await sent(mine.notes.delete(first(mine)))
  await summary.load()
  expect(count()).toBe(0)
})

test('a note counts again after its deletion has failed', async () => {
  const { mine, theirs, count } = await open()
  const note = first(mine)
  const { ended } = mine.notes.delete(note)
  theirs.notes.write(note.id, 'changed')
  await theirs.notes.save(note.id)
  await mine.clock.pass(8_000)
  expect(await ended).toMatchObject({ status: 'failed' })
  expect(count()).toBe(2)
})

test('the deletions of another object do not change the counts', async () => {
  const { mine } = await open()
  const other = await openNotes(host, 'of another object')
  const summary = contentSummaryStore(mine.session, other.target)
  await summary.load()
  mine.notes.delete(first(mine))
  expect(summary.$state.get().counts.notes).toBe(1)
})
