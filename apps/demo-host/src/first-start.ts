import { access, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The first start of a data directory: from the creation of the embedded database until its sample data is loaded. A demo that
 * ends in between leaves incomplete data that no user has seen, so the next start creates the database again.
 */
export interface FirstStart {
  /** Returns whether an earlier first start was interrupted. */
  isInterrupted(): Promise<boolean>
  begin(): Promise<void>
  end(): Promise<void>
}

/** Stores the state of the first start in a file of the data directory. */
export function firstStartIn(dataDirectory: string): FirstStart {
  const file = join(dataDirectory, 'first-start')
  return {
    isInterrupted: () =>
      access(file).then(
        () => true,
        () => false,
      ),
    begin: () => writeFile(file, ''),
    end: () => rm(file, { force: true }),
  }
}
