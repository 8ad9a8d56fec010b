import { contentSummaryStore, newNote } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { held } from '../network/faulty-network.ts'
import { sent } from '../signed-in.ts'
import { editorOf, first, openNotes, openPage, shownTexts, storedTexts } from './notes-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const open = (...texts: readonly string[]) => openNotes(host, ...texts)

describe('writing', () => {
  test('an added note is shown first, and the counts are updated', async () => {
    const { target, mine } = await open('older')
    const summary = contentSummaryStore(mine.session, target)
    await summary.load()
    expect(summary.$state.get()).toMatchObject({ status: 'ready', counts: { notes: 1 } })
    mine.notes.write(newNote, '  Call before delivery.\n\nTwice. ')
    await mine.notes.save(newNote)
    expect(shownTexts(mine)).toEqual(['Call before delivery.\n\nTwice.', 'older'])
    expect(mine.notes.$editors.get().size).toBe(0)
    await expect.poll(() => summary.$state.get()).toMatchObject({ status: 'ready', counts: { notes: 2 } })
  })

  test('each edit applies to the version that is shown at that time', async () => {
    const { mine } = await open('one')
    const { id } = first(mine)
    for (const text of ['two', 'three', 'four']) {
      mine.notes.write(id, text)
      await mine.notes.save(id)
      expect(first(mine)).toMatchObject({ text, createdByDisplayName: 'Clara Clerk' })
    }
    expect(first(mine).version).toBe(4)
  })

  test('a note that is not loaded cannot be edited, because saving would add another one', async () => {
    const { mine } = await open('one')
    mine.notes.write('018f0000-0000-7000-8000-000000000001', 'two')
    expect(mine.notes.$editors.get().size).toBe(0)
  })

  test('a refused text stays in the editor, together with the error', async () => {
    const { mine } = await open()
    const text = 'x'.repeat(10_001)
    mine.notes.write(newNote, text)
    await mine.notes.save(newNote)
    expect(editorOf(mine, newNote)).toMatchObject({
      status: 'failed',
      text,
      error: { code: 'notes.text_too_long', context: { maxChars: 10_000 } },
    })
  })

  test('text that the user writes while a save is in progress is ignored', async () => {
    const { mine } = await open()
    const answer = held()
    mine.network.next('/api/notes', answer)
    mine.notes.write(newNote, 'as sent')
    const save = mine.notes.save(newNote)
    await answer.arrived
    mine.notes.write(newNote, 'too late')
    void mine.notes.save(newNote)
    answer.letGo()
    await save
    expect(shownTexts(mine)).toEqual(['as sent'])
    expect(mine.notes.$editors.get().size).toBe(0)
  })
})

describe('concurrent edits by two users', () => {
  test('the second save is a conflict: the editor keeps the text and shows the version of the other user', async () => {
    const { target, mine, theirs } = await open('as it was')
    const { id } = first(mine)
    mine.notes.write(id, 'mine')
    theirs.notes.write(id, 'theirs')
    await theirs.notes.save(id)
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toMatchObject({
      status: 'conflict',
      text: 'mine',
      theirs: { text: 'theirs', version: 2, updatedByDisplayName: 'Carl Clerk' },
    })
    expect(await storedTexts(mine, target)).toEqual(['theirs'])
    // Saving the note or writing to it again does not resolve the conflict.
    await mine.notes.save(id)
    mine.notes.write(id, 'mine, having read theirs')
    expect(editorOf(mine, id)).toMatchObject({ status: 'conflict' })
    await mine.notes.keepMine(id)
    expect(first(mine)).toMatchObject({ text: 'mine, having read theirs', version: 3 })
  })

  test('keeping my version causes another conflict if the other user has edited the note again', async () => {
    const { mine, theirs } = await open('as it was')
    const { id } = first(mine)
    mine.notes.write(id, 'mine')
    for (const text of ['theirs', 'theirs again']) {
      theirs.notes.write(id, text)
      await theirs.notes.save(id)
      await (text === 'theirs' ? mine.notes.save(id) : mine.notes.keepMine(id))
      expect(editorOf(mine, id)).toMatchObject({ status: 'conflict', text: 'mine', theirs: { text } })
    }
    mine.notes.discard(id)
    expect(editorOf(mine, id)).toBeUndefined()
    expect(shownTexts(mine)).toEqual(['theirs again'])
  })

  test('the text of a deleted note can be saved as a new note', async () => {
    const { mine, theirs } = await open('as it was')
    const { id } = first(mine)
    mine.notes.write(id, 'mine')
    expect(await sent(theirs.notes.delete(first(theirs)))).toEqual({ status: 'deleted' })
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toEqual({ status: 'conflict', text: 'mine', theirs: null })
    await mine.notes.keepMine(id)
    expect(first(mine)).toMatchObject({ text: 'mine', version: 1 })
    expect(first(mine).id).not.toBe(id)
    expect(mine.notes.$editors.get().size).toBe(0)
  })

  test('a note does not count as deleted if newer notes have moved it to a later page', async () => {
    const { target, mine, theirs } = await open(...Array.from({ length: 25 }, (_, index) => `note ${index}`))
    const oldest = mine.notes.$list.get().items.at(-1)
    const id = oldest?.id ?? ''
    mine.notes.write(id, 'mine')
    theirs.notes.write(id, 'theirs')
    await theirs.notes.save(id)
    for (const text of ['a', 'b', 'c']) await theirs.client.notes.create({ target, text })
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toMatchObject({ status: 'conflict', theirs: { text: 'theirs' } })
  })

  test('a note on a later page does not count as deleted if the list reloads while the store looks for it', async () => {
    const { target, mine, theirs } = await open(...Array.from({ length: 25 }, (_, index) => `note ${index}`))
    const id = mine.notes.$list.get().items.at(-1)?.id ?? ''
    mine.notes.write(id, 'mine')
    theirs.notes.write(id, 'theirs')
    await theirs.notes.save(id)
    await theirs.client.notes.create({ target, text: 'newer' })
    const [secondPage, reloaded] = [held(), held()]
    const { typeCode, id: objectId } = target
    const query = new URLSearchParams({ kind: 'Document', typeCode, objectId, limit: '25', cursor: '' })
    mine.network.next(`/api/notes?${query}`, secondPage)
    const saving = mine.notes.save(id)
    await secondPage.arrived
    mine.network.next('/api/notes?', reloaded)
    mine.session.announce({ kind: 'object', target })
    await reloaded.arrived
    secondPage.letGo()
    await saving
    expect(editorOf(mine, id)).toMatchObject({ status: 'conflict', theirs: { text: 'theirs' } })
    reloaded.letGo()
    await mine.notes.keepMine(id)
    expect((await mine.client.notes.list({ target, limit: 100 })).items).toHaveLength(26)
    expect(shownTexts(mine).filter((text) => text === 'mine')).toHaveLength(1)
  })

  test('two notes in conflict on later pages are both found, without reloading the list again and again', async () => {
    const { target, mine, theirs } = await open(
      'one',
      'two',
      ...Array.from({ length: 23 }, (_, index) => `note ${index}`),
    )
    const ids = mine.notes.$list
      .get()
      .items.slice(-2)
      .map(({ id }) => id)
    for (const id of ids) {
      mine.notes.write(id, 'mine')
      await theirs.client.notes.update({ id, text: 'theirs', version: 1 })
    }
    for (let index = 0; index < 60; index += 1)
      await theirs.client.notes.create({ target, text: `newer ${index}` })
    mine.network.seen.length = 0
    await Promise.all(ids.map((id) => mine.notes.save(id)))
    for (const id of ids)
      expect(editorOf(mine, id)).toMatchObject({ status: 'conflict', theirs: { text: 'theirs' } })
    // The first search reads four pages, and the second one reads all loaded rows again.
    expect(mine.network.seen.filter(({ method }) => method === 'GET')).toHaveLength(5)
  })

  test('the deletion of an outdated version is refused, and the list reloads', async () => {
    const { mine, theirs } = await open('as it was')
    const seen = first(mine)
    theirs.notes.write(seen.id, 'changed')
    await theirs.notes.save(seen.id)
    expect(await sent(mine.notes.delete(seen))).toMatchObject({
      status: 'failed',
      error: { code: 'notes.version_conflict' },
    })
    await expect.poll(() => shownTexts(mine)).toEqual(['changed'])
    expect(await sent(mine.notes.delete(first(mine)))).toEqual({ status: 'deleted' })
    expect(shownTexts(mine)).toEqual([])
  })

  test('equal texts of both users cause no conflict', async () => {
    const { mine, theirs } = await open('as it was')
    const { id } = first(mine)
    for (const page of [theirs, mine]) {
      page.notes.write(id, 'agreed')
      await page.notes.save(id)
    }
    expect(mine.notes.$editors.get().size).toBe(0)
    expect(first(mine)).toMatchObject({ text: 'agreed', version: 2 })
  })
})

describe('the list', () => {
  test('an older load resolves when the result of the newest load is shown', async () => {
    const { target, mine, theirs } = await open('first')
    const slow = held()
    mine.network.next('/api/notes?', slow)
    const overtaken = mine.notes.load()
    await slow.arrived
    await theirs.client.notes.create({ target, text: 'second' })
    const newest = mine.notes.load()
    slow.letGo()
    await overtaken
    expect(shownTexts(mine)).toEqual(['second', 'first'])
    await newest
  })

  test('a response does not undo a local change that was made after its request', async () => {
    const { mine } = await open('first')
    const slow = held()
    mine.network.next('/api/notes?', slow)
    const load = mine.notes.load()
    await slow.arrived
    mine.notes.write(newNote, 'second')
    await mine.notes.save(newNote)
    slow.letGo()
    await load
    expect(shownTexts(mine)).toEqual(['second', 'first'])
    expect(mine.notes.$list.get().status).toBe('ready')
  })

  test('if a page cannot be loaded, the rows stay, and the page can be requested again', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `note ${index}`)
    const { mine } = await open(...texts)
    expect(mine.notes.$list.get()).toMatchObject({ status: 'ready', hasMore: true })
    mine.network.next('/api/notes?', 'cut before', 'cut before', 'cut before', 'cut before')
    await mine.notes.loadMore()
    expect(mine.notes.$list.get()).toMatchObject({
      status: 'moreFailed',
      error: { code: 'client.unreachable' },
    })
    expect(shownTexts(mine)).toHaveLength(25)
    await mine.notes.loadMore()
    expect(shownTexts(mine)).toEqual(texts.toReversed())
    expect(mine.notes.$list.get()).toMatchObject({ status: 'ready', hasMore: false, error: null })
  })

  test('a user without permission to read sees the error', async () => {
    const { target } = await open('secret')
    const { notes } = await openPage(host, 'uploader', target)
    await notes.load()
    expect(notes.$list.get()).toMatchObject({
      status: 'failed',
      items: [],
      error: { code: 'permission.denied' },
    })
  })
})

test('a change by another user that is announced during a load causes another load', async () => {
  const { target, mine, theirs } = await open('one')
  const list = held()
  mine.network.next('/api/notes?', list)
  const loading = mine.notes.load()
  await list.arrived
  await theirs.client.notes.create({ target, text: 'two' })
  mine.session.announce({ kind: 'object', target })
  list.letGo()
  await loading
  await expect.poll(() => shownTexts(mine)).toEqual(['two', 'one'])
})
