import { html, nothing, type TemplateResult } from 'lit'
import { partsOf, type TextPart } from '../../stores/mention-text.ts'
import type { NavigationTarget } from '../../wire/documents.ts'
import type { Note, NoteLink } from '../../wire/notes.ts'
import type { TextsOf } from '../texts.ts'

/** Renders a link to a place. */
export type LinkTo = (target: NavigationTarget, content: unknown) => TemplateResult

/** A longer text is collapsed to the eight lines that `.collapsed` shows. */
const isLong = (text: string): boolean => text.length > 1_000 || text.split('\n').length > 12

export interface NoteTextInput {
  readonly note: Note
  readonly texts: TextsOf<'notes'>['notes']
  readonly isExpanded: boolean
  /** Expands or collapses a long text. */
  readonly toggle: () => void
  readonly linkTo: LinkTo
}

/**
 * Renders the text of a note: as plain text, with the names of mentioned users, and with links. Never as markup. A long text
 * is collapsed until the user expands it, or moves the focus to one of its links.
 */
export function noteText({ note, texts, isExpanded, toggle, linkTo }: NoteTextInput): TemplateResult {
  const { id, text, mentions, links = [] } = note
  const parts = partsOf(text, mentions)
  const isCollapsed = isLong(text) && !isExpanded
  // One line, because the element shows white space.
  return html`<p part="text" id="text-${id}" class="text ${isCollapsed ? 'collapsed' : ''}" dir="auto" @focusin=${() => isCollapsed && toggle()}>${parts.map((part) => textPart(part, links, linkTo))}</p>
    ${
      isLong(text)
        ? html`<button
            part="button"
            class="quiet small more"
            aria-expanded=${isExpanded}
            aria-controls="text-${id}"
            @click=${toggle}
          >
            ${isExpanded ? texts.showLess : texts.showAll}
          </button>`
        : nothing
    }`
}

function textPart(part: TextPart, links: readonly NoteLink[], linkTo: LinkTo) {
  if (part.mention !== null)
    return html`<bdi part="mention" class="mention">@${part.mention.displayName}</bdi>`
  const end = part.start + part.text.length
  const pieces: unknown[] = []
  let at = part.start
  const slice = (from: number, to: number) => part.text.slice(from - part.start, to - part.start)
  for (const link of links) {
    if (link.start < at || link.start + link.length > end) continue
    pieces.push(slice(at, link.start), linkOf(link, slice(link.start, link.start + link.length), linkTo))
    at = link.start + link.length
  }
  return [...pieces, slice(at, end)]
}

function linkOf(link: NoteLink, text: string, linkTo: LinkTo): TemplateResult {
  if ('target' in link) return linkTo(link.target, text)
  // The service returns only web addresses. A link of another kind is shown as text.
  if (!/^https?:\/\//i.test(link.url)) return html`${text}`
  return html`<a part="link" href=${link.url} target="_blank" rel="noopener noreferrer nofollow">${text}</a>`
}
