import { notesStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { sent } from '../signed-in.ts'
import { first, openNotes, shownTexts, storedTexts } from './notes-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const deletionsIn = ({ network }: Awaited<ReturnType<typeof openNotes>>['mine']) =>
  network.seen.filter(({ method }) => method === 'DELETE').length

describe('a deletion', () => {
  test('hides the note at once, and is sent after eight seconds', async () => {
    const { target, mine } = await openNotes(host, 'older', 'newer')
    const { ended } = mine.notes.delete(first(mine))
    expect(shownTexts(mine)).toEqual(['older'])
    await mine.clock.pass(7_999)
    await mine.notes.load()
    expect(shownTexts(mine)).toEqual(['older'])
    expect(deletionsIn(mine)).toBe(0)
    await mine.clock.pass(1)
    expect(await ended).toEqual({ status: 'deleted' })
    expect(await storedTexts(mine, target)).toEqual(['older'])
  })

  test('that is undone is never sent, and the note returns to its place', async () => {
    const { mine } = await openNotes(host, 'older', 'newer')
    const { undo, ended } = mine.notes.delete(first(mine))
    await mine.clock.pass(7_999)
    undo()
    expect(shownTexts(mine)).toEqual(['newer', 'older'])
    await mine.clock.pass(60_000)
    expect(await ended).toBeNull()
    expect(deletionsIn(mine)).toBe(0)
    // A second deletion starts again.
    expect(await sent(mine.notes.delete(first(mine)))).toEqual({ status: 'deleted' })
    expect(shownTexts(mine)).toEqual(['older'])
  })

  test('that the service refuses shows the note again, with the error', async () => {
    const { mine, theirs } = await openNotes(host, 'as it was')
    const note = first(mine)
    const { ended } = mine.notes.delete(note)
    theirs.notes.write(note.id, 'changed')
    await theirs.notes.save(note.id)
    await mine.clock.pass(8_000)
    expect(await ended).toMatchObject({ status: 'failed', error: { code: 'notes.version_conflict' } })
    await expect.poll(() => shownTexts(mine)).toEqual(['changed'])
    expect(mine.notes.$deletions.get().get(note.id)).toMatchObject({ status: 'failed' })
  })

  test('continues after the panel is closed, and is hidden in a panel that opens before its end', async () => {
    const { target, mine } = await openNotes(host, 'to go')
    const { ended } = mine.notes.delete(first(mine))
    mine.notes.dispose()
    const reopened = notesStore(mine.session, target)
    await reopened.load()
    expect(reopened.$list.get().items).toEqual([])
    await mine.clock.pass(8_000)
    await ended
    expect(reopened.$list.get().items).toEqual([])
    expect(await storedTexts(mine, target)).toEqual([])
  })

  test('asks for its token before the session has ended, so that the next user never sends it', async () => {
    const { mine } = await openNotes(host, 'to go')
    mine.notes.delete(first(mine))
    const before = mine.asks.length
    mine.session.close()
    expect(mine.asks.length).toBe(before + 1)
  })

  test('is sent at once when the session ends', async () => {
    const { target, mine, theirs } = await openNotes(host, 'to go')
    const { ended } = mine.notes.delete(first(mine))
    mine.session.close()
    expect(await ended).toBeNull()
    await expect.poll(() => storedTexts(theirs, target)).toEqual([])
  })
})
