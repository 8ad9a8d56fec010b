import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the path of a file until it is complete. It is unique, because another export into the folder must not write to the
 * same file.
 */
export const partOf = (path: string): string => `${path}.${randomUUID()}.part`

/** Returns the paths of all unfinished files of exports in a folder, also those of interrupted runs. */
export async function listParts(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory)
  return names.filter((name) => partName.test(name)).map((name) => join(directory, name))
}

const partName = /^(audit-\d+-\d+\.\w+|manifest\.json)\.[\w-]+\.part$/
