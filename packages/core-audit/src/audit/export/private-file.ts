import { type FileHandle, open } from 'node:fs/promises'

/** Creates a file that only the user of the process can read. Rejects if it exists, because opening it would keep its mode. */
export const createPrivateFile = (path: string): Promise<FileHandle> => open(path, 'wx', 0o600)
