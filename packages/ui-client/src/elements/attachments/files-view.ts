import type { ListState } from '../../stores/paged-list.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { extensionOf } from './file-icon.ts'

/** The orders of the list of files. */
export const fileSorts = ['newest', 'oldest', 'name', 'size', 'type'] as const
export type FileSort = (typeof fileSorts)[number]

/** The user's search and order. They apply to the loaded files. */
export interface FilesView {
  readonly query: string
  readonly sort: FileSort
}

/** The view of a new panel: all files in the order of the service. */
export const plainView: FilesView = { query: '', sort: 'newest' }

const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const byName = (one: Attachment, other: Attachment): number => compare(one.fileName, other.fileName)
const byType = (one: Attachment, other: Attachment): number =>
  compare(extensionOf(one.fileName), extensionOf(other.fileName)) || byName(one, other)

const orders: Readonly<Record<FileSort, (files: readonly Attachment[]) => readonly Attachment[]>> = {
  newest: (files) => files,
  oldest: (files) => files.toReversed(),
  name: (files) => files.toSorted(byName),
  size: (files) => files.toSorted((one, other) => other.sizeBytes - one.sizeBytes),
  type: (files) => files.toSorted(byType),
}

/** Returns the files whose name or author contains the query, in the order of the view. */
export function filesIn({ query, sort }: FilesView, files: readonly Attachment[]): readonly Attachment[] {
  const words = folded(query)
  const isFound = (file: Attachment) =>
    folded(`${file.fileName}\n${file.createdByDisplayName}`).includes(words)
  return orders[sort](words === '' ? files : files.filter(isFound))
}

/** Ignores case and accents, so that `ubersicht` finds `Übersicht`. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()

/** The highest limit of files per object that the service accepts. Search and order load all pages up to this number. */
const maxLoaded = 1_000

/** Whether the view needs the next page of the list, because search and order apply to all files. */
export const needsMore = (view: FilesView, { status, hasMore, items }: ListState<Attachment>): boolean =>
  (view.query !== '' || view.sort !== 'newest') && status === 'ready' && hasMore && items.length < maxLoaded
