import { join } from 'node:path'
import { S3Error } from './errors.ts'
import { openObjectFile, readObjectFile, type StoredObject } from './object-file.ts'
import type { ListedPart } from './part-list.ts'

/** The S3 limit for every part except the last: 5 MiB. */
const minPartBytes = 5 * 1024 ** 2

/** Requires that the folder contains the parts with these ETags and that all but the last are large enough. */
export async function requireParts(folder: string, parts: readonly ListedPart[]) {
  for (const part of parts) {
    const stored = await readObjectFile(pathOf(folder, part))
    requireEtag(part, stored)
    if (part !== parts.at(-1) && stored.sizeBytes < minPartBytes) {
      throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
    }
  }
}

/** Yields the bytes of the parts. Opens one part at a time. Throws `InvalidPart` if another part has replaced it. */
export async function* readParts(folder: string, parts: readonly ListedPart[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const opened = await openObjectFile(pathOf(folder, part))
    try {
      requireEtag(part, opened?.object)
      if (opened) yield* opened.read()
    } finally {
      await opened?.close()
    }
  }
}

function pathOf(folder: string, { partNumber }: ListedPart): string {
  return join(folder, String(partNumber))
}

function requireEtag({ etag }: ListedPart, stored: StoredObject | undefined): asserts stored {
  if (stored?.etag === etag) return
  throw new S3Error('InvalidPart', 'One of the parts was not found, or its ETag differs from the given one.')
}
