import type { ElementTag, Scene } from './scene.ts'
import { rolesScenes, usersScenes } from './scenes/administration.ts'
import { attachmentsScenes, uploadsScenes } from './scenes/attachments.ts'
import { actionsScenes, batchScenes, takeActionScenes } from './scenes/documents.ts'
import { notesScenes } from './scenes/notes.ts'
import { followScenes, liveObjectScenes, toastsScenes } from './scenes/objects.ts'
import { preferencesScenes } from './scenes/preferences.ts'
import { outboxScenes, statusScenes } from './scenes/service.ts'
import { timelineScenes } from './scenes/timeline.ts'
import {
  badgeScenes,
  substitutionScenes,
  teamScenes,
  workCenterScenes,
  yourTasksScenes,
} from './scenes/work-center.ts'

/** The scenes of every element. The compiler reports a public element without scenes. */
const scenesOfElements: Readonly<Record<ElementTag, readonly Scene[]>> = {
  'vk-attachments': attachmentsScenes,
  'vk-uploads': uploadsScenes,
  'vk-notes': notesScenes,
  'vk-audit-timeline': timelineScenes,
  'vk-document-actions': actionsScenes,
  'vk-document-batch': batchScenes,
  'vk-take-action': takeActionScenes,
  'vk-your-tasks': yourTasksScenes,
  'vk-live-object': liveObjectScenes,
  'vk-follow': followScenes,
  'vk-toasts': toastsScenes,
  'vk-work-center': workCenterScenes,
  'vk-work-center-badge': badgeScenes,
  'vk-team-tasks': teamScenes,
  'vk-substitution': substitutionScenes,
  'vk-preferences': preferencesScenes,
  'vk-users': usersScenes,
  'vk-roles': rolesScenes,
  'vk-outbox': outboxScenes,
  'vk-status': statusScenes,
}

/** All scenes, in the order of the gallery. */
export const scenes: readonly Scene[] = Object.values(scenesOfElements).flat()
