import type { Attachment } from '../../wire/attachments.ts'
import type { TextsOf } from '../texts.ts'

/** Returns the text file that names the files that are missing in an archive. */
export function listOfMissing(
  files: readonly Attachment[],
  texts: TextsOf<'attachments'>['attachments'],
): File {
  const lines = [texts.missing, '', ...files.map(({ fileName }) => fileName)]
  return new File([lines.join('\r\n')], texts.missingName)
}
