import type { AttachmentsStore } from '../../stores/attachments.ts'
import { knownNames } from './same-names.ts'

/**
 * Returns a function that uploads files. Asks first about files with a name that exists among the loaded files and the uploads.
 *
 * @param mayKeep resolves with whether the user wants to keep both
 */
export function addFilesTo(
  store: AttachmentsStore,
  mayKeep: (withSameName: readonly File[]) => Promise<boolean>,
): (files: readonly File[]) => Promise<void> {
  /** The files about which the user has not answered yet. */
  let open: readonly File[] = []
  return async (files) => {
    const names = knownNames([...store.$list.get().items, ...store.$uploads.get()])
    const fresh = files.filter(names.add)
    const withSameName = files.filter((file) => !fresh.includes(file))
    store.add(fresh)
    if (withSameName.length === 0) return
    // The question replaces an open question, so it includes the files of that question.
    const asked = [...open, ...withSameName]
    open = asked
    const isKept = await mayKeep(asked)
    if (open !== asked) return
    open = []
    if (isKept) store.add(names.number(asked))
  }
}
