import type { AttachmentsStore } from '../../stores/attachments.ts'
import { joinCountdowns } from '../../stores/countdown.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { isolated } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

/** Deletes the files after some seconds. Returns the deletions, and the message about all of them, which can be undone until then. */
export function deleteFiles(
  store: AttachmentsStore,
  files: readonly Attachment[],
  { attachments }: TextsOf<'attachments'>,
) {
  const deletions = files.map((file) => ({ file, deletion: store.delete(file.id) }))
  const [first] = files
  return {
    deletions,
    text:
      files.length === 1 && first !== undefined
        ? attachments.deleted(isolated(first.fileName))
        : attachments.deletedSeveral(files.length),
    undo() {
      for (const { deletion } of deletions) deletion.undo()
    },
    countdown: joinCountdowns(deletions.map(({ deletion }) => deletion.countdown)),
  }
}
