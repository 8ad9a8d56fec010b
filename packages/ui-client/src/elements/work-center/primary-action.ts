import { html, nothing, type TemplateResult } from 'lit'
import type { Session } from '../../session/session.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import type { CollectPayload } from '../document-actions/collect-payload.ts'
import { takeActionParts } from '../parts/exported-parts.ts'
import { itemText, type TextsOf } from '../texts.ts'
import { isOpenTask } from './row-buttons.ts'

export interface PrimaryActionOptions {
  readonly session: Session | undefined
  readonly collectPayload: CollectPayload | undefined
  readonly texts: TextsOf<'workCenter'>['workCenter']
}

/** Renders the button of an open task's primary action. */
export function primaryAction(
  item: WorkCenterItem,
  { session, collectPayload, texts }: PrimaryActionOptions,
): TemplateResult | typeof nothing {
  const { primaryAction: action, title, titleText } = item
  if (!isOpenTask(item) || action === null) return nothing
  return html`<vk-take-action
    exportparts=${takeActionParts}
    .session=${session}
    .documentType=${action.documentType}
    .documentId=${action.documentId}
    .actionCode=${action.actionCode}
    .label=${texts.takeAction}
    .about=${itemText(titleText, title)}
    .collectPayload=${collectPayload}
  ></vk-take-action>`
}
