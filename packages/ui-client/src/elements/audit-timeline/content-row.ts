import { html, type TemplateResult } from 'lit'
import type { TimelineEntry } from '../../stores/audit-timeline.ts'
import { replaceTokens } from '../../stores/mention-text.ts'
import { formatBytes } from '../parts/format.ts'
import { itemText, type TextsOf } from '../texts.ts'

/** A note, a file or a task in a timeline. */
export type ContentEntry = Exclude<TimelineEntry, { readonly type: 'audit' }>

/** Returns the heading of an entry, and its text. */
export function contentOf(
  entry: ContentEntry,
  texts: TextsOf<'audit'>['audit'],
): { what: string; body: TemplateResult } {
  switch (entry.type) {
    case 'note': {
      const { text, mentions } = entry.note
      const named = replaceTokens(text, (id) => mentions.find(({ userId }) => userId === id)?.displayName)
      return { what: texts.note, body: html`<p part="text" class="value" dir="auto">${named}</p>` }
    }
    case 'file': {
      const { fileName, sizeBytes } = entry.attachment
      return {
        what: texts.file,
        body: html`<p><bdi>${fileName}</bdi> (${formatBytes(sizeBytes)})</p>`,
      }
    }
    case 'task': {
      const { taskStatus, title, titleText, description, descriptionText } = entry.task
      return {
        what: texts.task,
        body: html`<p><bdi>${itemText(titleText, title)}</bdi> · ${taskStatus === null ? '' : texts.taskStatuses[taskStatus]}</p>
          <p class="muted" dir="auto">${itemText(descriptionText, description)}</p>`,
      }
    }
  }
}
