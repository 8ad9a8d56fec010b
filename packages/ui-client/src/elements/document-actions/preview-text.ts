import type { DocumentActionsStore, Preview, PreviewInput } from '../../stores/document-actions.ts'
import type { DocumentAction, EditorState } from '../../wire/documents.ts'
import type { PreviewText } from '../parts/ask-dialog.ts'
import { errorText } from '../texts.ts'
import { runTextsNow } from './run-texts.ts'

/** Performs the dry run for a confirmation. It shows what happens before the user enters the required reason. */
export function previewOf(
  store: DocumentActionsStore,
  { code, confirmation }: DocumentAction,
  input: Pick<PreviewInput, 'payload' | 'signal'>,
): Promise<Preview | null> {
  // The service refuses a dry run without the required reason. It stores nothing, so any text will do.
  const reason = confirmation?.mode === 'RequireReason' ? '…' : null
  return store.preview(code, { ...input, reason })
}

/** Describes the outcome of a dry run for a confirmation. */
export function previewText(preview: Preview | null, state: EditorState | null): PreviewText | null {
  const texts = runTextsNow()
  if (preview === null || state === null) return null
  if ('error' in preview) return { title: texts.wouldFail, lines: [errorText(preview.error)] }
  const { document, createdDocument, effects } = preview.value
  const { statuses } = texts
  const entryCount = effects.accountingEntries.length
  const movementCount = effects.registerMovements.length
  const lines = [
    document.status === state.document.status
      ? null
      : texts.statusChange(statuses[state.document.status], statuses[document.status]),
    createdDocument && texts.creates(createdDocument.display),
    entryCount > 0 ? texts.entriesAfter(entryCount) : null,
    movementCount > 0 ? texts.movementsAfter(movementCount) : null,
  ]
  return { title: texts.wouldHappen, lines: lines.filter((line) => line !== null) }
}
