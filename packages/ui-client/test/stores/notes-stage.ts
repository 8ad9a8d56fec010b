import type { BusinessObjectReference, Note } from '@vertical-kit/ui-client'
import { notesStore } from '@vertical-kit/ui-client/stores'
import type { Host } from '../host/deployment.ts'
import { type FaultyNetwork, openFaultyNetwork } from '../network/faulty-network.ts'
import { type SignedIn, signIn, targetOf } from '../signed-in.ts'

/** A user's store for the notes of an object, with its own faulty network. */
export interface NotesPage extends SignedIn {
  readonly network: FaultyNetwork
  readonly notes: ReturnType<typeof notesStore>
}

/** Adds an invoice with these notes, and opens it for two clerks. */
export async function openNotes(host: Host, ...texts: readonly string[]) {
  const target = targetOf(await host.addInvoice())
  const mine = await openPage(host, 'clerk', target)
  for (const text of texts) await mine.client.notes.create({ target, text })
  const theirs = await openPage(host, 'clerk2', target)
  await Promise.all([mine.notes.load(), theirs.notes.load()])
  return { target, mine, theirs }
}

export async function openPage(
  host: Host,
  user: string,
  target: BusinessObjectReference,
): Promise<NotesPage> {
  const network = await openFaultyNetwork(host.url)
  const signedIn = await signIn(host, user, { url: network.url })
  return { network, ...signedIn, notes: notesStore(signedIn.session, target) }
}

export const shownTexts = ({ notes }: NotesPage) => notes.$list.get().items.map(({ text }) => text)

export const editorOf = ({ notes }: NotesPage, key: string) => notes.$editors.get().get(key)

/** Returns the first shown note. */
export function first({ notes }: NotesPage): Note {
  const [note] = notes.$list.get().items
  if (note === undefined) throw new Error('No note is shown')
  return note
}

/** Loads the texts of the first page from the service. */
export const storedTexts = async ({ client }: NotesPage, target: BusinessObjectReference) =>
  (await client.notes.list({ target })).items.map(({ text }) => text)
