import { html, type TemplateResult } from 'lit'
import { partsOf, type TextPart } from '../../stores/mention-text.ts'
import type { NavigationTarget } from '../../wire/documents.ts'
import type { Note, NoteLink } from '../../wire/notes.ts'

/** Renders the text of a note: as plain text, with the names of mentioned users, and with links. Never as markup. */
export function noteText(
  { text, mentions, links = [] }: Note,
  navigate: (target: NavigationTarget) => void,
): TemplateResult {
  const parts = partsOf(text, mentions)
  // One line, because the element shows white space.
  return html`<p class="text" dir="auto">${parts.map((part) => textPart(part, links, navigate))}</p>`
}

function textPart(part: TextPart, links: readonly NoteLink[], navigate: (target: NavigationTarget) => void) {
  if (part.mention !== null) return html`<bdi class="mention">@${part.mention.displayName}</bdi>`
  const end = part.start + part.text.length
  const pieces: unknown[] = []
  let at = part.start
  const slice = (from: number, to: number) => part.text.slice(from - part.start, to - part.start)
  for (const link of links) {
    if (link.start < at || link.start + link.length > end) continue
    pieces.push(slice(at, link.start), linkOf(link, slice(link.start, link.start + link.length), navigate))
    at = link.start + link.length
  }
  return [...pieces, slice(at, end)]
}

function linkOf(link: NoteLink, text: string, navigate: (target: NavigationTarget) => void): TemplateResult {
  if ('target' in link)
    return html`<button class="link" @click=${() => navigate(link.target)}>${text}</button>`
  // The service returns only web addresses. A link of another kind is shown as text.
  if (!/^https?:\/\//i.test(link.url)) return html`${text}`
  return html`<a href=${link.url} target="_blank" rel="noopener noreferrer nofollow">${text}</a>`
}
