import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** What the Work Center refuses. */
export const WorkCenterError = defineErrors('WorkCenterError', {
  'work_center.item_not_found': refusal(404, 'This item is not in your Work Center, or no longer.'),
  'work_center.task_claim_conflict': refusal(
    409,
    'Somebody else has claimed or changed this task, or it is not there to be claimed.',
  ),
  'work_center.cursor_invalid': refusal(400, 'This is not a cursor of this list; start again without one.'),
  'work_center.preference_unknown': refusal<{ code: string; channel: string }>(
    400,
    'There is no such preference.',
  ),
  'work_center.preference_not_applicable': refusal<{ code: string }>(
    403,
    'This preference is not for any of your roles.',
  ),
  'work_center.preference_mandatory': refusal<{ code: string }>(409, 'This cannot be switched off.'),
})
