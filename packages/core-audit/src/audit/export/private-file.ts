import { type FileHandle, open, rm } from 'node:fs/promises'

/**
 * Creates a file that only the user of the process can read. Replaces an older file, because opening it would keep its mode.
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx', 0o600)
}
