import { shownName } from '../../stores/upload-state.ts'
import type { Attachment } from '../../wire/attachments.ts'
import type { Question } from '../parts/ask-dialog.ts'
import { isolated } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

const listed = (names: readonly string[]): string => names.map(isolated).join(', ')

/** Asks whether to delete several files. */
export function deleteQuestion(
  files: readonly Attachment[],
  { attachments, common }: TextsOf<'attachments'>,
): Question {
  return {
    title: attachments.confirmDeleteSeveral(files.length),
    message: attachments.confirmDeleteSeveralMessage(listed(files.map(({ fileName }) => fileName))),
    confirmLabel: common.delete,
    isDangerous: true,
  }
}

/** Asks whether to keep the existing files and the new files with the same names. */
export function sameNameQuestion(files: readonly File[], { attachments }: TextsOf<'attachments'>): Question {
  return {
    title: attachments.sameName(files.length),
    message: attachments.sameNameMessage(listed(files.map(({ name }) => shownName(name)))),
    confirmLabel: attachments.keepBoth,
  }
}
