import { nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit'
import type { DocumentAction } from '../../wire/documents.ts'
import { checkIcon, icon, plusIcon, releaseIcon, trashIcon } from '../parts/icons.ts'

/** Line icons by the `icon` of an action: the paths of an SVG of 24 × 24, which the bar strokes in the text colour. */
export type ActionIcons = Readonly<Record<string, SVGTemplateResult>>

const lifecycle: Readonly<Record<string, TemplateResult>> = {
  post: checkIcon,
  unpost: releaseIcon,
  repost: icon(svg`<path d="M19 12a7 7 0 1 1-2-5l2.5 2.5M19.5 4v5.5H14"/>`),
  'mark-for-deletion': trashIcon,
  'unmark-for-deletion': releaseIcon,
}

const openIcon = icon(svg`<path d="M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8"/>`)
const byKind = { Command: nothing, Derivation: plusIcon, Navigation: openIcon, View: openIcon } as const

/** Returns the page's icon for an action, otherwise the kit's icon for its name or kind, or nothing. */
export function actionIcon(
  { icon: name, executionKind }: Pick<DocumentAction, 'icon' | 'executionKind'>,
  own: ActionIcons,
): TemplateResult | typeof nothing {
  const paths = Object.hasOwn(own, name) ? own[name] : undefined
  if (paths !== undefined) return icon(paths)
  return (Object.hasOwn(lifecycle, name) ? lifecycle[name] : undefined) ?? byKind[executionKind]
}
